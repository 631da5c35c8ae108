package metrics

import (
	"math/bits"
	"slices"
)

// numbered are the symbols of two texts under numbers from 1, as few bits each as they need.
type numbered struct {
	number []uint16 // by symbol; 0 = has none
	known  []uint32 // symbols that have one
}

const (
	numberedSymbols = 1 << 16 // symbols from here on are not numbered
	mostNumbers     = 1<<10 - 1
)

// overlapOfTwo is overlap with one reference, where the symbols are few and their numbers so short that an n-gram fits
// into one word; ok is false where they are not.
func (s *scratch) overlapOfTwo(order int, answer, reference []uint32) (out []int, ok bool) {
	t := &s.numbered
	if t.number == nil {
		t.number = make([]uint16, numberedSymbols)
	}
	defer func() {
		for _, c := range t.known {
			t.number[c] = 0
		}
		t.known = t.known[:0]
	}()
	for _, text := range [2][]uint32{answer, reference} {
		for _, c := range text {
			if c >= numberedSymbols {
				return nil, false
			}
			if t.number[c] == 0 {
				if len(t.known) == mostNumbers {
					return nil, false
				}
				t.known = append(t.known, c)
				t.number[c] = uint16(len(t.known))
			}
		}
	}
	width := bits.Len(uint(len(t.known)))
	if width*order > 63 {
		return nil, false
	}
	s.words = t.pack(s.words[:0], order, width, answer, 0)
	s.words = t.pack(s.words, order, width, reference, 1)
	slices.Sort(s.words)
	return commonRuns(s.words, order, width), true
}

// pack appends, for each position of a text, the numbers of the symbols from there on, the first in the highest bits,
// 0 behind the end, and in the lowest bit which text it is.
func (t *numbered) pack(words []uint64, order, width int, symbols []uint32, text uint64) []uint64 {
	first := len(words)
	words = slices.Grow(words, len(symbols))[:first+len(symbols)]
	word, top := uint64(0), (order-1)*width
	for i := len(symbols) - 1; i >= 0; i-- {
		word = word>>width | uint64(t.number[symbols[i]])<<top
		words[first+i] = word<<1 | text
	}
	return words
}

// commonRuns counts, for n = 1 … order, the n-grams that two texts have in common, each as often as the text that has
// it less often. Words that begin with the same n numbers are neighbours: a run.
func commonRuns(words []uint64, order, width int) []int {
	out := make([]int, order)
	var begun [8]int // by n − 1: words before the run
	var theirs [8]int
	second := 0                  // words of the second text so far
	unused := 63 - order*width   // bits above the numbers
	mask := uint64(1)<<width - 1 // of one number
	end := func(from, at int) {  // ends the runs of n > from
		last := words[at-1] >> 1
		for n := from; n < order; n++ {
			if last>>((order-1-n)*width)&mask != 0 { // else the text ends before
				b := second - theirs[n]
				out[n] += min(at-begun[n]-b, b)
			}
			begun[n], theirs[n] = at, second
		}
	}
	for i, w := range words {
		if i > 0 {
			if x := (w ^ words[i-1]) >> 1; x != 0 {
				end((bits.LeadingZeros64(x)-1-unused)/width, i)
			}
		}
		second += int(w & 1)
	}
	if len(words) > 0 {
		end(0, len(words))
	}
	return out
}
