package policy

import (
	"fmt"
	"math"
	"slices"
)

// CertifySingle fits one threshold that keeps a promise; CertifyMulti one per
// class. The target of the options is the promise, and their method and
// objective concern the policies compared with only.
func CertifySingle(r Records, h Halves, o Options, g Guarantee) (Guaranteed, error) {
	return certify(r, h, o, g, true)
}

// CertifyMulti is CertifySingle with one threshold per class.
func CertifyMulti(r Records, h Halves, o Options, g Guarantee) (Guaranteed, error) {
	return certify(r, h, o, g, false)
}

func certify(r Records, h Halves, o Options, g Guarantee, single bool) (Guaranteed, error) {
	if err := g.Check(o); err != nil {
		return Guaranteed{}, err
	}
	o, g = o.withDefaults(), g.withDefaults()
	o.Method = Exact
	if err := r.Validate(); err != nil {
		return Guaranteed{}, err
	}
	if err := o.check(r); err != nil {
		return Guaranteed{}, err
	}
	if err := h.check(r.Len(), g.Method == LearnThenTest || !single); err != nil {
		return Guaranteed{}, err
	}
	if o.Setting == Oracle {
		r.Master = nil
	}
	j, err := newJury(r, h, o, g, single)
	if err != nil {
		return Guaranteed{}, err
	}
	out, err := j.judge()
	if err != nil {
		return Guaranteed{}, err
	}
	out.Proposed, out.Tested = j.a.Len(), j.b.Len()
	if j.spans != nil {
		out.Clusters, out.Largest, out.Cut = len(j.spans), j.most, len(h.Test)-j.b.Len()
	}
	return out, out.describe(r.Pick(slices.Concat(h.Propose, h.Test)), o, single)
}

// describe fills in the policies over all records used.
func (g *Guaranteed) describe(all Records, o Options, single bool) error {
	theta := g.Policy.Thresholds
	c, err := newColumns(all, o)
	if err != nil {
		return err
	}
	ms := c.menus(single)
	g.Free = c.fit(o, ms)
	g.Policy = c.start(o, ms)
	g.Policy.allow(g, c)
	g.Policy.Thresholds = theta
	out, err := all.Outcome(g.Policy.Decide(all))
	if err != nil {
		return err
	}
	g.Policy.FitError = Count{out.Error.Units * (c.scale / out.Error.Scale), c.scale}
	g.Policy.FitDeferred = out.Deferred
	for i, deferred := range g.Policy.Decide(all) {
		if deferred {
			g.Policy.Certificate.Value += c.weight(i)
		}
	}
	g.Policy.certify(0)
	if !g.Certified {
		g.Policy.warn(Uncertified, -1, fmt.Sprintf("no thresholds could be certified with %s to test on: nothing is promised about new records", g.Sample()))
	}
	return nil
}

// allow sets the budget to what is promised: the reference's errors on these
// records and the margin.
func (p *Policy) allow(g *Guaranteed, c *columns) {
	switch g.Reference {
	case Student.name:
		p.Budget.Errors.Units = c.sumStudent
	case Master.name:
		p.Budget.Errors.Units = c.sumMaster
	default:
		return
	}
	p.Budget.Errors.Units += int64(g.Level * float64(c.n) * float64(c.scale))
	p.Feasible = p.MinError.Units <= p.Budget.Errors.Units
	if p.Feasible {
		p.Warnings = slices.DeleteFunc(p.Warnings, func(w Warning) bool { return w.Kind == Infeasible })
	}
}

// defersAll returns thresholds that accept nothing.
func defersAll(classes int) Thresholds {
	t := make(Thresholds, classes)
	for k := range t {
		t[k] = math.Inf(1)
	}
	return t
}
