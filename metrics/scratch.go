package metrics

import "sync"

// scratch is memory that scores reuse: buffers, and the numbers and stems of words seen before. One
// goroutine uses it at a time. It changes no score.
type scratch struct {
	numbers map[string]uint32 // of a token
	stems   map[string]uint32 // the number of a word's ROUGE token
	bytes   [2][]byte
	symbols []uint32
	rows    []uint64
	places  []int32 // see subsequence
}

// mostWords bounds what a scratch remembers.
const mostWords = 1 << 16

var scratches = sync.Pool{New: func() any { return &scratch{} }}

// borrow returns a scratch; the caller gives it back.
func borrow() *scratch {
	s := scratches.Get().(*scratch)
	if s.numbers == nil || len(s.numbers)+len(s.stems) > mostWords {
		s.numbers, s.stems = map[string]uint32{}, map[string]uint32{}
		s.places = s.places[:0]
	}
	s.symbols = s.symbols[:0]
	return s
}

func (s *scratch) giveBack() { scratches.Put(s) }

// number returns a token's number: equal tokens have equal ones, while the scratch is borrowed.
func (s *scratch) number(token string) uint32 {
	n, ok := s.numbers[token]
	if !ok {
		n = uint32(len(s.numbers))
		s.numbers[token] = n
	}
	return n
}

// since returns the symbols appended after the first ones.
func (s *scratch) since(first int) []uint32 { return s.symbols[first:len(s.symbols):len(s.symbols)] }
