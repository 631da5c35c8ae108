package guarantee

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/policy"
)

// FitSingle fits one threshold that keeps a promise; FitMulti one per
// class. The target of the options is the promise, and their method and
// objective concern the policies compared with only.
func FitSingle(r policy.Records, h Halves, o policy.Options, g Terms) (Result, error) {
	return certify(r, h, o, g, true)
}

// FitMulti is FitSingle with one threshold per class.
func FitMulti(r policy.Records, h Halves, o policy.Options, g Terms) (Result, error) {
	return certify(r, h, o, g, false)
}

func certify(r policy.Records, h Halves, o policy.Options, g Terms, single bool) (Result, error) {
	if err := g.Check(o); err != nil {
		return Result{}, err
	}
	if err := r.Validate(); err != nil {
		return Result{}, err
	}
	o.Method = policy.Exact
	o, err := o.Resolve(r)
	if err != nil {
		return Result{}, err
	}
	j, err := newCertification(r, h, o, g.withDefaults(), single)
	if err != nil {
		return Result{}, err
	}
	out, err := j.run()
	if err != nil {
		return Result{}, err
	}
	return out, out.describe(r.Pick(slices.Concat(h.Propose, h.Test)), o, single)
}

// describe fills in the policies over all records used.
func (g *Result) describe(all policy.Records, o policy.Options, single bool) error {
	fit := policy.FitMulti
	if single {
		fit = policy.FitSingle
	}
	p, err := fit(all, o)
	if err != nil {
		return err
	}
	p.Thresholds = g.Policy.Thresholds
	p.Warnings = slices.DeleteFunc(p.Warnings, func(w policy.Warning) bool {
		return w.Kind == policy.SearchStopped // of the search that found them
	})
	decisions := p.Decide(all)
	out, err := all.Outcome(decisions)
	if err != nil {
		return err
	}
	p.FitError, p.FitDeferred = out.Error, out.Deferred
	value := all.Value(decisions, o.Objective)
	p.Certificate = policy.Certificate{Method: o.Method, Value: value, Gap: value, Optimal: value == 0}
	reference := p.MasterError.Units
	if g.Reference == policy.Student.String() {
		reference = p.StudentError.Units
	}
	g.settle(&p, reference)
	g.Policy = p
	return nil
}

// settle sets the budget to what is promised relative to a model, its errors on these records and the margin, and says
// where nothing is.
func (g Promise) settle(p *policy.Policy, reference int64) {
	if g.Reference != "" {
		p.Budget.Errors.Units = reference + int64(g.Level*float64(p.N)*float64(p.Budget.Errors.Scale))
	}
	if p.Feasible = p.MinError.Units <= p.Budget.Errors.Units; p.Feasible {
		p.Warnings = slices.DeleteFunc(p.Warnings, func(w policy.Warning) bool { return w.Kind == policy.Infeasible })
	}
	if !g.Certified {
		p.Warnings = append(p.Warnings, policy.Warning{Kind: Uncertified, Class: -1, Message: fmt.Sprintf(
			"no thresholds could be certified with %s to test on: nothing is promised about new records", g.Sample())})
	}
}

// defersAll returns thresholds that accept nothing.
func defersAll(classes int) policy.Thresholds {
	t := make(policy.Thresholds, classes)
	for k := range t {
		t[k] = math.Inf(1)
	}
	return t
}
