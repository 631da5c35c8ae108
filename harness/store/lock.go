package store

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"infnet/harness/regular"
)

// lock is a held lock file.
type lock struct {
	f    *os.File
	path string
}

// release removes the lock file and releases the lock. If the folder was replaced, a lock file that is not ours stays.
func (l *lock) release() {
	if l == nil {
		return // a shard's, or a reader's
	}
	if regular.Current(l.f, l.path) {
		os.Remove(l.path)
	}
	l.f.Close()
}

// acquire takes the lock file at path, which names its holder by pid and host. guarded is the file the lock protects,
// for the error.
func acquire(path, guarded string) (*lock, error) {
	f, free, err := regular.TryLock(path)
	if err != nil {
		return nil, diagnose("lock", path, "--store", err)
	}
	host, herr := os.Hostname()
	if !free {
		defer f.Close()
		e := &InUseError{Path: guarded}
		b := make([]byte, 512)
		n, _ := f.ReadAt(b, 0)
		words := strings.Fields(string(b[:n]))
		if len(words) > 0 {
			e.PID, _ = strconv.Atoi(words[0])
		}
		if len(words) > 1 && herr == nil && words[1] != host {
			e.Host = words[1]
		}
		if regular.Orphans {
			e.Lock = path
		}
		return nil, e
	}
	if err := f.Truncate(0); err != nil {
		f.Close()
		return nil, diagnose("lock", path, "--store", err)
	}
	if strings.ContainsAny(host, " \n") {
		host = ""
	}
	_, _ = fmt.Fprintln(f, strings.TrimSpace(fmt.Sprint(os.Getpid(), " ", host))) // a full disk may not take it
	return &lock{f: f, path: path}, nil
}

// lockPoll is how often a lock that is held is tried again.
const lockPoll = 20 * time.Millisecond

// Lock takes the lock of a file that processes change in turn: PATH.lock, as the store's own. Where another process
// holds it, it is tried for as long as patience; after that the error is an *InUseError.
func Lock(path string, patience time.Duration) (release func(), err error) {
	for end := time.Now().Add(patience); ; time.Sleep(lockPoll) {
		l, err := acquire(path+".lock", path)
		if err == nil {
			return l.release, nil
		}
		if !errors.As(err, new(*InUseError)) || time.Now().After(end) {
			return nil, err
		}
	}
}
