package pcm

import (
	"cmp"
	"math"
	"slices"
)

const (
	neighbours = 12   // records from which [local.beyond] draws its line; of a rare class, all others
	fewest     = 4    // records of a class, or its records tell nothing beyond it
	tied       = 0.05 // correlation of neighbours from which a direction is a function of β still
)

// local takes from numbers what their neighbours in β have of them, down to the
// data's own scale: where both regressions miss the same bend, the bend's part of
// a covariance goes with it.
type local struct {
	rank []float64 // of β
	runs [][]int   // records of one class in the order of β
	// lift is √(1 + h) in rare classes, h the leverage of a record in its line,
	// else 1: there the line fitted to Δ moves with the noise of the records that
	// it is compared with, and products spread by so much more than they show.
	lift []float64
}

func newLocal(b *basis, beta []float64, class []int) *local {
	l := &local{rank: make([]float64, len(beta)), lift: make([]float64, len(beta))}
	order := make([]int, len(beta))
	for i, x := range beta {
		order[i], l.rank[i], l.lift[i] = i, b.rank(x), 1
	}
	of := func(i int) int {
		if class == nil {
			return 0
		}
		return class[i]
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(of(i), of(j)), cmp.Compare(beta[i], beta[j]))
	})
	for start := 0; start < len(order); {
		end := start + 1
		for end < len(order) && of(order[end]) == of(order[start]) {
			end++
		}
		l.runs = append(l.runs, order[start:end])
		start = end
	}
	return l
}

// beyond returns each number less the height there of the line through its
// neighbours of the same class, itself not among them, and 0 in a class of too few.
// The slope is shrunk a little, so that no record's line is all extrapolation. ok
// is false where neighbours still go together, which by chance would be of
// opposite signs: then the numbers tell of β, and nothing beyond it.
func (l *local) beyond(x []float64) (out []float64, ok bool) {
	out = make([]float64, len(x))
	together, square := 0.0, 0.0
	for _, run := range l.runs {
		if len(run) < fewest {
			continue
		}
		half := neighbours / 2
		if len(run) < rare {
			half = len(run)
		}
		for k, i := range run {
			first := min(max(0, k-half), max(0, len(run)-2*half-1))
			window := run[first:min(len(run), first+2*half+1)]
			m, meanX, meanR := float64(len(window)-1), 0.0, 0.0
			for _, j := range window {
				if j != i {
					meanX += x[j] / m
					meanR += l.rank[j] / m
				}
			}
			away := l.rank[i] - meanR
			xy, xx := 0.0, float64(away*away)/16+1e-12
			for _, j := range window {
				if j != i {
					d := l.rank[j] - meanR
					xy += float64(d * x[j])
					xx += float64(d * d)
				}
			}
			out[i] = x[i] - meanX - float64(away*xy)/xx
			if len(run) < rare {
				l.lift[i] = math.Sqrt(1 + 1/m + float64(away*away)/xx)
			}
			square += float64(out[i] * out[i])
			if k > 0 {
				together += float64(out[i] * out[run[k-1]])
			}
		}
	}
	return out, together <= tied*square
}

// around is the mean of the numbers of a record's neighbours of the same class, in
// other units; 0 where there are none.
func (l *local) around(x []float64, units []int) []float64 {
	out := make([]float64, len(x))
	for _, run := range l.runs {
		for k, i := range run {
			n, total := 0, 0.0
			for _, j := range run[max(0, k-neighbours/2):min(len(run), k+neighbours/2+1)] {
				if units[j] != units[i] {
					n++
					total += x[j]
				}
			}
			out[i] = total / float64(max(1, n))
		}
	}
	return out
}
