package infer

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// Where few different things can happen to a unit, a permutation need not look at
// its units one by one: the coins of 64 units are one word, and a bit count says
// how many of those that a mask names came up.

// mostLevels is the number of different magnitudes up to which they have masks.
const mostLevels = 8

// flips counts the permutations of signs in which the sum of the differences, each
// with the sign of its coin, is as far from 0 as it is in the data. No difference
// is 0; scale is the sum of their magnitudes.
func flips(rng *rand.Rand, draws int, diff []float64, scale float64) (reached int) {
	if levels := levelsOf(diff); levels != nil {
		return permute(rng, draws, len(diff), levels.flipping(scale))
	}
	observed := sum(diff)
	least := math.Abs(observed) - slack(scale)
	for _, turned := range tossed(rng.Uint64(), count(draws), diff)[0] {
		if math.Abs(observed-2*turned) >= least {
			reached++
		}
	}
	return reached
}

// slack is how far sums in another order may lie below one of this scale and still
// count as equal to it: they may differ in the last bits.
func slack(scale float64) float64 { return float64(1e-12 * scale) }

// levels are differences of few magnitudes.
type levels struct {
	size  []float64  // the magnitudes
	units []int      // how many differences have each
	of    [][]uint64 // by block of 64 differences, then magnitude: which have it
	minus []uint64   // by block: which are negative
}

// levelsOf finds the magnitudes of differences; nil = there are too many.
func levelsOf(diff []float64) *levels {
	l := &levels{}
	for i, d := range diff {
		if i%64 == 0 {
			l.of, l.minus = append(l.of, make([]uint64, mostLevels)), append(l.minus, 0)
		}
		k := 0
		for k < len(l.size) && l.size[k] != math.Abs(d) {
			k++
		}
		if k == mostLevels {
			return nil
		}
		if k == len(l.size) {
			l.size, l.units = append(l.size, math.Abs(d)), append(l.units, 0)
		}
		l.units[k]++
		l.of[i/64][k] |= 1 << (i % 64)
		if d < 0 {
			l.minus[i/64] |= 1 << (i % 64)
		}
	}
	return l
}

// flipping is the test of a permutation, from the number of differences of each
// magnitude that are negative after it.
func (l *levels) flipping(scale float64) func(*coins) bool {
	width := len(l.size)
	count := func(negative *[mostLevels]int, block int, w uint64) {
		w ^= l.minus[block]
		for k, mask := range l.of[block][:width] {
			negative[k] += bits.OnesCount64(w & mask)
		}
	}
	sum := func(negative *[mostLevels]int) float64 {
		t := 0.0
		for k, size := range l.size {
			t += float64(size * float64(l.units[k]-2*negative[k]))
		}
		return t
	}
	var data [mostLevels]int
	for block := range l.of {
		count(&data, block, 0)
	}
	least := math.Abs(sum(&data)) - slack(scale)
	return func(c *coins) bool {
		var negative [mostLevels]int
		for block := range l.of {
			count(&negative, block, c.word())
		}
		return math.Abs(sum(&negative)) >= least
	}
}

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
