//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package hub

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes the lock, or returns nil where another holds it. The operating
// system drops it when the holder ends, however it ends; the file stays, as
// removing it could part two holders.
func tryLock(path string) (func(), error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, nil
		}
		return nil, err
	}
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	if errA != nil || errB != nil || !os.SameFile(a, b) { // another program removed it meanwhile
		f.Close()
		return nil, nil
	}
	return func() { f.Close() }, nil
}
