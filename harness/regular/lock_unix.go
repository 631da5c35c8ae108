//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package regular

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Orphans says that a lock file may have been left behind by a process that was killed.
const Orphans = false

// TryLock opens the lock file at path, and takes its lock where nobody holds it. The operating system drops the lock
// when the file is closed or its holder ends, however it ends.
func TryLock(path string) (f *os.File, free bool, err error) {
	for {
		if f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
			return nil, false, err
		}
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) {
			return f, false, nil
		}
		if err == nil && Current(f, path) {
			return f, true, nil
		}
		f.Close()
		if err != nil && !errors.Is(err, unix.EINTR) {
			return nil, false, err
		} // else the last holder removed it between our opening and locking
	}
}
