// Package chain fits cascades of three or more models in series, and votes of
// models in parallel. It owns their thresholds: exact for three models, a local
// optimum for more, with a lower bound on the cost of any thresholds. It refuses
// to call thresholds optimal without a proof. Its opinion: a chain is worth what
// it saves over the best pair of its models.
package chain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"infnet/harness/calc"
	"infnet/harness/policy"
)

// Descent is the method for more than three models in series: it starts from the
// best chain of three of them and improves one threshold at a time. Fit chooses it
// by the number of models; it is not an option.
const Descent policy.Method = "coordinate-descent"

// Records are the results of a chain's models. Every column has one entry per
// record, and the answers of all models are known.
type Records struct {
	Beta [][]float64 // confidences of all models but the last ∈ [0,1]
	Err  [][]float64 // errors of all ∈ [0,1]; the last nil = never errs (the oracle setting)
	Cost []float64   // mean cost of one answer of each, any unit, ≥ 0
}

func (r Records) Len() int {
	if len(r.Beta) == 0 {
		return 0
	}
	return len(r.Beta[0])
}

// Validate reports the first thing wrong with the columns.
func (r Records) Validate() error {
	n := len(r.Err)
	if n < 3 || len(r.Beta) != n-1 || len(r.Cost) != n {
		return fmt.Errorf("%d models with %d confidences and %d costs: want three models or more, a confidence of all but "+
			"the last and a cost of each", n, len(r.Beta), len(r.Cost))
	}
	for m, c := range r.Cost {
		if !(c >= 0) || math.IsInf(c, 1) {
			return fmt.Errorf("cost %v of model %d: want a finite number ≥ 0", c, m+1)
		}
	}
	for m, beta := range r.Beta {
		if len(beta) != r.Len() {
			return fmt.Errorf("%d confidences of model %d for %d of the first", len(beta), m+1, r.Len())
		}
		if err := (policy.Records{Beta: beta, Student: r.Err[m], Master: r.Err[n-1]}).Validate(); err != nil {
			return fmt.Errorf("model %d of %d: %w", m+1, n, err)
		}
	}
	return nil
}

// FitPair fits the pair of models student and master exactly, at the budget of the
// whole chain: the baseline of the chain. A pair defers as few records as it can;
// costs play no part. Errors are measured against the chain's reference, so the
// pair's second model may err even in the oracle setting.
func (r Records) FitPair(student, master int, b policy.Budget) (Policy, error) {
	if err := r.Validate(); err != nil {
		return Policy{}, err
	}
	if student < 0 || student >= master || master >= len(r.Err) {
		return Policy{}, fmt.Errorf("a pair of models %d and %d: want 0 ≤ student < master ≤ %d", student, master,
			len(r.Err)-1)
	}
	p, err := policy.FitWithin(policy.Records{Beta: r.Beta[student], Student: r.Err[student], Master: r.Err[master]}, b)
	if err != nil {
		return Policy{}, err
	}
	cost := r.Cost[student] + float64(r.Cost[master]*(float64(p.FitDeferred)/float64(p.N)))
	return Policy{Policy: p, Asked: []int{p.N, p.FitDeferred}, Cost: cost}, nil
}

// three returns the chain that stops only at the three models in at. The other
// models are asked and paid, but their answers are never accepted. theta holds the
// thresholds that do so; those of the three are left open.
func (r Records) three(at [3]int) (Records, policy.Thresholds) {
	c := Records{Beta: make([][]float64, 2), Err: make([][]float64, 3), Cost: make([]float64, 3)}
	theta := make(policy.Thresholds, len(r.Beta))
	from := 0
	for k, m := range at {
		c.Err[k] = r.Err[m]
		if k < 2 {
			c.Beta[k] = r.Beta[m]
		}
		for ; from <= m; from++ {
			c.Cost[k] += r.Cost[from]
			if from < m {
				theta[from] = math.Inf(1)
			}
		}
	}
	return c, theta
}

// Policy is a fitted rule for models in series: it accepts the answer of the first
// model whose β is at least its threshold, or else the last model's. It has a
// threshold for every model but the last, what is deferred reaches the last, and
// the certificate is in millionths of the most expensive later model's cost. The
// least error is exact for three models; for more it is the least that was found.
type Policy struct {
	policy.Policy
	Asked []int   // records each model answers; the first answers all
	Cost  float64 // mean cost of a query
	Bound float64 // no thresholds within the budget cost less, to a millionth of the most expensive later model's cost
}

// Stages returns, for each record, the model whose answer the thresholds accept.
func (r Records) Stages(thresholds policy.Thresholds) []int {
	out := make([]int, r.Len())
	for i := range out {
		for m, theta := range thresholds {
			if r.Beta[m][i] >= theta {
				break
			}
			out[i]++
		}
	}
	return out
}

