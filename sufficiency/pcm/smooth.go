package pcm

import (
	"math"
	"slices"
)

// penalties are the strengths of the roughness penalties tried for either kind
// of knots, in records per knot.
var penalties = []float64{1e-2, 1, 1e2, 1e4}

const (
	pseudo = 1    // records of value 0 by which each step is shrunk
	slight = 1e-7 // ridge on everything, per record, that makes the solution unique
)

// none is an empty fold: leaving it out leaves nothing out.
const none = -1

// smoother regresses numbers on β: least squares on a [basis], the second
// differences of the heights at the knots shrunk by two penalties.
type smoother struct {
	basis  *basis
	shrink float64 // ridge on every height, in records of value 0
	terms  *rows
	fold   []int
	folds  int
	in     [][]int32         // by fold: its records
	gram   [][]float64       // by fold, symmetric, p×p
	total  []float64         // their sum
	size   []float64         // records by fold
	known  map[key][]float64 // factors, which all numbers share
}

// key names a factor: the fold left out, and the penalties.
type key struct {
	fold int
	strength
}

// newSmoother prepares the regressions on some β. fold says in which fold each
// record is.
func newSmoother(b *basis, beta []float64, fold []int, folds int) *smoother {
	s := &smoother{basis: b, terms: b.rows(beta...), fold: fold, folds: folds, in: make([][]int32, folds),
		size: make([]float64, folds), known: map[key][]float64{}}
	p := s.basis.size()
	for range folds {
		s.gram = append(s.gram, make([]float64, p*p))
	}
	for i := range beta {
		g := s.gram[fold[i]]
		s.in[fold[i]] = append(s.in[fold[i]], int32(i))
		which, value := s.terms.of(i)
		for j, x := range which {
			for k, y := range which {
				g[int(x)*p+int(y)] += float64(value[j] * value[k])
			}
		}
		s.size[fold[i]]++
	}
	s.total = make([]float64, p*p)
	for _, g := range s.gram {
		for i, v := range g {
			s.total[i] += v
		}
	}
	return s
}

// factor returns the Cholesky factor of the penalised Gram matrix of the
// records outside fold k.
func (s *smoother) factor(k int, st strength) []float64 {
	if g, ok := s.known[key{k, st}]; ok {
		return g
	}
	b, p, n := s.basis, s.basis.size(), 0.0
	g := append([]float64(nil), s.total...)
	for l := range s.folds {
		if l != k {
			n += s.size[l]
		}
	}
	if k != none {
		for i, v := range s.gram[k] {
			g[i] -= v
		}
	}
	for c := range p {
		g[c*p+c] += float64(slight*max(n, 1)) + s.shrink
	}
	for c := p - len(b.ties); c < p; c++ {
		g[c*p+c] += pseudo
	}
	if b.knots > 0 {
		s.rough(g, 0, st.even*n/float64(b.knots))
		s.rough(g, b.knots-1, st.by*n/float64(b.knots))
	}
	cholesky(g, p)
	s.known[key{k, st}] = g
	return g
}

// rough adds the penalty on one kind of knots. The second kind begins where the
// first ends, since its own first height is 0.
func (s *smoother) rough(g []float64, first int, strength float64) {
	p, own := s.basis.size(), first
	if first > 0 {
		own++
	}
	for k := 1; k+1 < s.basis.knots; k++ {
		for i, x := range [3]float64{1, -2, 1} {
			for j, y := range [3]float64{1, -2, 1} {
				if r, c := first+k-1+i, first+k-1+j; r >= own && c >= own {
					g[r*p+c] += float64(strength * x * y)
				}
			}
		}
	}
}

// A sight returns the numbers to regress when fold k is left out; k is none when
// no fold is.
type sight func(k int) []float64

// sums are the right sides of the normal equations without fold k, whose numbers are those seen.
func (s *smoother) sums(seen []float64, k int) []float64 {
	c := make([]float64, s.basis.size())
	for i, f := range s.fold {
		if f == k {
			continue
		}
		which, value := s.terms.of(i)
		for j, at := range which {
			c[at] += float64(value[j] * seen[i])
		}
	}
	return c
}

// strength is a choice of both penalties.
type strength struct{ even, by float64 }

func (s *smoother) strengths() []strength {
	if s.basis.knots == 0 {
		return []strength{{}}
	}
	var out []strength
	for _, e := range penalties {
		for _, b := range penalties {
			out = append(out, strength{e, b})
		}
	}
	return out
}

// crossfit fits numbers without each fold, with the penalties whose predictions of
// the folds left out have the least squared error. It returns coefficients by fold,
// and the penalties.
func (s *smoother) crossfit(y sight) (coefs [][]float64, chosen strength) {
	right, seen := make([][]float64, s.folds), make([][]float64, s.folds)
	for k := range s.folds {
		seen[k] = y(k)
		right[k] = s.sums(seen[k], k)
	}
	least := math.Inf(1)
	for _, st := range s.strengths() {
		trial, loss := make([][]float64, s.folds), 0.0
		for k := range s.folds {
			trial[k] = slices.Clone(right[k])
			solve(s.factor(k, st), trial[k])
			for _, i := range s.in[k] {
				d := seen[k][i] - s.terms.height(trial[k], int(i))
				loss += float64(d * d)
			}
		}
		if loss < least {
			least, chosen, coefs = loss, st, trial
		}
	}
	return coefs, chosen
}

// whole fits one number to all records.
func (s *smoother) whole(y sight, st strength) []float64 {
	c := s.sums(y(none), none)
	solve(s.factor(none, st), c)
	return c
}
