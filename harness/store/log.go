package store

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"

	"infnet/backends"
	"infnet/harness/regular"
)

// version is the format version this program writes and reads.
const version = 1

// header is the first line of a file.
type header struct {
	Format  string `json:"infnet"` // "answers", "failures", "embeddings", "scores", "grades", "servers" or "confirmed"
	Version int    `json:"version"`
	Model   model  `json:"model"`
	Dataset string `json:"dataset,omitempty"` // content hash
	Name    string `json:"name,omitempty"`    // of the dataset, when the file was made
	Line    string `json:"line,omitempty"`    // what the other lines are, for people
}

// model is a backends.ModelID whose kind may be unknown to this program: such a file belongs to
// another model and is not damaged.
type model struct {
	ID       string `json:"id"`
	Revision string `json:"revision"`
	Kind     string `json:"kind"`
}

// disk is what an appendable file needs; tests put faults into it.
type disk interface {
	io.Writer
	io.ReaderAt
	io.Closer
	Sync() error
	Truncate(int64) error
	Stat() (fs.FileInfo, error)
}

// short is the part of a key the index keeps: 128 bits of a SHA-256 do not
// collide by chance, and the whole key is compared when a line is read.
type short [16]byte

// log is an append-only file of keyed lines. The index holds a line number per key and an offset per line, about 50
// bytes a record; lines are read on demand.
type log struct {
	path     string
	lastWins bool // of lines with one key, the last counts; else the first

	mu       sync.RWMutex
	f        disk // nil where the file does not exist
	write    bool
	index    map[short]int32 // key → line, from 1: line 0 is the header
	ends     []int64         // ends[i] = offset just after line i
	torn     int64           // bytes of a torn last line found at opening; 0 = none
	tornLine int             // its number, from 1
	lost     backends.Key    // of the torn line, where enough of it is there; else the zero key
	err      error           // the first write error: nothing is written after it
}

// open opens a file. For reading, a file that is missing is an empty one. For writing, it is created, and a torn last
// line is cut off; the caller holds the lock.
func (s *Store) open(path string, want header, write, lastWins bool) (*log, error) {
	l := &log{path: path, lastWins: lastWins, write: write, index: map[short]int32{}}
	flags := os.O_RDONLY
	if write {
		flags = os.O_RDWR | os.O_CREATE | os.O_APPEND
	}
	f, err := regular.OpenFile(path, flags, 0o666)
	if !write && errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, diagnose("open "+want.Format, path, "--store", err)
	}
	l.f = f
	if err := l.start(f, want); err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

// start reads the file and, when writing, makes it ready for the next line.
func (l *log) start(f *os.File, want header) error {
	if err := l.scan(bufio.NewReaderSize(f, 1<<20), want); err != nil {
		return err
	}
	if !l.write {
		return nil
	}
	if l.torn > 0 {
		if err := l.f.Truncate(l.size()); err != nil { // an interrupted write, which was never counted
			return diagnose("cut the torn last line off", l.path, "--store", err)
		}
	}
	if len(l.ends) > 0 {
		return nil
	}
	object, err := json.Marshal(want)
	if err != nil {
		return fmt.Errorf("encode the header of %s: %w", l.path, err)
	}
	line := seal(nil, object)
	end := int64(len(line))
	if err := l.commit(line, end); err != nil {
		return err
	}
	l.ends = append(l.ends, end)
	if err := syncDir(filepath.Dir(l.path)); err != nil {
		return diagnose("flush the folder of", l.path, "--store", err)
	}
	return nil
}

// enter puts line n into the index.
func (l *log) enter(k backends.Key, n int) {
	s := short(k[:16])
	if _, dup := l.index[s]; !dup || l.lastWins {
		l.index[s] = int32(n)
	}
}

// size returns the length of the valid part of the file.
func (l *log) size() int64 {
	if len(l.ends) == 0 {
		return 0
	}
	return l.ends[len(l.ends)-1]
}

// has reports whether a line with this key exists.
func (l *log) has(k backends.Key) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	_, ok := l.index[short(k[:16])]
	return ok
}

// len returns the number of different keys.
func (l *log) len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.index)
}

// get returns the line of a key.
func (l *log) get(k backends.Key) (at numbered, ok bool, err error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	n, ok := l.index[short(k[:16])]
	if !ok {
		return at, false, nil
	}
	line, err := l.read(int(n))
	if err != nil {
		return at, false, err
	}
	got, err := lineKey(line)
	if err != nil || got != k {
		return at, false, err
	}
	return numbered{line, int(n) + 1, l.path}, true, nil
}

// read returns line n; the caller holds the lock.
func (l *log) read(n int) ([]byte, error) {
	if n >= len(l.ends) {
		return nil, fmt.Errorf("read %s: it is closed", l.path)
	}
	line := make([]byte, l.ends[n]-l.ends[n-1]-1)
	if _, err := l.f.ReadAt(line, l.ends[n-1]); err != nil {
		return nil, &CorruptError{Path: l.path, Line: n + 1, Reason: fmt.Sprintf("it cannot be read any more (%v)", err)}
	}
	if err := intact(line); err != nil {
		return nil, &CorruptError{Path: l.path, Line: n + 1, Reason: err.Error()}
	}
	return line, nil
}

// numbered is a line without its newline, its number from 1, and its file.
type numbered struct {
	line   []byte
	number int
	path   string
}

// damaged is the error of a line that cannot be decoded.
func (at numbered) damaged(why string) error {
	return &CorruptError{Path: at.path, Line: at.number, Reason: why}
}

// all yields the lines that count, in file order, and stops at the first error.
func (l *log) all() iter.Seq2[numbered, error] {
	return func(yield func(numbered, error) bool) {
		l.mu.RLock()
		lines := len(l.ends)
		l.mu.RUnlock()
		for n := 1; n < lines; n++ {
			l.mu.RLock()
			line, err := l.read(n)
			counts := false
			if err == nil {
				k, _ := lineKey(line)
				counts = l.index[short(k[:16])] == int32(n)
			}
			l.mu.RUnlock()
			if err != nil {
				yield(numbered{}, err)
				return
			}
			if counts && !yield(numbered{line, n + 1, l.path}, nil) {
				return
			}
		}
	}
}

// close flushes and closes the file.
func (l *log) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	var err error
	if l.write && l.err == nil {
		err = l.held(l.size()) // what was counted is reachable to the last
	}
	if cerr := l.f.Close(); err == nil && cerr != nil && l.err == nil {
		err = diagnose("close", l.path, "--store", cerr)
	}
	l.f = nil
	l.index, l.ends = map[short]int32{}, nil
	return err
}
