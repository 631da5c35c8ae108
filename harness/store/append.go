package store

import (
	"bytes"
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
// the last line wins, and returns how many it wrote: with an error, those whose whole lines are on the disk all the
// same. After an error the file takes no more.
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
	n, err := l.commit(buf, ends)
	for i, k := range keys[:n] {
		l.enter(k, len(l.ends))
		l.ends = append(l.ends, ends[i])
	}
	return n, err
}

// commit writes and flushes lines, which end at ends, at the end of the file.
// It returns how many count: all, or with an error those that are on the disk.
func (l *log) commit(b []byte, ends []int64) (lines int, err error) {
	if l.err = l.held(l.size()); l.err != nil {
		return 0, l.err
	}
	wrote, err := l.f.Write(b)
	if err != nil {
		l.err = diagnose("write", l.path, "--store", err)
		return l.salvage(b, ends, wrote), l.err
	}
	if err := l.f.Sync(); err != nil {
		l.err = diagnose("write", l.path, "--store", err)
		return l.salvage(b, ends, 0), l.err
	}
	if l.err = l.held(ends[len(ends)-1]); l.err != nil {
		return 0, l.err
	}
	return len(ends), nil
}

// salvage keeps the complete lines of a write that ended early after so many bytes, and truncates
// the rest. Lines count if they can be flushed and read back; otherwise none of the batch counts.
func (l *log) salvage(b []byte, ends []int64, wrote int) (lines int) {
	from := l.size()
	end := from
	for _, e := range ends {
		if e > from+int64(wrote) {
			break
		}
		end = e
		lines++
	}
	cut := l.f.Truncate(end) // where it fails, a torn line is found at the next opening
	if lines == 0 {
		if cut == nil {
			l.f.Sync() // best effort: nothing of the batch counts
		}
		return 0
	}
	back := make([]byte, end-from)
	if l.f.Sync() == nil {
		if _, err := l.f.ReadAt(back, from); err == nil && bytes.Equal(back, b[:len(back)]) {
			return lines
		}
	}
	if l.f.Truncate(from) == nil {
		l.f.Sync()
	}
	return 0
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
