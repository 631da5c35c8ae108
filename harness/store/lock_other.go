//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package store

import (
	"errors"
	"io/fs"
	"os"
)

// acquire takes the lock by creating its file. Without flock a process that
// was killed leaves the file behind; the error names the pid, and the file
// can be deleted once that process is gone.
func acquire(path, guarded string) (*lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		e := &InUseError{Path: guarded}
		if old, oerr := os.Open(path); oerr == nil {
			e = inUse(old, guarded)
			old.Close()
		}
		e.Lock = path
		return nil, e
	}
	if err != nil {
		return nil, diagnose("lock", path, "--store", err)
	}
	_, _ = f.WriteString(signature())
	return &lock{f: f, path: path}, nil
}
