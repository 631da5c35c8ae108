// Package spool holds pieces of text that are wanted again later, in any order, without keeping them in memory: the
// first megabytes stay there, and what goes beyond is in a temporary file. It owns that file, which has no name and so
// ends with the process however that ends. It refuses to know what the pieces are and to forget one.
//
// Its opinion: a temporary file beats a second look into the source. A piece is read in one step
// from wherever it came: a compressed file, an archive, a Parquet page.
package spool

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// DefaultMemory is how many bytes a spool keeps in memory unless it is told otherwise.
const DefaultMemory = 4 << 20

// Spool is the pieces. The zero value is an empty one. It is safe for concurrent use.
type Spool struct {
	Memory int // bytes kept in memory before there is a file; 0 = DefaultMemory

	mu    sync.RWMutex
	file  *os.File // nil = all is in tail
	named bool     // an open file keeps its name here, and Close removes it
	start int64    // offset of tail: the length of the file
	tail  []byte   // what is not in the file yet

	ahead  sync.Mutex
	next   int64  // where the last piece that was read ends
	from   int64  // offset of window
	window []byte // of the file, where pieces are read one after another
}

// chunk is how much is written to the file at once.
const chunk = 1 << 18

// Add keeps a piece and returns where it is. The error is one of the temporary folder: the piece is not kept then.
func (s *Spool) Add(piece []byte) (at int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at = s.start + int64(len(s.tail))
	s.tail = append(s.tail, piece...)
	limit := s.Memory
	if limit == 0 {
		limit = DefaultMemory
	}
	if s.file == nil && len(s.tail) <= limit || s.file != nil && len(s.tail) < chunk {
		return at, nil
	}
	if err := s.flush(); err != nil {
		s.tail = s.tail[:at-s.start] // what is not kept takes no memory
		return 0, err
	}
	return at, nil
}

// flush moves the tail to the file.
func (s *Spool) flush() error {
	if s.file == nil {
		f, err := os.CreateTemp("", "infnet-*.spool")
		if err != nil {
			return fmt.Errorf("a temporary file for what does not fit into memory: %w: free some space there, or name "+
				"another folder in TMPDIR", err)
		}
		s.file = f
		s.named = os.Remove(f.Name()) != nil // without a name, the system frees it when the process ends
	}
	n, err := s.file.WriteAt(s.tail, s.start)
	if err != nil {
		return fmt.Errorf("a temporary file for what does not fit into memory, %d bytes so far: %w: free some space "+
			"there, or name another folder in TMPDIR", s.start+int64(n), err)
	}
	s.start += int64(len(s.tail))
	if cap(s.tail) > 2*chunk {
		s.tail = make([]byte, 0, chunk+chunk/4)
	}
	s.tail = s.tail[:0]
	return nil
}

// Read fills piece with what was added at an offset, or a part of it.
func (s *Spool) Read(piece []byte, at int64) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if at >= s.start {
		if from := at - s.start; from+int64(len(piece)) <= int64(len(s.tail)) {
			copy(piece, s.tail[from:])
			return nil
		}
		return fmt.Errorf("no %d bytes were kept at %d", len(piece), at)
	}
	if err := s.read(piece, at); err != nil {
		return fmt.Errorf("read the temporary file of what does not fit into memory: %w", err)
	}
	return nil
}

// most is how much is read ahead.
const most = 1 << 16

// read reads from the file. Pieces that are read in their order come from a window of it.
func (s *Spool) read(piece []byte, at int64) error {
	s.ahead.Lock()
	end := at + int64(len(piece))
	orderly := at == s.next
	s.next = end
	if orderly && len(piece) <= most && (at < s.from || end > s.from+int64(len(s.window))) {
		if s.window == nil {
			s.window = make([]byte, 0, most)
		}
		s.window, s.from = s.window[:min(most, s.start-at)], at
		if _, err := s.file.ReadAt(s.window, at); err != nil {
			s.window = s.window[:0]
			s.ahead.Unlock()
			return err
		}
	}
	if at >= s.from && end <= s.from+int64(len(s.window)) {
		copy(piece, s.window[at-s.from:])
		s.ahead.Unlock()
		return nil
	}
	s.ahead.Unlock()
	_, err := s.file.ReadAt(piece, at)
	return err
}

// Close gives memory and file back; nothing can be read afterwards.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.file
	s.file, s.tail, s.start = nil, nil, 0
	if f == nil {
		return nil
	}
	err := f.Close()
	if s.named {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
