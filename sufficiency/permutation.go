package sufficiency

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"infnet/harness/seed"
	"infnet/metrics/infer"
	"infnet/sufficiency/gbdt"
)

// SmallestP returns the smallest p-value that count permutations can give,
// 1/(count+1).
func SmallestP(count int) float64 { return 1 / float64(count+1) }

// Needed returns how many permutations a test takes to ever reject at level
// alpha; 0 = count of them suffice.
func Needed(count int, alpha float64) int {
	if SmallestP(count) <= alpha*(1+1e-12) {
		return 0
	}
	return int(math.Ceil(1/alpha - 1 - 1e-9))
}

// Permuted is a permutation test.
type Permuted struct {
	Observed   float64   `json:"observed"`   // the statistic on the data
	Statistics []float64 `json:"statistics"` // on the permutations, in order
	Reached    int       `json:"reached"`    // how many are ≥ Observed
	P          float64   `json:"p"`          // (1 + Reached)/(Count + 1)
	// Chance is the exact interval for the p-value in the limit of infinitely
	// many permutations; its Value is P.
	Chance   infer.Interval `json:"chance"`
	Smallest float64        `json:"smallest"` // the least P could have been
}

// permuted computes the statistics of permutations 0, 1, … statistic(ctx, p) must depend on p alone; one that is NaN is
// an error. done, if not nil, is called with the number of statistics known, from one goroutine at a time.
func permuted(ctx context.Context, observed float64, statistic func(ctx context.Context, p int) (float64, error),
	o Options, done func(known int)) (Permuted, error) {
	r := Permuted{Observed: observed, Statistics: make([]float64, o.Permutations), Smallest: SmallestP(o.Permutations)}
	var mu sync.Mutex
	known := 0
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, o.Threads))
	for p := range r.Statistics {
		g.Go(func() error {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			v, err := statistic(ctx, p)
			if err == nil && math.IsNaN(v) {
				err = errors.New("the statistic is not a number")
			}
			if err != nil {
				return fmt.Errorf("permutation %d: %w", p, err)
			}
			mu.Lock()
			defer mu.Unlock()
			r.Statistics[p] = v
			if v >= observed {
				r.Reached++
			}
			if known++; done != nil {
				done(known)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return Permuted{}, err
	}
	r.P = float64(r.Reached+1) / float64(o.Permutations+1)
	var err error
	r.Chance, err = infer.ClopperPearson(r.Reached, o.Permutations, o.Level)
	r.Chance.Value, r.Chance.N = r.P, o.Permutations
	// (1+g)/(T+1) can lie outside an interval for g/T by its added one.
	r.Chance.Low, r.Chance.High = min(r.Chance.Low, r.P), max(r.Chance.High, r.P)
	return r, err
}

// testByPermutation runs the paper's permutation test of a model with squared
// errors full: rows of J move anywhere, or within a class that the null knows.
func (s *nullTests) testByPermutation(ctx context.Context, row *Row, extra *gbdt.Features, full []float64) error {
	var class []int
	if s.null == BetaAndClass {
		class = s.Class
	}
	plan, null := newPlan(s.Beta, class, s.Groups), total(s.errors)
	statistic := func(ctx context.Context, p int) (float64, error) { // T for one permutation of J
		rows := make([]uint32, s.n)
		plan.draw(seed.Stream(s.o.Seed, "sufficiency", s.o.Name, row.Set, s.null.String(), s.o.Method.String(), "",
			strconv.Itoa(p)), rows)
		sum, err := s.fit.sum(ctx, gbdt.Join(s.known, extra.Reordered(rows)), s.delta)
		return (null - sum) / float64(s.n), err
	}
	// The observed T is computed exactly as the permuted ones are, so that an
	// equal model counts as a tie.
	test, err := permuted(ctx, (null-total(full))/float64(s.n), statistic, s.o, s.count.test(row.Set, s.null))
	row.Permutation = &Permutation{Strata: len(plan.strata), Fixed: plan.fixed, Test: test}
	s.count.past += s.o.Permutations
	row.P = test.P
	return err
}
