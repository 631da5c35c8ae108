package analyze

import (
	"context"
	"fmt"
	"math"
	"slices"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/policy/guarantee"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/metrics/infer"
)

// trial is a policy that was fitted on the fit part of some records, to be used on test parts.
type trial struct {
	name, title string
	of          *records.Records // that it was fitted on
	fitted      *Fitted          // nil = it learned
	learned     *learnedPolicy
	budget      policy.Budget // on the fit part, of the richest form of ours where it learned
	scores      [][]float64   // what it learned of the records that it may be used on: their test parts, in this order
}

// trials fits every policy that has something to fit: ours, those with a guarantee, and the baselines that learn. What
// learns scores the test parts of the records on; by default its own.
func trials(ctx context.Context, in Input, r *records.Records, on ...*records.Records) (out []trial, err error) {
	ours, err := fitOurs(r)
	if err != nil {
		return nil, err
	}
	main := &ours[slices.IndexFunc(ours, func(f Fitted) bool { return f.Name == mainRow(r) })].Policy
	if h := r.Roles.Halves; len(h.Test) > 0 && len(h.Propose) > 0 {
		promised, err := certified(r)
		if err != nil {
			return nil, err
		}
		ours = append(ours, promised...)
	}
	for i := range ours {
		f := &ours[i]
		t := trial{name: f.Name, title: f.title(r), of: r, fitted: f, budget: f.Policy.Budget}
		if f.Promise != nil {
			t.title += certifiedWord[f.Promise.Certified]
		}
		out = append(out, t)
	}
	if r.IsChain() {
		return out, nil
	}
	learned, _, err := train(ctx, in, r, main.Policy, on...)
	if err != nil {
		return nil, err
	}
	for i := range learned.policies {
		l := &learned.policies[i]
		t := trial{name: l.name, title: l.title, of: r, learned: l, budget: main.Budget, scores: [][]float64{l.test}}
		for left, k := l.elsewhere, 0; k < len(on); k++ {
			t.scores = append(t.scores[:k], left[:len(on[k].Test)])
			left = left[len(on[k].Test):]
		}
		out = append(out, t)
	}
	return out, nil
}

func byPolicy[T any](list []T, policy func(T) string) []T {
	var names []string
	for _, x := range list {
		names = append(names, policy(x))
	}
	slices.SortStableFunc(list, func(a, b T) int {
		return slices.Index(names, policy(a)) - slices.Index(names, policy(b))
	})
	return list
}

// allows says which error the policy's budget stands for on records: that of a model, −1 = none, and a rate.
func (t trial) allows(u *records.Records) (model int, rate float64) {
	target := t.of.Study.Policy.Target
	if t.fitted != nil && t.fitted.Promise != nil {
		return reference(t.fitted.Promise, u), t.fitted.Promise.Level
	}
	if xi, ok := target.Numeric(); ok {
		x, _ := xi.Float64()
		return -1, 1 - x
	}
	switch {
	case target.Equal(policy.Master):
		return u.Last(), 0
	case target.Equal(policy.Student):
		return student, 0
	case target.Equal(policy.Best): // on the fit part: the test part does not choose what it is measured by
		best, least := u.Last(), math.Inf(1)
		for m := u.Last(); m >= 0; m-- {
			sum := 0.0
			for _, e := range u.Models[m].Errors(u.Fit) {
				sum += e
			}
			if sum < least {
				best, least = m, sum
			}
		}
		return best, 0
	}
	return -1, t.budget.Errors.Rate(t.budget.N) // min
}

// reference is the position of the model that a promise is relative to; −1 = none.
func reference(p *guarantee.Promise, u *records.Records) int {
	switch p.Reference {
	case "":
		return -1
	case policy.Student.String():
		return student
	}
	return u.Last()
}

// use measures the policy on the test part of the records, the k-th of those that it may be used on, read as those that
// it was fitted on. The intervals of excesses are of the resamples together.
func (s *measurer) use(t trial, k int, together *infer.Resamples) (out result.Realised, err error) {
	p := plan{models: everyModel(s.r), charge: cost.Cascade}
	if l := t.learned; l != nil {
		p.charge, p.overhead = l.learning.Charge(l.base.Rules()), l.overhead
		p.final = certainly(len(p.models), places(l.decide(t.scores[k])))
	} else {
		if t.fitted.Series != nil {
			p.models = t.fitted.Series
		}
		p.final = certainly(len(p.models), t.fitted.places(s.r, s.r.Test))
	}
	errs := p.mix(s.errors)
	model, rate := t.allows(s.r)
	out = result.Realised{Policy: t.name, Title: t.title, Allowed: rate,
		Certified: t.fitted != nil && t.fitted.Promise != nil && t.fitted.Promise.Certified}
	keep := kept[infer.Interval](&err)
	out.Error, out.Saved = keep(s.resamples.RateOf(errs)), keep(s.saved(p))
	if last := len(p.models) - 1; p.models[last] == s.r.Last() {
		out.Deferred = average(p.asked(last))
	}
	if model < 0 {
		out.Excess = keep(together.RateOf(errs))
	} else {
		out.Excess = keep(together.Difference(errs, s.errors[model]))
		if iv := &out.Excess; iv.Low == iv.High && p.single() != model { // no record tells them apart, and others may
			most := keep(together.RateOf(make([]float64, len(errs)))).High
			iv.Low, iv.High = iv.Low-most, iv.High+most
		}
		out.Allowed += average(s.errors[model])
	}
	out.Excess = shifted(out.Excess, rate)
	out.Budget = result.KeptBy(out.Excess)
	if err != nil {
		return out, fmt.Errorf("%s: %w", t.title, err)
	}
	return out, nil
}
