package infer

import "math/bits"

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
