package chain

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/calc"
	"infnet/harness/policy"
)

// Fit fits the two thresholds of three models in series, exactly: the
// least of
//
//	c₁ + c₂·Pr[β₁<θ₁] + c₃·Pr[β₁<θ₁, β₂<θ₂]
//
// with at most the budget's errors. Thresholds are 0, a distinct confidence of
// that model but its least, or +Inf. Ties: fewest errors, then the smallest θ₁,
// then the smallest θ₂; an infeasible budget takes the fewest errors.
//
// For a given θ₁ cost grows with θ₂, so the smallest θ₂ within the budget is
// best. Sweeping θ₁ upwards, newly deferred records enter a segment tree over
// the second model's confidences, which finds that θ₂ by the least prefix sums
// of e³ − e²: O(N log N).
func Fit(r Records, o policy.Options) (Policy, error) {
	if err := r.Validate(); err != nil {
		return Policy{}, err
	}
	o, err := resolve(o, r.Beta[0], r.Err[0], r.Err[2])
	if err != nil {
		return Policy{}, err
	}
	s := newSweep(r, o)
	p := Policy{Policy: policy.Policy{Setting: o.Setting, Objective: policy.Deferrals, N: r.Len(),
		Certificate: policy.Certificate{Method: policy.Exact}}}
	p.Budget = s.budget(o.Target)
	found := s.run(p.Budget.Errors.Units)
	best := found.best
	p.MinError, p.Feasible = policy.Count{Units: found.least, Scale: s.scale}, best.value < math.MaxInt64
	if !p.Feasible {
		best = s.run(found.least).best
		if p.Feasible = o.Target.Equal(policy.Min); p.Feasible {
			p.Budget.Errors = p.MinError
		} else {
			p.Warnings = append(p.Warnings, policy.Warning{Kind: policy.Infeasible, Class: -1, Message: fmt.Sprintf(
				"no thresholds make at most %s: the least is %s, and its thresholds were taken", p.Budget, p.MinError)})
		}
	}
	p.Thresholds = policy.Thresholds{best.theta1, best.theta2}
	p.FitError = policy.Count{Units: best.e, Scale: s.scale}
	p.Asked, p.FitDeferred = []int{r.Len(), best.second, best.third}, best.third
	n := float64(r.Len())
	p.Cost = r.Cost[0] + float64(r.Cost[1]*float64(best.second))/n + float64(r.Cost[2]*float64(best.third))/n
	p.Certificate.Value, p.Certificate.LowerBound, p.Certificate.Optimal = best.value, best.value, true
	return p, nil
}

// pathSteps is the number of budgets that a path is fitted to.
const pathSteps = 60

// Path returns the thresholds of least error, then those of budgets that rise in equal
// steps to the first model's errors, each with its least cost.
func Path(r Records, o policy.Options) ([]policy.Thresholds, error) {
	scale := policy.Scale(r.Err...)
	fit := func(errors int64) (Policy, error) { // none possible: the least
		b := policy.Budget{Errors: policy.Count{Units: errors, Scale: scale}, N: r.Len()}
		return Fit(r, policy.Options{Setting: o.Setting, Target: b.AsTarget()})
	}
	p, err := fit(0)
	if err != nil {
		return nil, err
	}
	path := []policy.Thresholds{p.Thresholds}
	least, most := p.FitError.Units, int64(0)
	for _, v := range r.Err[0] {
		most += policy.Units(v, scale)
	}
	for k := int64(1); k <= pathSteps && most > least; k++ {
		if p, err = fit(least + (most-least)*k/pathSteps); err != nil {
			return nil, err
		}
		if !slices.Equal(p.Thresholds, path[len(path)-1]) {
			path = append(path, p.Thresholds)
		}
	}
	return path, nil
}

type sweep struct {
	counted
	order  []int     // records by β₁
	beta1  []float64 // of the records, in their own order
	levels []float64 // distinct β₂, ascending
	rank   []int     // of each record's β₂ among them
}

