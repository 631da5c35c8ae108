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

// inUse is the error of a lock that is held. The lock file says by whom: a pid and a host.
func inUse(f *os.File, guarded string) *InUseError {
	e := &InUseError{Path: guarded}
	b := make([]byte, 512)
	n, _ := f.ReadAt(b, 0)
	words := strings.Fields(string(b[:n]))
	if len(words) > 0 {
		e.PID, _ = strconv.Atoi(words[0])
	}
	if here, err := os.Hostname(); len(words) > 1 && err == nil && words[1] != here {
		e.Host = words[1]
	}
	return e
}

// signature is what the holder writes into a lock file.
func signature() string {
	host, err := os.Hostname()
	if err != nil || strings.ContainsAny(host, " \n") {
		host = ""
	}
	return strings.TrimSpace(strconv.Itoa(os.Getpid())+" "+host) + "\n"
}
