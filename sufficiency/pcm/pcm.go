// Package pcm tests conditional mean independence, E[Δ | β, J] = E[Δ | β], by
// two covariance measures. The generalised one (R. D. Shah and J. Peters, The
// hardness of conditional independence testing and the generalised covariance
// measure, Annals of Statistics 48, 2020) looks at each column of J, and sees
// effects that rise or bend along one. The projected one (A. R. Lundborg, I. Kim,
// R. D. Shah and R. J. Samworth, The projected covariance measure for
// assumption-lean variable significance testing, Annals of Statistics 52, 2024)
// lets trees look for any form of effect on one half, and tests it on the other.
//
// It owns the regressions on β and class, both statistics, the rules that combine
// them and the random halves, and the check of the regressions. The caller passes
// in the learner that predicts Δ from J, and the random streams: the package
// refuses to make randomness of its own.
//
// Its opinion: the level of such a test depends on the regressions on β. So they
// are flexible both where β piles up and where it is sparse, rare classes borrow
// from each other, and what neighbours in β share is taken out once more. They
// use every record they may, and they are checked: a p-value is invalid if its
// regression failed the check.
package pcm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"infnet/harness/calc"
	"infnet/metrics/infer"
)

// Sample is the data to test: every slice has one entry per record.
type Sample struct {
	Beta   []float64 // finite
	Class  []int     // what the null knows besides β; nil = nothing
	Groups []string  // records of one group are one draw; "" or nil = its own draw
	Delta  []float64 // finite

	J [][]float32 // columns, finite; nil = tested by the projected covariance measure alone
}

// Learn fits y on rows from β, J and class, and writes a prediction for every
// record of the sample into pred. y is 0 outside rows.
type Learn func(y []float64, rows []int32, pred []float64) error

// Options say how to test.
type Options struct {
	Alpha   float64 // level for Covariance.Seen
	Splits  int     // random halves, ≥ 1
	Stream  func(name ...string) *rand.Rand
	Threads int              // splits in parallel, ≥ 1; results do not depend on it
	Done    func(splits int) // called with the number done, from one goroutine at a time; may be nil
}

// DefaultSplits is the number of random halves where none is asked for.
const DefaultSplits = 8

const (
	folds      = 10   // of the regressions on β
	leastUnits = 20   // records or groups needed
	leastShare = 0.1  // of the mean variance of Δ: a floor under every record's variance
	flat       = 1e-9 // of the largest prediction: anything smaller is rounding
)

// TooFewError is the error of Test where there are too few records, or groups
// of records, to halve and divide into folds.
type TooFewError struct{ Units, Least int }

func (e *TooFewError) Error() string {
	return fmt.Sprintf("too few records: %d records or groups of records; at least %d are needed", e.Units, e.Least)
}

// Result is a test.
type Result struct {
	// P is the smaller of Covariance.P·4/3 and Projected·4, at most 1 (Bonferroni
	// with weights), or Projected where there is no covariance to test.
	P          float64    `json:"p"`
	Covariance Covariance `json:"covariance"`
	// Projected combines the splits' p-values; see [Combine].
	Projected float64 `json:"projected"`
	Splits    []Split `json:"splits"`
	Fit       Fit     `json:"fit"` // of the regressions on β and class
}

// Split is the test on one random half, with a direction from the other.
type Split struct {
	T float64 `json:"t"` // standardised covariance, large where J predicts Δ; 0 where the direction is flat
	// one-sided, by Student's t with at most Units − 1 degrees of freedom; 1 where the direction is flat
	P     float64 `json:"p"`
	Units int     `json:"units"` // records, or groups and records alone, in the half tested
}

