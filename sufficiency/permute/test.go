package permute

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"golang.org/x/sync/errgroup"

	"infnet/metrics/infer"
)

// Options say how many permutations are drawn.
type Options struct {
	Count   int     // most permutations, ≥ 1; 0 = 199
	Alpha   float64 // level of the test, in (0,1); 0 = 0.05
	Level   float64 // of the p-value's interval; 0 = 0.95
	Threads int     // statistics computed in parallel; 0 = 1; results do not depend on it
}

// WithDefaults fills in what is zero and refuses what is out of range.
func (o Options) WithDefaults() (Options, error) {
	if o.Count == 0 {
		o.Count = 199
	}
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if o.Level == 0 {
		o.Level = 0.95
	}
	if o.Threads == 0 {
		o.Threads = 1
	}
	if o.Count < 1 || !(o.Alpha > 0 && o.Alpha < 1) || !(o.Level > 0 && o.Level < 1) || o.Threads < 1 {
		return o, fmt.Errorf("permute: %d permutations, α %g, level %g, threads %d; must be ≥ 1, in (0,1), in (0,1), ≥ 1",
			o.Count, o.Alpha, o.Level, o.Threads)
	}
	return o, nil
}

// Smallest returns the smallest p-value that count permutations can give,
// 1/(count+1).
func Smallest(count int) float64 { return 1 / float64(count+1) }

// Needed returns how many permutations a test takes to ever reject at level
// alpha; 0 = count of them suffice.
func Needed(count int, alpha float64) int {
	if Smallest(count) <= alpha*(1+1e-12) {
		return 0
	}
	return int(math.Ceil(1/alpha - 1 - 1e-9))
}

// Result is a permutation test.
type Result struct {
	Observed   float64   `json:"observed"`   // the statistic on the data
	Statistics []float64 `json:"statistics"` // on the permutations, in order
	Reached    int       `json:"reached"`    // how many are ≥ Observed
	P          float64   `json:"p"`          // (1 + Reached)/(Count + 1)
	// Chance is the exact interval for the p-value in the limit of infinitely
	// many permutations; its Value is P.
	Chance   infer.Interval `json:"chance"`
	Smallest float64        `json:"smallest"` // the least P could have been
}

// Test computes the statistics of permutations 0, 1, … statistic(ctx, p) must
// depend on p alone; one that is NaN is an error. done, if not nil, is called with
// the number of statistics known, from one goroutine at a time.
func Test(ctx context.Context, observed float64, statistic func(ctx context.Context, p int) (float64, error),
	o Options, done func(known int)) (Result, error) {
	o, err := o.WithDefaults()
	if err != nil {
		return Result{}, err
	}
	r := Result{Observed: observed, Statistics: make([]float64, o.Count), Smallest: Smallest(o.Count)}
	var mu sync.Mutex
	known := 0
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(o.Threads)
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
		return Result{}, err
	}
	r.P = float64(r.Reached+1) / float64(o.Count+1)
	r.Chance, err = infer.ClopperPearson(r.Reached, o.Count, o.Level)
	r.Chance.Value, r.Chance.N = r.P, o.Count
	// (1+g)/(T+1) can lie outside an interval for g/T by its added one.
	r.Chance.Low, r.Chance.High = min(r.Chance.Low, r.P), max(r.Chance.High, r.P)
	return r, err
}
