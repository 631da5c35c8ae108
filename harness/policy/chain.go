package policy

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// ChainRecords are what three models in series did: the second is asked where
// the first is not sure enough, the third where the second is not. One entry
// per record in every column, all models' answers known.
type ChainRecords struct {
	Beta [2][]float64 // confidences of the first two models ∈ [0,1]
	Err  [3][]float64 // errors of the three ∈ [0,1]; the third nil = never errs (the oracle setting)
	Cost [3]float64   // mean cost of one answer of each, any unit, ≥ 0
}

// Len returns the number of records.
func (r ChainRecords) Len() int { return len(r.Beta[0]) }

// Pair returns the records of the cascade of two of the models, student and
// master by position, so that FitSingle says what the third one is worth.
func (r ChainRecords) Pair(student, master int) (Records, error) {
	if student < 0 || student >= master || master > 2 {
		return Records{}, fmt.Errorf("a pair of models %d and %d: want 0 ≤ student < master ≤ 2", student, master)
	}
	return Records{Beta: r.Beta[student], Student: r.Err[student], Master: r.Err[master]}, nil
}

// FitPair fits the pair of models student and master exactly, at the budget of
// the whole chain: what the chain has to beat. Costs play no part, a pair
// defers as few records as it can. Against the chain's own reference the second
// model of a pair may err in the oracle setting too.
func (r ChainRecords) FitPair(student, master int, b Budget) (Policy, error) {
	if err := r.Validate(); err != nil {
		return Policy{}, err
	}
	pair, err := r.Pair(student, master)
	if err != nil {
		return Policy{}, err
	}
	return pair.within(b)
}

// within fits the fewest deferrals at a given budget, exactly. Records without
// master's errors have a master that never errs.
func (r Records) within(b Budget) (Policy, error) {
	if b.N != r.Len() || b.Errors.Scale < 1 || b.Errors.Units < 0 {
		return Policy{}, fmt.Errorf("a budget of %s for %d records", b, r.Len())
	}
	if r.Master == nil {
		r.Master = make([]float64, r.Len())
	}
	return FitSingle(r, Options{Target: b.target()})
}

// target is the number that allows exactly these errors of these records.
func (b Budget) target() Target {
	whole := new(big.Int).Mul(big.NewInt(int64(b.N)), big.NewInt(b.Errors.Scale))
	rate := new(big.Rat).SetFrac(big.NewInt(b.Errors.Units), whole)
	if one := big.NewRat(1, 1); rate.Cmp(one) > 0 {
		rate = one
	}
	xi := rate.Sub(big.NewRat(1, 1), rate)
	return Target{xi: xi, source: xi.RatString()}
}

// Validate reports the first thing wrong with the columns.
func (r ChainRecords) Validate() error {
	names := [2]string{"first", "second"}
	for m := range r.Beta {
		pair := Records{Beta: r.Beta[m], Student: r.Err[m], Master: r.Err[2]}
		if err := pair.Validate(); err != nil {
			return fmt.Errorf("the %s model of three: %w", names[m], err)
		}
	}
	if len(r.Beta[1]) != r.Len() {
		return fmt.Errorf("%d confidences of the second model for %d of the first", len(r.Beta[1]), r.Len())
	}
	for m, c := range r.Cost {
		if !(c >= 0) || math.IsInf(c, 1) {
			return fmt.Errorf("cost %v of model %d: want a finite number ≥ 0", c, m+1)
		}
	}
	return nil
}

// ChainPolicy is a fitted rule for three models: the first model's answer
// stands iff its β is at least Thresholds[0], else the second's iff its β is at
// least Thresholds[1], else the third's.
type ChainPolicy struct {
	Thresholds  Thresholds  `json:"thresholds"` // two
	Setting     Setting     `json:"setting"`
	Feasible    bool        `json:"feasible"`
	Budget      Budget      `json:"budget"`
	FitError    Count       `json:"fit_error"`
	Asked       [3]int      `json:"asked"` // records each model answers; the first answers all
	Cost        float64     `json:"cost"`  // mean cost of a query: c₁ + c₂·asked₂/N + c₃·asked₃/N
	N           int         `json:"n"`
	MinError    Count       `json:"min_error"`
	ModelErrors [3]Count    `json:"model_errors"` // of each model alone
	Certificate Certificate `json:"certificate"`  // in millionths of the dearer of the two later models' costs
	Warnings    []Warning   `json:"warnings,omitempty"`
}

// Stage returns the position of the model whose answer stands, 0 to 2.
func (p ChainPolicy) Stage(beta1, beta2 float64) int {
	switch {
	case beta1 >= p.Thresholds[0]:
		return 0
	case beta2 >= p.Thresholds[1]:
		return 1
	}
	return 2
}

// Stages applies the policy to records.
func (p ChainPolicy) Stages(r ChainRecords) []int {
	out := make([]int, r.Len())
	for i := range out {
		out[i] = p.Stage(r.Beta[0][i], r.Beta[1][i])
	}
	return out
}

