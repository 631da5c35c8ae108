package analyze

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
func trials(ctx context.Context, in Input, r *records.Records, on ...*records.Records) (out []trial, trained []Trained,
	err error) {
	ours, err := fitOurs(r)
	if err != nil {
		return nil, nil, err
	}
	if h := r.Roles.Halves; r.Study.Policy.Guarantee != nil && len(h.Test) > 0 && len(h.Propose) > 0 {
		promised, err := certified(r)
		if err != nil {
			return nil, nil, err
		}
		ours = append(ours, promised...)
	}
	for i := range ours {
		f := &ours[i]
		t := trial{name: f.Name, title: f.title(r), of: r, fitted: f, budget: f.Policy.Budget}
		if f.Promise != nil {
			t.title += map[bool]string{true: ", certified", false: ", not certified"}[f.Promise.Certified]
		}
		out = append(out, t)
	}
	if r.IsChain() {
		return out, nil, nil
	}
	main := slices.IndexFunc(ours, func(f Fitted) bool { return f.Name == mainRow(r) })
	learned, _, err := train(ctx, in, r, ours[main].Policy.Policy, on...)
	if err != nil {
		return nil, nil, err
	}
	for i := range learned.policies {
		l := &learned.policies[i]
		t := trial{name: l.name, title: l.title, of: r, learned: l, budget: ours[main].Policy.Budget,
			scores: [][]float64{l.test}}
		if len(on) > 0 {
			t.scores = nil
			left := l.elsewhere
			for _, u := range on {
				t.scores, left = append(t.scores, left[:len(u.Test)]), left[len(u.Test):]
			}
		}
		out = append(out, t)
	}
	return out, learned.trained, nil
}

// plan is how the policy treats the test part of records, the k-th of those that it may be used on. They are read as
// those that it was fitted on.
func (t trial) plan(u *records.Records, k int) plan {
	p := plan{models: everyModel(u), charge: cost.Cascade}
	var at []int
	if t.fitted != nil {
		if t.fitted.Series != nil {
			p.models = t.fitted.Series
		}
		at = t.fitted.places(u, u.Test)
	} else {
		p.charge, p.overhead = t.learned.charge(), t.learned.overhead
		at = places(t.learned.decide(t.scores[k]))
	}
	p.final = certainly(len(p.models), at)
	return p
}

// allowed is the error that a budget stands for on a test part: that of a model, or a rate.
type allowed struct {
	model int // −1 = none
	rate  float64
}

// allows says what the policy's budget stands for on records: where it names a model, that model's error there.
func (t trial) allows(u *records.Records) allowed {
	target := t.of.Study.Policy.Target
	if t.fitted != nil && t.fitted.Promise != nil {
		return allowed{reference(t.fitted.Promise, u), t.fitted.Promise.Level}
	}
	if xi, ok := target.Numeric(); ok {
		x, _ := xi.Float64()
		return allowed{-1, 1 - x}
	}
	switch {
	case target.Equal(policy.Master):
		return allowed{model: u.Last()}
	case target.Equal(policy.Student):
		return allowed{model: student}
	case target.Equal(policy.Best): // on the fit part: the test part does not choose what it is measured by
		best, least := u.Last(), 0.0
		for m := u.Last(); m >= 0; m-- {
			sum := 0.0
			for _, e := range u.Models[m].Errors(u.Fit) {
				sum += e
			}
			if m == u.Last() || sum < least {
				best, least = m, sum
			}
		}
		return allowed{model: best}
	}
	return allowed{-1, t.budget.Errors.Rate(t.budget.N)} // min
}

// reference is the position of the model that a promise is relative to; −1 = none.
func reference(p *guarantee.Promise, u *records.Records) int {
	switch p.Reference {
	case "":
		return -1
	case policy.Student.String():
		return student
	case policy.Master.String():
		return u.Last()
	}
	n, err := strconv.Atoi(strings.TrimPrefix(p.Reference, "model "))
	if err != nil {
		panic("analyze: a promise relative to " + p.Reference)
	}
	return n - 1
}

// use measures the policy on the test part of the records, the k-th of those that it may be used on. The intervals of
// excesses are of the resamples together.
func (s *measurer) use(t trial, k int, together *infer.Resamples) (out result.Realised, err error) {
	p, a := t.plan(s.r, k), t.allows(s.r)
	out = result.Realised{Policy: t.name, Title: t.title,
		Certified: t.fitted != nil && t.fitted.Promise != nil && t.fitted.Promise.Certified}
	keep := func(iv infer.Interval, e error) infer.Interval {
		if err == nil && e != nil {
			err = fmt.Errorf("%s: %w", t.title, e)
		}
		return iv
	}
	errs := p.mix(s.errors)
	out.Error = keep(s.resamples.RateOf(errs))
	out.Saved = keep(s.saved(p))
	if p.models[len(p.models)-1] == s.r.Last() {
		out.Deferred = average(p.asked(len(p.models) - 1))
	}
	out.Allowed = a.rate
	if a.model >= 0 {
		out.Excess = keep(together.Difference(errs, s.errors[a.model]))
		if iv := &out.Excess; iv.Low == iv.High && p.single() != a.model { // no record tells them apart, and others may
			most := keep(together.RateOf(make([]float64, len(errs)))).High
			iv.Low, iv.High = iv.Low-most, iv.High+most
		}
		out.Allowed += average(s.errors[a.model])
	} else {
		out.Excess = keep(together.RateOf(errs))
	}
	out.Excess = shifted(out.Excess, a.rate)
	out.Budget = result.KeptBy(out.Excess)
	return out, err
}

// shifted is an interval less a number.
func shifted(iv infer.Interval, by float64) infer.Interval {
	iv.Value, iv.Low, iv.High = iv.Value-by, iv.Low-by, iv.High-by
	return iv
}
