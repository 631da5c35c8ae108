package store

import (
	"os"
	"strconv"
	"strings"
)

// lock is a held lock file.
type lock struct {
	f    *os.File
	path string
}

// release removes the lock file and gives the lock up. A file of that name
// that is not ours, since the folder was replaced, is another's lock.
func (l *lock) release() {
	if current(l.f, l.path) {
		os.Remove(l.path)
	}
	l.f.Close()
}

// current reports whether f is still the file that path names.
func current(f *os.File, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// holder reads the pid in a lock file; 0 = unknown.
func holder(f *os.File) int {
	b := make([]byte, 32)
	n, _ := f.ReadAt(b, 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(b[:n])))
	if err != nil {
		return 0
	}
	return pid
}