// FitChain fits the two thresholds of three models in series, exactly: the
// least of
//
//	c₁ + c₂·Pr[β₁<θ₁] + c₃·Pr[β₁<θ₁, β₂<θ₂]
//
// with at most the budget's errors. Thresholds are 0, a distinct confidence of
// that model but its least, or +Inf. Costs are compared in whole millionths of
// the dearer later model's, at least one each. Ties: fewest errors, then the
// smallest θ₁, then the smallest θ₂; an infeasible budget takes the fewest
// errors. Targets: "student" is the first model's error, "master" the third's,
// "best" the least of the three. The objective of the options is not used: it
// is always this cost.
//
// For a given θ₁ cost grows with θ₂, so the smallest θ₂ within the budget is
// best. Sweeping θ₁ upwards, newly deferred records enter a segment tree over
// the second model's confidences, which finds that θ₂ by the least prefix sums
// of e³ − e²: O(N log N).
func FitChain(r ChainRecords, o Options) (ChainPolicy, error) {
	o = o.withDefaults()
	if err := r.Validate(); err != nil {
		return ChainPolicy{}, err
	}
	if o.Method != Exact {
		return ChainPolicy{}, fmt.Errorf("method %q for three models in series: they are fitted by %q", o.Method, Exact)
	}
	if err := o.check(Records{Beta: r.Beta[0], Student: r.Err[0], Master: r.Err[2], MasterCost: []float64{}}); err != nil {
		return ChainPolicy{}, err
	}
	s := newChainSweep(r, o)
	p := ChainPolicy{Setting: o.Setting, N: r.Len(), Certificate: Certificate{Method: Exact}}
	for m := range p.ModelErrors {
		p.ModelErrors[m] = Count{s.total[m], s.scale}
	}
	c := columns{n: r.Len(), scale: s.scale, sumStudent: s.total[0], sumMaster: s.total[2]}
	p.Budget = c.budget(o.Target, -1) // "min" is what is found
	if o.Target.Equal(Best) {
		p.Budget.Errors.Units = min(s.total[0], s.total[1], s.total[2])
	}
	found := s.run(p.Budget.Errors.Units)
	best := found.best
	p.MinError, p.Feasible = Count{found.least, s.scale}, best.value < math.MaxInt64
	if !p.Feasible {
		best = s.run(found.least).best
		if p.Feasible = o.Target.Equal(Min); p.Feasible {
			p.Budget.Errors = p.MinError
		} else {
			p.Warnings = append(p.Warnings, Warning{Infeasible, -1, fmt.Sprintf("no thresholds make at most %s: the least is %s, and its thresholds were taken", p.Budget, p.MinError)})
		}
	}
	p.Thresholds = Thresholds{best.theta1, best.theta2}
	p.FitError = Count{best.e, s.scale}
	p.Asked = [3]int{r.Len(), best.second, best.third}
	n := float64(r.Len())
	p.Cost = r.Cost[0] + float64(r.Cost[1]*float64(best.second))/n + float64(r.Cost[2]*float64(best.third))/n
	p.Certificate.Value, p.Certificate.LowerBound, p.Certificate.Optimal = best.value, best.value, true
	return p, nil
}

// chainSweep is the sweep over θ₁.
type chainSweep struct {
	scale  int64
	err    [3][]int64 // in units
	total  [3]int64
	weight [2]int64  // of asking the second and the third model
	order  []int     // records by β₁
	beta1  []float64 // of the records, in their own order
	levels []float64 // distinct β₂, ascending
	rank   []int     // of each record's β₂ among them
}

// chainOption is a pair of thresholds and what it comes to.
type chainOption struct {
	value, e       int64
	second, third  int
	theta1, theta2 float64
}

func newChainSweep(r ChainRecords, o Options) *chainSweep {
	s := &chainSweep{scale: 1, beta1: r.Beta[0]}
	if o.Setting == Oracle || r.Err[2] == nil {
		r.Err[2] = make([]float64, r.Len())
	}
	for m := range r.Err {
		s.scale = max(s.scale, Scale(r.Err[m]))
	}
	for m, col := range r.Err {
		s.err[m] = make([]int64, len(col))
		for i, v := range col {
			s.err[m][i] = Units(v, s.scale)
			s.total[m] += s.err[m][i]
		}
	}
	top := max(r.Cost[1], r.Cost[2])
	for m := range s.weight {
		s.weight[m] = 1
		if top > 0 {
			s.weight[m] = max(1, int64(math.RoundToEven(r.Cost[m+1]/top*CostScale)))
		}
	}
	s.order, s.rank = make([]int, r.Len()), make([]int, r.Len())
	for i := range s.order {
		s.order[i] = i
	}
	byBeta := func(beta []float64) {
		slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(beta[a], beta[b]) })
	}
	byBeta(r.Beta[1])
	for _, i := range s.order {
		if b := r.Beta[1][i]; len(s.levels) == 0 || s.levels[len(s.levels)-1] != b {
			s.levels = append(s.levels, b)
		}
		s.rank[i] = len(s.levels) - 1
	}
	byBeta(r.Beta[0])
	return s
}

// swept is the best option within a budget, if there is one, and the least
// error of all options.
type swept struct {
	best  chainOption
	least int64
}

func (s *chainSweep) run(budget int64) swept {
	gains, counts := newPrefixes(len(s.levels)), newPrefixes(len(s.levels))
	out := swept{best: chainOption{value: math.MaxInt64}, least: math.MaxInt64}
	base := s.total[0] // errors where θ₂ = 0
	for i := 0; ; {
		at := chainOption{second: i, e: base}
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
		at.value = s.weight[0]*int64(at.second) + s.weight[1]*int64(at.third)
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
