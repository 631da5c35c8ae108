package chain

import (
	"fmt"
	"math"

	"infnet/harness/calc"
	"infnet/harness/policy"
)

// triple is the Records of three models in series: the second is asked where the
// first is not confident enough, the third where the second is not.
type triple struct {
	Beta [2][]float64
	Err  [3][]float64
	Cost [3]float64
}

// Len returns the number of records.
func (r triple) Len() int { return len(r.Beta[0]) }

// Validate reports the first thing wrong with the columns.
func (r triple) Validate() error {
	names := [2]string{"first", "second"}
	for m := range r.Beta {
		pair := policy.Records{Beta: r.Beta[m], Student: r.Err[m], Master: r.Err[2]}
		if err := pair.Validate(); err != nil {
			return fmt.Errorf("the %s model of three: %w", names[m], err)
		}
	}
	if len(r.Beta[1]) != r.Len() {
		return fmt.Errorf("%d confidences of the second model for %d of the first", len(r.Beta[1]), r.Len())
	}
	return nil
}

// fitThree fits the two thresholds of three models in series, exactly: the
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
func fitThree(r triple, o policy.Options) (Policy, error) {
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
	p.Bound = p.Cost
	p.Certificate.Value, p.Certificate.LowerBound, p.Certificate.Optimal = best.value, best.value, true
	return p, nil
}

// sweep is the sweep over θ₁.
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

func newSweep(r triple, o policy.Options) *sweep {
	s := &sweep{
		counted: count(completed(r.Err[:], o), r.Cost[:]),
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
