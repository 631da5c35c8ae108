package infer

import (
	"math/bits"
	"math/rand/v2"
)

// Where few different things can happen to a unit, a permutation need not look at
// its units one by one: the coins of 64 units are one word, and a bit count says
// how many of those that a mask names came up.

// mostPlanes is the number of cells up to which they have masks.
const mostPlanes = 32

// swapping returns the function that swaps the answers of the units whose coin
// came up, in the counts of both policies: moves holds, by unit, the pairs of
// cells that a swap exchanges.
func swapping(moves [][][2]int, k int) func(c *coins, a, b []float64) {
	if p := planesOf(moves, k); p != nil {
		return p.swap
	}
	return func(c *coins, a, b []float64) {
		for _, pairs := range moves {
			if c.toss() == 0 {
				continue
			}
			for _, m := range pairs {
				a[m[0]]--
				a[m[1]]++
				b[m[1]]--
				b[m[0]]++
			}
		}
	}
}

// planes are the moves of units of one record each, between few cells.
type planes struct {
	cells []int         // that some unit leaves or enters
	masks [][][2]uint64 // by block of 64 units, then cell: which units leave it under the first policy, which enter it
}

// planesOf makes the masks; nil = there are too many cells, or units of several
// records.
func planesOf(moves [][][2]int, k int) *planes {
	p := &planes{}
	at := make([]int, k) // the place of a cell in cells, from 1
	for _, m := range moves {
		if len(m) != 1 {
			return nil
		}
		for _, cell := range m[0] {
			if at[cell] == 0 {
				p.cells = append(p.cells, cell)
				at[cell] = len(p.cells)
			}
		}
		if len(p.cells) > mostPlanes {
			return nil
		}
	}
	for i, m := range moves {
		if i%64 == 0 {
			p.masks = append(p.masks, make([][2]uint64, len(p.cells)))
		}
		for side, cell := range m[0] {
			p.masks[i/64][at[cell]-1][side] |= 1 << (i % 64)
		}
	}
	return p
}

func (p *planes) swap(c *coins, a, b []float64) {
	var gain [mostPlanes]int // of the first policy, by place in cells
	for _, masks := range p.masks {
		w := c.word()
		for j := range masks {
			gain[j] += bits.OnesCount64(w&masks[j][1]) - bits.OnesCount64(w&masks[j][0])
		}
	}
	for j, cell := range p.cells {
		a[cell] += float64(gain[j])
		b[cell] -= float64(gain[j])
	}
}

// tossedUnits is how many units of a permutation are summed at a time: two words
// of coins, and tables that stay in the cache.
const tossedUnits = 128

// tables are the sums of every subset of eight units, for each eight of a block.
type tables [tossedUnits / 8][256]float64

func (t *tables) fill(values []float64) {
	for k := range t {
		for subset := 1; subset < 256; subset++ {
			rest := subset & (subset - 1)
			t[k][subset] = t[k][rest]
			if i := 8*k + trailing[subset]; i < len(values) {
				t[k][subset] += values[i]
			}
		}
	}
}

// trailing is the place of a byte's lowest bit.
var trailing = func() (out [256]int) {
	for b := 1; b < 256; b++ {
		for b>>out[b]&1 == 0 {
			out[b]++
		}
	}
	return out
}()

// sum adds up the units that a word's coins pick, of the first or the second half of a
// block.
func (t *tables) sum(half int, w uint64) float64 {
	of := (*[8][256]float64)(t[8*half:])
	return ((of[0][uint8(w)] + of[1][uint8(w>>8)]) + (of[2][uint8(w>>16)] + of[3][uint8(w>>24)])) +
		((of[4][uint8(w>>32)] + of[5][uint8(w>>40)]) + (of[6][uint8(w>>48)] + of[7][uint8(w>>56)]))
}

// tossed returns, for each column of values by unit, the sums over the units whose
// coin comes up, by permutation. The coins are those of SwapCounts with this seed;
// the order of additions is another. It takes a table for every eight units, and
// goes through all permutations with it, so that a permutation adds one number
// for eight units.
func tossed(seed uint64, draws int, columns ...[]float64) [][]float64 {
	out := make([][]float64, len(columns))
	for c := range out {
		out[c] = make([]float64, draws)
	}
	parallel(draws, func(lo, hi int) {
		streams, words := make([]rand.PCG, hi-lo), make([][2]uint64, hi-lo)
		for p := range streams {
			streams[p].Seed(seed, uint64(lo+p))
		}
		var t tables
		for from := 0; from < len(columns[0]); from += tossedUnits {
			for p := range words {
				words[p] = [2]uint64{streams[p].Uint64(), streams[p].Uint64()}
			}
			for c, values := range columns {
				t.fill(values[from:min(from+tossedUnits, len(values))])
				sums := out[c][lo:hi]
				for p, w := range words {
					sums[p] += t.sum(0, w[0]) + t.sum(1, w[1])
				}
			}
		}
	})
	return out
}
