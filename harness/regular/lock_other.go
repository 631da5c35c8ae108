//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package regular

import (
	"errors"
	"io/fs"
	"os"
)

// TryLock takes a lock by creating its file, or opens the file where there is one. Without flock a process that was
// killed leaves the file behind: it can be deleted once that process is gone.
func TryLock(path string) (f *os.File, free bool, err error) {
	f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		f, err = os.Open(path)
		return f, false, err
	}
	return f, err == nil, err
}

// Orphans says that a lock file may have been left behind by a process that was killed.
const Orphans = true