// Fit fits the thresholds of three or more models in series. It minimises the mean
// cost of a query, where every model asked is paid, with at most the budget's
// errors. Three models are fitted exactly by fitThree.
//
// More are fitted by coordinate descent. It starts from the best chain that stops
// at only three of the models, each such chain fitted exactly. Then it moves one
// threshold at a time to its best value given the others, found in one pass over
// the sorted records, until none moves. A budget that is missed is approached
// first. The result is a local optimum: O(N·n) per round of n models, after n
// sorts and n³/6 exact fits.
//
// The certificate's lower bound comes from a relaxation: the first two models keep
// thresholds, and every record that passes them chooses its best model freely. For
// a multiplier λ of the errors, the minimum of cost + λ·(errors − B) is found
// exactly in O(N log N), as in fitThree; the best of 40 multipliers is kept. Any λ
// bounds all thresholds within the budget (weak duality), so the gap is valid,
// though often wide.
//
// Targets are as for fitThree; "best" is the least of all models' errors.
func Fit(r Records, o policy.Options) (Policy, error) {
	if err := r.Validate(); err != nil {
		return Policy{}, err
	}
	if len(r.Err) == 3 {
		return fitThree(r, o)
	}
	last := len(r.Err) - 1
	o, err := resolve(o, r.Beta[0], r.Err[0], r.Err[last])
	if err != nil {
		return Policy{}, err
	}
	d := newDescent(r, o)
	p := Policy{Policy: policy.Policy{Setting: o.Setting, Objective: policy.Deferrals, N: r.Len(),
		Budget: d.budget(o.Target)}}
	p.Budget.Errors.Units = max(p.Budget.Errors.Units, 0)
	best := d.search(p.Budget.Errors.Units, o)
	if o.Target.Equal(policy.Min) {
		p.Budget.Errors.Units = best.e
		best = d.improve(best, best.e)
	}
	p.MinError = policy.Count{Units: min(d.search(0, o).e, best.e), Scale: d.scale}
	d.fill(&p, r, best)
	return p, nil
}

// resolve fills in options and checks them against the first model and the last.
func resolve(o policy.Options, beta, first, last []float64) (policy.Options, error) {
	if o.Method != "" && o.Method != policy.Exact {
		return o, fmt.Errorf("method %q for three models in series: they are fitted by %q", o.Method, policy.Exact)
	}
	return o.Resolve(policy.Records{Beta: beta, Student: first, Master: last, MasterCost: []float64{}})
}

// counted holds errors and costs in whole units.
type counted struct {
	scale  int64     // units per error
	err    [][]int64 // of each model
	total  []int64   // of each model alone
	weight []int64   // cost of asking each model; the first's, which every query pays, is left out
	top    float64   // cost that corresponds to a weight of policy.CostScale
}

// completed returns the errors of all models, none of the last in the oracle
// setting.
func completed(errs [][]float64, o policy.Options) [][]float64 {
	errs = slices.Clone(errs)
	last := len(errs) - 1
	if o.Setting == policy.Oracle || errs[last] == nil {
		errs[last] = make([]float64, len(errs[0]))
	}
	return errs
}

func count(errs [][]float64, cost []float64) counted {
	c := counted{scale: policy.Scale(errs...), total: make([]int64, len(errs)), weight: make([]int64, len(errs)),
		top: slices.Max(cost[1:])}
	for m, column := range errs {
		units := make([]int64, len(column))
		for i, v := range column {
			units[i] = policy.Units(v, c.scale)
			c.total[m] += units[i]
		}
		c.err = append(c.err, units)
		if m > 0 {
			c.weight[m] = policy.CostUnits(cost[m], c.top)
		}
	}
	return c
}

// budget converts a target to a number of errors. For "min" it is −1 until the
// least error has been found.
func (c counted) budget(t policy.Target) policy.Budget {
	n := len(c.err[0])
	b := policy.Budget{Target: t, Errors: policy.Count{Units: -1, Scale: c.scale}, N: n}
	switch {
	case t.Equal(policy.Master):
		b.Errors.Units = c.total[len(c.total)-1]
	case t.Equal(policy.Student):
		b.Errors.Units = c.total[0]
	case t.Equal(policy.Best):
		b.Errors.Units = slices.Min(c.total)
	case !t.Equal(policy.Min):
		return policy.NumericBudget(t, n, c.scale)
	}
	return b
}

// descent is the search over thresholds of more than three models.
type descent struct {
	counted
	r     Records
	order [][]int // records by confidence, for all models but the last
}

// setting is a choice of thresholds with its cost and errors.
type setting struct {
	theta    policy.Thresholds
	value, e int64
}

