package metrics

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"
)

// gram is a position in a text with the symbols that follow it, packed so that the words order as
// the symbols do. A symbol is stored plus one; 0 lies behind the text's end.
type gram struct {
	hi, lo uint64
	text   int32 // 0 = the answer, else a reference
	length int8  // symbols before the text's end
	common int8  // symbols shared with the gram sorted before it
}

// overlap counts the n-grams of the answer that references have, for n = 1 … order: each n-gram at
// most as often as the reference that has it most. Symbols are below 2²¹ − 1, as runes and the numbers of a text's
// words are; order is at most 6.
//
// One sort serves all orders: equal n-grams are neighbours for every n.
func (s *scratch) overlap(order int, answer []uint32, references ...[]uint32) []int {
	s.grams = s.grams[:0]
	s.pack(order, answer)
	for _, r := range references {
		s.pack(order, r)
	}
	slices.SortFunc(s.grams, func(a, b gram) int {
		if a.hi != b.hi {
			return cmp.Compare(a.hi, b.hi)
		}
		return cmp.Compare(a.lo, b.lo)
	})
	for i := 1; i < len(s.grams); i++ {
		s.grams[i].common = shared(order, s.grams[i-1], s.grams[i])
	}
	out, counts := make([]int, order), make([]int, 1+len(references))
	for n := range order {
		out[n] = common(s.grams, int8(n+1), counts)
	}
	return out
}

// pack appends the grams of the next text.
func (s *scratch) pack(order int, symbols []uint32) {
	text := int32(0)
	if len(s.grams) > 0 {
		text = s.grams[len(s.grams)-1].text + 1
	}
	if len(symbols) == 0 {
		s.grams = append(s.grams, gram{text: text}) // keeps the texts' numbers
		return
	}
	half, width := halves(order)
	for i := range symbols {
		ahead := symbols[i:min(i+order, len(symbols))]
		g := gram{text: text, length: int8(len(ahead))}
		for j, c := range ahead {
			if at := half - 1 - j%half; j < half {
				g.hi |= uint64(c+1) << (at * width)
			} else {
				g.lo |= uint64(c+1) << (at * width)
			}
		}
		s.grams = append(s.grams, g)
	}
}

// halves returns how many symbols a word of a gram holds, and their bits.
func halves(order int) (symbols, width int) {
	symbols = (order + 1) / 2
	return symbols, 64 / symbols
}

// shared counts the symbols that two grams begin with in common.
func shared(order int, a, b gram) int8 {
	half, width := halves(order)
	unused := 64 - half*width
	if a.hi != b.hi {
		return int8((bits.LeadingZeros64(a.hi^b.hi) - unused) / width)
	}
	if a.lo != b.lo {
		return int8(half + (bits.LeadingZeros64(a.lo^b.lo)-unused)/width)
	}
	return int8(2 * half)
}

// common counts the n-grams in common. counts has a place for each text, all 0, and is left so.
func common(sorted []gram, n int8, counts []int) (total int) {
	end := func() {
		most := 0
		for _, c := range counts[1:] {
			most = max(most, c)
		}
		total += min(counts[0], most)
		clear(counts)
	}
	for i, g := range sorted {
		if i > 0 && g.common < n {
			end()
		}
		if g.length >= n {
			counts[g.text]++
		}
	}
	end()
	return total
}

// scratch is memory that scores reuse: buffers, and the numbers and stems of words seen before. One
// goroutine uses it at a time. It changes no score.
type scratch struct {
	numbers map[string]uint32 // of a token
	stems   map[string]uint32 // the number of a word's ROUGE token
	bytes   [2][]byte
	grams   []gram
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