// Test tests whether J predicts the mean of Δ beyond β and the class. It fails
// with too few records, when learn fails, and when ctx ends.
//
// Differs from Lundborg et al. in that the regression of Δ on β of a record in
// the tested half also learns from the other half: given that half and the
// folds that the record is not in, the direction and the regression are fixed,
// so the products' mean is 0 under the null up to the same product of two
// regressions' errors, one of which is now smaller.
func Test(ctx context.Context, in Sample, learn Learn, o Options) (Result, error) {
	units, count := infer.Units(in.Groups, len(in.Beta))
	if count < leastUnits {
		return Result{}, &TooFewError{Units: count, Least: leastUnits}
	}
	fold := divide(o.Stream("pcm", "folds"), everything(in), units, folds)
	regression := newRegression(in.Beta, in.Class, fold, folds)
	t := &tester{in: in, o: o, units: units, learn: learn, left: make([]float64, len(in.Beta)),
		basis: regression.base.basis}
	for i, m := range regression.crossfit(in.Delta) {
		t.left[i] = in.Delta[i] - m
	}
	out := Result{Splits: make([]Split, o.Splits),
		Fit: check(in, regression.base.basis, t.left, units, count, o.Stream("pcm", "fit"))}
	l := newLocal(regression.base.basis, in.Beta, in.Class)
	covariance, columns, around := t.covariance(regression, l, count)
	out.Covariance = covariance
	out.Fit.judge(l.rough(t.left, units), columns, around)
	if err := t.run(ctx, out.Splits); err != nil {
		return Result{}, err
	}
	p := make([]float64, o.Splits)
	for k, s := range out.Splits {
		p[k] = s.P
	}
	out.Projected = Combine(p)
	out.P = out.Projected
	if out.Covariance.Directions > 0 {
		out.P = min(1, out.Projected/(1-covarianceShare), out.Covariance.P/covarianceShare)
	}
	return out, nil
}

// Spread is the standard deviation of P over further Gaussian multipliers; ok is false where P rests on the random
// halves, which are no draws of one distribution.
func (r *Result) Spread() (sd float64, ok bool) {
	p := r.Covariance.P
	if r.Covariance.Directions == 0 || r.P != min(1, p/covarianceShare) {
		return 0, false
	}
	return math.Sqrt(p*(1-p)/(covarianceDraws+1)) / covarianceShare, true
}

// Combine makes one p-value of those of several random halves, however they
// depend on each other: twice the least median of the first 1, 2, … of them, at
// most 1. Halves are drawn alike, so their p-values are exchangeable, which is
// what allows the least (M. Gasparin, R. Wang and A. Ramdas, Combining
// exchangeable p-values, PNAS 122, 2025; the median alone: B. Rüger, Metrika 25,
// 1978). Of an even number the lower middle one counts.
func Combine(p []float64) float64 {
	if len(p) == 1 {
		return p[0]
	}
	least := 0.5
	for k := range p {
		least = min(least, slices.Sorted(slices.Values(p[:k+1]))[k/2])
	}
	return 2 * least
}

// tester is a test in progress.
type tester struct {
	in    Sample
	o     Options
	units []int
	left  []float64 // Δ less its regression on β, out of fold
	basis *basis
	learn Learn
}

// run does the splits in parallel.
func (t *tester) run(ctx context.Context, splits []Split) error {
	var mu sync.Mutex
	done := 0
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, t.o.Threads))
	for k := range splits {
		g.Go(func() (err error) {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if splits[k], err = t.split(ctx, k); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			if done++; t.o.Done != nil {
				t.o.Done(done)
			}
			return nil
		})
	}
	return g.Wait()
}

// split finds a direction on one random half and tests it on the other.
func (t *tester) split(ctx context.Context, k int) (Split, error) {
	r := t.o.Stream("pcm", "split", strconv.Itoa(k))
	var halves [2][]int
	for i, h := range divide(r, everything(t.in), t.units, 2) {
		halves[h] = append(halves[h], i)
	}
	a, b := halves[0], halves[1]
	f, err := t.direction(r, a, b)
	if err != nil {
		return Split{}, err
	}
	out := Split{P: 1, Units: distinct(t.units, b)}
	if f == nil {
		return out, nil
	}
	fitted := newRegression(pick(t.in.Beta, b), t.classes(b), divide(r, b, t.units, folds), folds).crossfit(f)
	for j := range f {
		f[j] -= fitted[j]
	}
	l := newLocal(t.basis, pick(t.in.Beta, b), t.classes(b))
	f, ok := l.beyond(f)
	if !ok {
		return out, nil
	}
	sums, lifted := make([]float64, len(t.in.Beta)), make([]float64, len(t.in.Beta)) // by unit
	for j, i := range b {
		v := float64(t.left[i] * f[j])
		sums[t.units[i]] += v
		lifted[t.units[i]] += float64(v * l.lift[j])
	}
	out.T, out.P = studentised(sums, lifted, out.Units, effective(pick(t.units, b)))
	return out, nil
}