func newDescent(r Records, o policy.Options) *descent {
	r.Err = completed(r.Err, o)
	d := &descent{counted: count(r.Err, r.Cost), r: r}
	for _, beta := range r.Beta {
		d.order = append(d.order, calc.Ascending(beta))
	}
	return d
}

func (d *descent) search(budget int64, o policy.Options) setting {
	var best setting
	n := len(d.r.Err)
	b := policy.Budget{Errors: policy.Count{Units: budget, Scale: d.scale}, N: d.r.Len()}
	for i := range n {
		for j := i + 1; j < n; j++ {
			for k := j + 1; k < n; k++ {
				c, theta := d.r.three([3]int{i, j, k})
				p, err := fitThree(c, policy.Options{Target: b.AsTarget()})
				if err != nil {
					panic("chain: a checked series is refused: " + err.Error())
				}
				theta[i], theta[j] = p.Thresholds[0], p.Thresholds[1]
				if x := d.outcome(theta); best.theta == nil || x.before(best, budget) {
					best = x
				}
			}
		}
	}
	return d.improve(best, budget)
}

// before orders settings by errors over the budget, then cost, then errors.
func (x setting) before(y setting, budget int64) bool {
	return cmp.Or(cmp.Compare(max(0, x.e-budget), max(0, y.e-budget)), cmp.Compare(x.value, y.value),
		cmp.Compare(x.e, y.e)) < 0
}

func (d *descent) outcome(theta policy.Thresholds) setting {
	x := setting{theta: theta}
	for i := range d.r.Len() {
		v, e := d.from(i, 0, theta)
		x.value, x.e = x.value+v, x.e+e
	}
	return x
}

// from returns the cost and error of record i once it has reached model m.
func (d *descent) from(i, m int, theta policy.Thresholds) (value, e int64) {
	for ; m < len(theta) && !(d.r.Beta[m][i] >= theta[m]); m++ {
		value += d.weight[m+1]
	}
	return value, d.err[m][i]
}

func (d *descent) improve(x setting, budget int64) setting {
	for moved := true; moved; {
		moved = false
		for m := range x.theta {
			if y := d.move(x, m, budget); y.before(x, budget) {
				x, moved = y, true
			}
		}
	}
	return x
}

// move returns the setting with the best value of one threshold, given the others.
func (d *descent) move(x setting, m int, budget int64) setting {
	theta := slices.Clone(x.theta)
	theta[m] = 0
	at := d.outcome(theta)
	best := setting{theta, at.value, at.e}
	beta := d.r.Beta[m]
	reached := slices.DeleteFunc(slices.Clone(d.order[m]), func(i int) bool {
		for k := range m {
			if d.r.Beta[k][i] >= x.theta[k] {
				return true
			}
		}
		return false
	})
	for k := 0; k < len(reached); {
		for b := beta[reached[k]]; k < len(reached) && beta[reached[k]] == b; k++ {
			i := reached[k]
			v, e := d.from(i, m+1, x.theta)
			at.value += d.weight[m+1] + v
			at.e += e - d.err[m][i]
		}
		if at.before(best, budget) {
			best = setting{slices.Clone(theta), at.value, at.e}
			best.theta[m] = math.Inf(1)
			if k < len(reached) {
				best.theta[m] = beta[reached[k]]
			}
		}
	}
	return best
}

// fill writes the result and its certificate into p.
func (d *descent) fill(p *Policy, r Records, x setting) {
	p.Thresholds, p.FitError = x.theta, policy.Count{Units: x.e, Scale: d.scale}
	p.Feasible = x.e <= p.Budget.Errors.Units
	p.Asked = make([]int, len(r.Err))
	for _, stage := range r.Stages(p.Thresholds) {
		for m := range stage + 1 {
			p.Asked[m]++
		}
	}
	p.FitDeferred = p.Asked[len(p.Asked)-1]
	for m, asked := range p.Asked {
		p.Cost += float64(r.Cost[m]*float64(asked)) / float64(p.N)
	}
	c := policy.Certificate{Method: Descent, Value: x.value}
	if p.Feasible {
		c.LowerBound = min(x.value, d.lower(p.Budget.Errors.Units))
	} else {
		p.Warnings = append(p.Warnings, policy.Warning{Kind: policy.Infeasible, Class: -1, Message: fmt.Sprintf(
			"no thresholds were found that make at most %s: the least found is %s, and its thresholds were taken", p.Budget,
			p.FitError)})
	}
	c.Gap = c.Value - c.LowerBound
	c.Optimal = p.Feasible && c.Gap == 0
	p.Certificate = c
	p.Bound = p.Cost - float64(d.top*float64(c.Gap))/(policy.CostScale*float64(p.N))
}