// option is a pair of thresholds with its cost and errors.
type option struct {
	value, e       int64
	second, third  int
	theta1, theta2 float64
}

func newSweep(r Records, o policy.Options) *sweep {
	s := &sweep{
		counted: count(completed(r.Err, o), r.Cost),
		beta1:   r.Beta[0], order: calc.Ascending(r.Beta[0]), rank: make([]int, r.Len()),
	}
	for _, i := range calc.Ascending(r.Beta[1]) {
		if b := r.Beta[1][i]; len(s.levels) == 0 || s.levels[len(s.levels)-1] != b {
			s.levels = append(s.levels, b)
		}
		s.rank[i] = len(s.levels) - 1
	}
	return s
}

// swept is the best option within a budget, if there is one, and the least
// error of all options.
type swept struct {
	best  option
	least int64
}

func (s *sweep) run(budget int64) swept {
	gains, counts := newPrefixes(len(s.levels)), newPrefixes(len(s.levels))
	out := swept{best: option{value: math.MaxInt64}, least: math.MaxInt64}
	base := s.total[0] // errors where θ₂ = 0
	for i := 0; ; {
		at := option{second: i, e: base}
		switch {
		case i == len(s.order):
			at.theta1 = math.Inf(1)
		case i > 0:
			at.theta1 = s.beta1[s.order[i]]
		}
		out.least = min(out.least, base, base+gains.least())
		if p := gains.leftmost(budget - base); base > budget && p >= 0 {
			at.theta2 = math.Inf(1)
			if p+1 < len(s.levels) {
				at.theta2 = s.levels[p+1]
			}
			at.e += gains.through(p)
			at.third = int(counts.through(p))
		}
		at.value = s.weight[1]*int64(at.second) + s.weight[2]*int64(at.third)
		if at.e <= budget && (at.value < out.best.value || at.value == out.best.value && at.e < out.best.e) {
			out.best = at
		}
		if i == len(s.order) {
			return out
		}
		for b := s.beta1[s.order[i]]; i < len(s.order) && s.beta1[s.order[i]] == b; i++ {
			rec := s.order[i]
			base += s.err[1][rec] - s.err[0][rec]
			gains.add(s.rank[rec], s.err[2][rec]-s.err[1][rec])
			counts.add(s.rank[rec], 1)
		}
	}
}

// prefixes holds values at positions 0 … n−1, zero at first, and finds the
// leftmost position whose prefix sum is at most a bound: a segment tree of sums
// and least prefix sums. Adding and finding are O(log n).
type prefixes struct {
	size int     // a power of two
	sum  []int64 // of the values below a node; node 1 is the root
	low  []int64 // least prefix sum below a node, of one value or more
}

func newPrefixes(n int) *prefixes {
	p := &prefixes{size: 1}
	for p.size < n {
		p.size *= 2
	}
	p.sum, p.low = make([]int64, 2*p.size), make([]int64, 2*p.size)
	return p
}

func (p *prefixes) add(i int, v int64) {
	i += p.size
	p.sum[i] += v
	p.low[i] += v
	for i /= 2; i >= 1; i /= 2 {
		l, r := 2*i, 2*i+1
		p.sum[i] = p.sum[l] + p.sum[r]
		p.low[i] = min(p.low[l], p.sum[l]+p.low[r])
	}
}

// least returns the least prefix sum of one value or more.
func (p *prefixes) least() int64 { return p.low[1] }

// leftmost returns the first position whose prefix sum, itself included, is at
// most bound; −1 if there is none.
func (p *prefixes) leftmost(bound int64) int {
	if p.low[1] > bound {
		return -1
	}
	i := 1
	for i < p.size {
		if i *= 2; p.low[i] > bound {
			bound -= p.sum[i]
			i++
		}
	}
	return i - p.size
}

// through returns the prefix sum up to position i, itself included.
func (p *prefixes) through(i int) int64 {
	i += p.size
	sum := p.sum[i]
	for ; i > 1; i /= 2 {
		if i%2 == 1 {
			sum += p.sum[i-1]
		}
	}
	return sum
}
