//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// acquire takes the lock file at path, which names its holder. The
// operating system drops the lock when the holder ends, however it ends.
// guarded is the file the lock protects, for the error.
func acquire(path, guarded string) (*lock, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, diagnose("lock", path, "--store", err)
		}
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) {
			e := inUse(f, guarded)
			f.Close()
			return nil, e
		}
		if errors.Is(err, unix.EINTR) {
			f.Close()
			continue
		}
		if err != nil {
			f.Close()
			return nil, diagnose("lock", path, "--store", err)
		}
		if !current(f, path) { // the last holder removed it between our opening and locking
			f.Close()
			continue
		}
		if err := sign(f); err != nil {
			f.Close()
			return nil, diagnose("lock", path, "--store", err)
		}
		return &lock{f: f, path: path}, nil
	}
}

// sign writes our pid into the lock file. On a full disk the pid may be
// missing; the lock holds all the same.
func sign(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, _ = f.WriteString(signature())
	return nil
}