// direction fits the alternative on half a and evaluates it on half b: the
// predictions less their projection on β, divided by the variance of Δ. It is
// nil where the predictions are flat.
func (t *tester) direction(r *rand.Rand, a, b []int) ([]float64, error) {
	delta := pick(t.in.Delta, a)
	reg := newRegression(pick(t.in.Beta, a), t.classes(a), divide(r, a, t.units, folds), folds)
	y, pred := make([]float64, len(t.in.Beta)), make([]float64, len(t.in.Beta))
	rows, square, mean := make([]int32, len(a)), make([]float64, len(a)), 0.0
	for j, m := range reg.crossfit(delta) {
		i := a[j]
		rows[j], y[i] = int32(i), delta[j]-m
		square[j] = float64(y[i] * y[i])
		mean += square[j] / float64(len(a))
	}
	if err := t.learn(y, rows, pred); err != nil {
		return nil, err
	}
	level, highest := 0.0, 0.0
	for _, i := range a {
		level += pred[i] / float64(len(a))
	}
	for i := range pred { // so that a constant becomes exactly 0
		highest = max(highest, math.Abs(pred[i]))
		pred[i] -= level
	}
	projection, variance := reg.whole(pick(pred, a)), reg.whole(square)
	f, most := make([]float64, len(b)), 0.0
	for j, i := range b {
		class := 0
		if t.in.Class != nil {
			class = t.in.Class[i]
		}
		f[j] = pred[i] - projection.at(t.in.Beta[i], class)
		most = max(most, math.Abs(f[j]))
		if v := max(variance.at(t.in.Beta[i], class), leastShare*mean); v > 0 {
			f[j] /= v
		}
	}
	if most <= flat*highest {
		return nil, nil
	}
	return f, nil
}

func (t *tester) classes(at []int) []int {
	if t.in.Class == nil {
		return nil
	}
	return pick(t.in.Class, at)
}

// studentised returns the sum divided by its standard error over units, and the
// one-sided p-value with nu degrees of freedom. Units that are not tested have sum 0 and are not counted.
func studentised(sums, lifted []float64, units int, nu float64) (t, p float64) {
	total, square := 0.0, 0.0
	for u, v := range lifted {
		total += sums[u]
		square += float64(v * v)
	}
	n := float64(units)
	variance := (square - total*total/n) * n / (n - 1)
	if units < 2 || !(variance > 1e-12*square) {
		return 0, 1
	}
	t = total / math.Sqrt(variance)
	return t, calc.StudentAbove(nu, t)
}

// distinct counts the units of some records.
func distinct(units, at []int) int {
	seen, count := make([]bool, slices.Max(units)+1), 0
	for _, i := range at {
		if u := units[i]; !seen[u] {
			seen[u] = true
			count++
		}
	}
	return count
}

// everything numbers the records of a sample.
func everything(in Sample) []int {
	out := make([]int, len(in.Beta))
	for i := range out {
		out[i] = i
	}
	return out
}

// divide splits records into parts of about equal size and keeps units whole: in
// random order, each unit goes to the smallest part so far.
func divide(r *rand.Rand, records, units []int, parts int) []int {
	members, part := make([]int, slices.Max(units)+1), make([]int, slices.Max(units)+1) // by unit
	var order []int
	for _, i := range records {
		if members[units[i]] == 0 {
			order = append(order, units[i])
		}
		members[units[i]]++
	}
	r.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	size, out := make([]int, parts), make([]int, len(records))
	for _, u := range order {
		least := 0
		for k := range size {
			if size[k] < size[least] {
				least = k
			}
		}
		size[least] += members[u]
		part[u] = least
	}
	for j, i := range records {
		out[j] = part[units[i]]
	}
	return out
}
