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

// term is one function of the basis that is not 0 somewhere.
type term struct {
	at    int
	value float64
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

// row appends the basis at one β.
func (b *basis) row(dst []term, beta float64) []term {
	if b.knots == 0 {
		dst = append(dst, term{0, 1})
	} else {
		dst = hats(dst, (beta-b.low)/(b.high-b.low), b.knots, 0)
		at := len(dst)
		dst = hats(dst, b.rank(beta), b.knots, b.knots-1)
		if dst[at].at == b.knots-1 { // the one left out
			dst = slices.Delete(dst, at, at+1)
		}
	}
	if k, found := slices.BinarySearch(b.ties, beta); found {
		dst = append(dst, term{b.size() - len(b.ties) + k, 1})
	}
	return dst
}

// hats appends the one or two hat functions that are not 0 at u in [0,1]. first is
// the index of the first hat function.
func hats(dst []term, u float64, knots, first int) []term {
	u = float64(min(max(u, 0), 1) * float64(knots-1))
	left := min(int(u), knots-2)
	share := u - float64(left)
	return append(dst, term{first + left, 1 - share}, term{first + left + 1, share})
}

// rows is the basis at the β of some records.
func (b *basis) rows(beta []float64) [][]term {
	out := make([][]term, len(beta))
	for i, x := range beta {
		out[i] = b.row(make([]term, 0, 5), x)
	}
	return out
}
