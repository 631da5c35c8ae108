package policy

import "fmt"

// FitSingle fits one threshold for all records (§3.1 of the paper,
// alg:single_oracle_compact, alg:single_nonoracle_compact): the smallest θ
// within the budget, which is the cheapest, as cost grows with θ while the
// error need not fall. Only 0, the distinct confidences but the least, and
// +Inf need looking at; a tie group is accepted or deferred as one.
//
// The sort is by digits, so the time is O(N), as alg:single_oracle_linear_compact
// asks. The certificate always proves it optimal, except for the two Lagrangian
// methods, whose threshold must lie on the convex hull.
func FitSingle(r Records, o Options) (Policy, error) {
	c, err := newColumns(r, o)
	if err != nil {
		return Policy{}, err
	}
	return c.fit(c.o, c.menus(true)), nil
}

// FitMulti fits one threshold per predicted class (§3.2 of the paper): one
// option per class, fewest deferrals with all errors together within the
// budget, a multiple-choice knapsack. Among optimal solutions it takes the one
// with the fewest errors, then the lexicographically smallest thresholds. A
// class the student never predicts on these records gets θ = +Inf and a
// warning: what was never seen is deferred.
//
// Method Exact proves its optimum; Lagrangian and LagrangianGrid state their
// gap to a lower bound in the certificate.
func FitMulti(r Records, o Options) (Policy, error) {
	if o.Method == Linear {
		return Policy{}, fmt.Errorf("method %q fits a single threshold; for one per class use %q", Linear, Exact)
	}
	c, err := newColumns(r, o)
	if err != nil {
		return Policy{}, err
	}
	return c.fit(c.o, c.menus(false)), nil
}

// FitWithin fits one threshold exactly, with the fewest deferrals within a given
// budget. Where the records have no master's errors, the master never errs.
func FitWithin(r Records, b Budget) (Policy, error) {
	if b.N != r.Len() || b.Errors.Scale < 1 || b.Errors.Units < 0 {
		return Policy{}, fmt.Errorf("a budget of %s for %d records", b, r.Len())
	}
	if r.Master == nil {
		r.Master = make([]float64, r.Len())
	}
	return FitSingle(r, Options{Target: b.AsTarget()})
}

// fit chooses an option from every menu.
func (c *columns) fit(o Options, ms []menu) Policy {
	p := c.start(o, ms)
	choice := make([]int, len(ms))
	lower := int64(-1)
	switch {
	case !p.Feasible:
		for k, m := range ms {
			choice[k] = len(m) - 1
		}
	case len(ms) == 1 && (o.Method == Exact || o.Method == Linear):
		for ms[0][choice[0]].e > p.Budget.Errors.Units {
			choice[0]++
		}
	case o.Method == Exact:
		s := exact(ms, p.Budget.Errors.Units, o.WorkLimit)
		choice, lower = s.choice, s.lower
		if !s.proven {
			p.warn(SearchStopped, -1, "the exact search met its work limit; the thresholds are within the gap of its "+
				"certificate")
		}
	case o.Method == Lagrangian:
		s := relax(ms, p.Budget.Errors.Units)
		choice, lower = s.choice, s.lower
	case o.Method == LagrangianGrid:
		var hit bool
		if choice, hit = sweep(ms, p.Budget.Errors); !hit {
			p.warn(GridMissed, -1, "no multiplier of the grid meets the budget; the thresholds of least error were taken")
		}
		lower = relax(ms, p.Budget.Errors.Units).lower
	}
	p.take(ms, choice, lower)
	return p
}

// start returns a policy without thresholds.
func (c *columns) start(o Options, ms []menu) Policy {
	least := int64(0)
	for _, m := range ms {
		least += m.least().e
	}
	p := Policy{
		Setting: o.Setting, Objective: o.Objective,
		Budget: c.budget(o.Target, least), N: c.n,
		MinError: Count{least, c.scale}, StudentError: Count{c.sumStudent, c.scale}, MasterError: Count{c.sumMaster, c.scale},
		Certificate: Certificate{Method: o.Method},
	}
	p.Feasible = least <= p.Budget.Errors.Units
	if !p.Feasible {
		p.warn(Infeasible, -1, fmt.Sprintf("no thresholds make at most %s: the least is %s, and its thresholds were taken",
			p.Budget, p.MinError))
	}
	for k, m := range ms {
		if len(ms) > 1 && len(m) == 1 && m[0].deferred == 0 && m[0].theta > 1 {
			p.warn(NeverPredicted, k, fmt.Sprintf("the student never predicts class %d on the fit part; answers of that "+
				"class are deferred", k))
		}
	}
	return p
}

// take sets the thresholds and the fields that depend on them. lower < 0 means that
// the choice is known to be optimal.
func (p *Policy) take(ms []menu, choice []int, lower int64) {
	p.Thresholds = thresholds(ms, choice)
	p.FitError = Count{0, p.Budget.Errors.Scale}
	for k, m := range ms {
		o := m[choice[k]]
		p.FitError.Units += o.e
		p.FitDeferred += int(o.deferred)
		p.Certificate.Value += o.d
	}
	if lower < 0 {
		lower = p.Certificate.Value
	}
	p.Certificate.LowerBound, p.Certificate.Gap = lower, p.Certificate.Value-lower
	p.Certificate.Optimal = p.Certificate.Gap == 0
}

func (p *Policy) warn(kind WarningKind, class int, message string) {
	p.Warnings = append(p.Warnings, Warning{kind, class, message})
}
