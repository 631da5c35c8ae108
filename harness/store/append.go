package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"infnet/backends"
	"infnet/backends/redact"
)

// entry is a line to append: a JSON object that starts with its key.
type entry struct {
	key    backends.Key
	object redact.Clean
}

// line makes an entry. The known secrets in it are replaced.
func line(k backends.Key, object []byte) entry {
	clean, _ := redact.Line(object)
	return entry{k, clean}
}

// append writes the entries in one go and returns once they are on the disk. It leaves out keys the file has, unless
// the last line wins, and returns how many it wrote: with an error, none. After an error the file takes no more.
func (l *log) append(entries []entry) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return 0, l.err
	}
	if !l.write {
		return 0, fmt.Errorf("%s is open for reading only", l.path)
	}
	size := 0
	for _, e := range entries {
		size += len(e.object.Bytes()) + crcTail + 1
	}
	buf := make([]byte, 0, size)
	var keys []backends.Key
	var ends []int64
	fresh := map[short]bool{}
	for _, e := range entries {
		s := short(e.key[:16])
		if _, dup := l.index[s]; !l.lastWins && (dup || fresh[s]) {
			continue
		}
		fresh[s] = true
		buf = seal(buf, e.object.Bytes())
		keys = append(keys, e.key)
		ends = append(ends, l.size()+int64(len(buf)))
	}
	if len(keys) == 0 {
		return 0, nil
	}
	if err := l.commit(buf, ends[len(ends)-1]); err != nil {
		return 0, err
	}
	for i, k := range keys {
		l.enter(k, len(l.ends))
		l.ends = append(l.ends, ends[i])
	}
	return len(keys), nil
}

// commit writes and flushes lines at the end of the file, which is then so long. What a write leaves that fails is cut
// off; where that fails too, a torn line is found at the next opening.
func (l *log) commit(b []byte, end int64) error {
	if l.err = l.held(l.size()); l.err != nil {
		return l.err
	}
	_, err := l.f.Write(b)
	if err == nil {
		err = l.f.Sync()
	}
	if err != nil {
		l.err = diagnose("write", l.path, "--store", err)
		if l.f.Truncate(l.size()) == nil {
			l.f.Sync() // best effort: nothing of the batch counts
		}
		return l.err
	}
	l.err = l.held(end)
	return l.err
}

// held returns an error if the path no longer names the open file, or if another process changed
// its length: what is written to it would be lost.
func (l *log) held(size int64) error {
	lost := func(format string, args ...any) error {
		return &WriteError{Op: "write", Path: l.path, Err: fmt.Errorf(format, args...),
			Hint: "let nothing else touch the store while it is written; put the file back if it was moved, " +
				"and run the same command again: what the store lacks is asked for again"}
	}
	mine, err := l.f.Stat()
	if err != nil {
		return diagnose("write", l.path, "--store", err)
	}
	named, err := os.Stat(l.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return lost("the file was deleted or moved while it was being written")
	case err != nil:
		return diagnose("write", l.path, "--store", err)
	case !os.SameFile(mine, named):
		return lost("another file took its place while it was being written")
	case mine.Size() != size:
		return lost("another process changed it: it has %d bytes where %d were written", mine.Size(), size)
	}
	return nil
}
