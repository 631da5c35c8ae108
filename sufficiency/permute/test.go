package permute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"infnet/metrics/infer"
)

// Options say how many permutations are drawn.
type Options struct {
	Count   int     // most permutations, ≥ 1; 0 = 199
	Stop    int     // stop when that many statistics reached the observed one (Besag–Clifford); 0 = never
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
	if o.Count < 1 || o.Stop < 0 || !(o.Alpha > 0 && o.Alpha < 1) || !(o.Level > 0 && o.Level < 1) || o.Threads < 1 {
		return o, fmt.Errorf("permute: %d permutations, stop %d, α %g, level %g, threads %d; must be ≥ 1, ≥ 0, in (0,1), in "+
			"(0,1), ≥ 1", o.Count, o.Stop, o.Alpha, o.Level, o.Threads)
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
	Statistics []float64 `json:"statistics"` // on the permutations counted, in order
	Reached    int       `json:"reached"`    // how many are ≥ Observed
	Stopped    bool      `json:"stopped"`    // by Options.Stop, before the last
	// P is (1 + Reached)/(Count + 1), or, stopped after L permutations, Reached/L
	// (J. Besag and P. Clifford, Sequential Monte Carlo p-values, Biometrika
	// 78, 1991).
	P float64 `json:"p"`
	// Chance is the exact interval for the p-value in the limit of infinitely
	// many permutations; its Value is P.
	Chance   infer.Interval `json:"chance"`
	Smallest float64        `json:"smallest"` // the least P could have been
}

// Test computes the statistics of permutations 0, 1, … until Count or Stop is
// reached. statistic(ctx, p) must depend on p alone. Statistics are
// counted in order of p, whichever is finished first, so the result is the same
// on any number of threads; some beyond the last one counted may be discarded.
// done, if not nil, is called with the number of statistics known, from one
// goroutine at a time. A statistic that is NaN is an error.
func Test(ctx context.Context, observed float64, statistic func(ctx context.Context, p int) (float64, error),
	o Options, done func(known int)) (Result, error) {
	o, err := o.WithDefaults()
	if err != nil {
		return Result{}, err
	}
	if math.IsNaN(observed) {
		return Result{}, errors.New("permute: the observed statistic is not a number")
	}
	w := &watch{o: o, observed: observed, values: make([]float64, o.Count), known: make([]bool, o.Count), done: done}
	w.last.Store(int64(o.Count))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(o.Threads)
	for p := 0; p < int(w.last.Load()) && ctx.Err() == nil; p++ {
		g.Go(func() error {
			if p >= int(w.last.Load()) {
				return nil
			}
			v, err := statistic(ctx, p)
			if err == nil && math.IsNaN(v) {
				err = errors.New("the statistic is not a number")
			}
			if err != nil {
				return fmt.Errorf("permutation %d: %w", p, err)
			}
			w.add(p, v)
			return nil
		})
	}
	err = g.Wait()
	if w.seen < int(w.last.Load()) {
		return Result{}, cmp.Or(err, context.Cause(ctx))
	}
	return w.result()
}

// watch receives statistics in any order and counts them in order of p.
type watch struct {
	o        Options
	observed float64
	done     func(int)
	last     atomic.Int64 // permutations needed

	mu      sync.Mutex
	values  []float64
	known   []bool
	count   int // known
	seen    int // counted
	reached int
	stopped bool
}

func (w *watch) add(p int, v float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.values[p], w.known[p] = v, true
	w.count++
	for !w.stopped && w.seen < len(w.known) && w.known[w.seen] {
		if w.values[w.seen] >= w.observed {
			w.reached++
		}
		w.seen++
		if w.o.Stop > 0 && w.reached >= w.o.Stop {
			w.stopped = true
			w.last.Store(int64(w.seen))
		}
	}
	if w.done != nil {
		w.done(w.count)
	}
}

// result turns counts into a p-value.
func (w *watch) result() (Result, error) {
	r := Result{Observed: w.observed, Statistics: w.values[:w.seen], Reached: w.reached,
		Stopped: w.stopped && w.seen < w.o.Count, Smallest: Smallest(w.o.Count)}
	if w.stopped {
		r.P = float64(w.reached) / float64(w.seen)
	} else {
		r.P = float64(w.reached+1) / float64(w.seen+1)
	}
	chance, err := infer.ClopperPearson(w.reached, w.seen, w.o.Level)
	if err != nil {
		return r, err
	}
	if w.stopped && w.reached < w.seen { // permutations until the h-th: negative binomial
		upper, err := infer.ClopperPearson(w.reached-1, w.seen-1, w.o.Level)
		if err != nil {
			return r, err
		}
		chance.High = upper.High
	}
	chance.Value, chance.N = r.P, w.seen
	// (1+g)/(T+1) can lie outside an interval for g/T by its added one.
	chance.Low, chance.High = min(chance.Low, r.P), max(chance.High, r.P)
	r.Chance = chance
	return r, nil
}
