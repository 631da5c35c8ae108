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

// release removes the lock file and gives the lock up.
func (l *lock) release() {
	os.Remove(l.path)
	l.f.Close()
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
