// Package chain fits cascades of three models in series, and votes of models in
// parallel. It owns their thresholds, which are exact. It refuses series of more
// models, whose thresholds nothing here proves. Its opinion: a chain is worth what
// it saves over the best pair of its models.
package chain

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/policy"
)

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
	if n != 3 || len(r.Beta) != n-1 || len(r.Cost) != n {
		return fmt.Errorf("%d models with %d confidences and %d costs: want three models, a confidence of all but the last "+
			"and a cost of each", n, len(r.Beta), len(r.Cost))
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

// Policy is a fitted rule for models in series: it accepts the answer of the first
// model whose β is at least its threshold, or else the last model's. It has a
// threshold for every model but the last, what is deferred reaches the last, and
// the certificate is in millionths of the most expensive later model's cost.
type Policy struct {
	policy.Policy
	Asked []int   // records each model answers; the first answers all
	Cost  float64 // mean cost of a query
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
