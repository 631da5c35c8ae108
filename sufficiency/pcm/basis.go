package pcm

import (
	"math"
	"slices"
)

// basis is the basis of a regression on β: hat functions on evenly spaced knots,
// hat functions on knots at quantiles, and an indicator for every value of β
// that many records share.
//
// Where β piles up, evenly spaced knots alone would fit the pile with a straight
// line, and knots at quantiles alone would fit the rest with one.
type basis struct {
	low, high float64   // of β
	sorted    []float64 // β without the large ties' repetitions: what ranks are taken in
	ties      []float64 // the large ties, ascending
	knots     int       // of each kind; 0 = β is the same on every record, or too few records to bend
}

const (
	leastKnots = 4
	mostKnots  = 50
	leastTie   = 10 // records that share a value of β before it is a tie with a step of its own
)

// newBasis looks at β alone, never at what is regressed.
func newBasis(beta []float64) *basis {
	all := slices.Sorted(slices.Values(beta))
	b := &basis{low: all[0], high: all[len(all)-1]}
	least := max(leastTie, len(all)/100)
	for start := 0; start < len(all); {
		end := start + 1
		for end < len(all) && all[end] == all[start] {
			end++
		}
		if end-start >= least {
			b.ties = append(b.ties, all[start])
			b.sorted = append(b.sorted, all[start])
		} else {
			b.sorted = append(b.sorted, all[start:end]...)
		}
		start = end
	}
	if b.low < b.high {
		b.knots = min(max(int(math.Sqrt(float64(len(b.sorted)))), leastKnots), mostKnots)
	}
	return b
}

// size is the number of functions: 1, the hats without the first of the second
// kind, whose sum is 1 like the first kind's, and the steps.
func (b *basis) size() int {
	return max(1, 2*b.knots-1) + len(b.ties)
}

// rank is the place of β among the records in [0,1], halfway where it is
// shared, and between its neighbours' where it is new.
func (b *basis) rank(beta float64) float64 {
	n := len(b.sorted)
	below, found := slices.BinarySearch(b.sorted, beta)
	if found {
		above := n
		if next := math.Nextafter(beta, math.Inf(1)); next <= b.high {
			above, _ = slices.BinarySearch(b.sorted, next)
		}
		return float64(below+above) / float64(2*n)
	}
	switch below {
	case 0:
		return 0
	case n:
		return 1
	}
	left, right := b.sorted[below-1], b.sorted[below]
	l, r := b.rank(left), b.rank(right)
	return l + (r-l)*(beta-left)/(right-left)
}

// rows are the basis at the β of some records: by record the functions that are not 0, and their values.
type rows struct {
	start []uint32 // by record, and the end
	at    []uint16 // a basis has fewer than 200 functions
	value []float64
}

func (b *basis) rows(beta ...float64) *rows {
	n := len(beta)
	r := &rows{start: make([]uint32, 1, n+1), at: make([]uint16, 0, 4*n), value: make([]float64, 0, 4*n)}
	for _, x := range beta {
		if b.knots == 0 {
			r.add(0, 1)
		} else {
			r.hats((x-b.low)/(b.high-b.low), b.knots, 0)
			r.hats(b.rank(x), b.knots, b.knots-1)
		}
		if k, found := slices.BinarySearch(b.ties, x); found {
			r.add(b.size()-len(b.ties)+k, 1)
		}
		r.start = append(r.start, uint32(len(r.at)))
	}
	return r
}

func (r *rows) add(at int, value float64) {
	r.at, r.value = append(r.at, uint16(at)), append(r.value, value)
}

// hats adds the one or two hat functions that are not 0 at u in [0,1]. first is the index of the first hat function; of
// the second kind it is left out.
func (r *rows) hats(u float64, knots, first int) {
	u = float64(min(max(u, 0), 1) * float64(knots-1))
	left := min(int(u), knots-2)
	share := u - float64(left)
	if first == 0 || left > 0 {
		r.add(first+left, 1-share)
	}
	r.add(first+left+1, share)
}

// of returns the terms of record i: which functions, and their values.
func (r *rows) of(i int) ([]uint16, []float64) {
	return r.at[r.start[i]:r.start[i+1]], r.value[r.start[i]:r.start[i+1]]
}

// height is the regression's height at record i.
func (r *rows) height(c []float64, i int) (v float64) {
	which, value := r.of(i)
	for k, at := range which {
		v += float64(c[at] * value[k])
	}
	return v
}
