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

// release removes the lock file and releases the lock. If the folder was replaced, a lock file that
// is not ours stays.
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
