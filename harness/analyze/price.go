package analyze

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/policy/chain"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/metrics/infer"
)

// Parts of the names of policies fitted to prices: "single-priced", "multi-abstaining".
const (
	isPriced     = "-priced"
	isAbstaining = "-abstaining"
	abstainAlone = "abstain"
)

// price adds a row of least loss per form of thresholds, where the study gives errors a
// price. A chain's pairs have them.
func (t *table) price() error {
	r := t.r
	if r.IsChain() || r.Study.Policy.ErrorCost == 0 {
		return nil
	}
	fit := r.Pair(r.Fit)
	fit.MasterCost = records.Pick(r.Master().Costs, r.Fit)
	if r.Study.Cost.Summary != cost.Mean {
		fit.MasterCost = slices.Repeat([]float64{r.Master().Cost.Summary}, len(r.Fit))
	}
	t.priced = &fit
	for _, form := range forms(r) {
		p, err := policy.FitPriced(fit, promised(r), r.Study.Policy.ErrorCost, form == Single)
		if err != nil {
			return fmt.Errorf("price of an error: %w", err)
		}
		if err := t.fitted(Fitted{Name: form + isPriced, Policy: chain.Policy{Policy: p},
			Price: r.Study.Policy.ErrorCost}); err != nil {
			return err
		}
	}
	return nil
}

// lost is what a policy does on the test part: by record, whether it answers, its
// error (0 without an answer), and what it costs.
type lost struct {
	result.Loss
	answers, errs, costs []float64
	least, most          float64 // that a query can cost
}

// losses sets the policies side by side at the study's prices; nil = it has none. Those that answer everything are each
// model alone and those of least loss.
func (t *table) losses() (*result.Price, error) {
	if t.priced == nil || t.r.Repeat > 0 {
		return nil, nil
	}
	r, s, of := t.r, t.s, t.s.charged()
	p := r.Study.Policy
	out := &result.Price{ErrorCost: p.ErrorCost, AbstainCost: p.AbstainCost, Form: mainRow(r) + isPriced}
	var list []lost
	add := func(policy, title string, p plan) {
		x := lost{Loss: result.Loss{Policy: policy, Title: title}, answers: slices.Repeat([]float64{1}, len(r.Test)),
			errs: p.mix(s.errors), costs: p.paid(of)}
		least, most := p.payable(of)
		x.least, x.most = slices.Min(least), slices.Max(most)
		list = append(list, x)
	}
	for m, kind := range aloneKinds {
		final := certainly(2, slices.Repeat([]int{m}, len(r.Test)))
		add(string(kind), r.Cascade.Models[m]+" alone", plan{models: everyModel(r), final: final, charge: cost.Router})
	}
	for _, form := range forms(r) {
		x := t.rows.named(form + isPriced)
		add(x.Policy, x.Title, x.plan)
	}
	if p.AbstainCost > 0 {
		more, err := t.abstaining()
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return out, t.measureLosses(out, list)
}

var aloneKinds = []baseline.Kind{baseline.None, baseline.All}

// measureLosses measures all policies, and finds the one of least loss.
func (t *table) measureLosses(out *result.Price, list []lost) error {
	columns := make([][]float64, len(list))
	var kind []int
	for k := range list {
		x := &list[k]
		for i, answered := range x.answers {
			columns[k] = append(columns[k],
				x.costs[i]+float64(out.ErrorCost*x.errs[i])+float64((1-answered)*out.AbstainCost))
		}
		if err := t.measureLoss(x, columns[k], out); err != nil {
			return fmt.Errorf("loss of %s: %w", x.Policy, err)
		}
		name := x.Policy
		if _, what, ok := strings.Cut(name, "-"); ok && x.Alone == nil {
			name = "-" + what
		}
		kind = append(kind, slices.Index(kinds, name))
	}
	advice, err := policy.Advise(t.s.resamples, columns, kind)
	if err != nil {
		return err
	}
	best := advice.Best
	out.Advice, out.Settled = list[best].Policy, advice.Settled
	for k := range list {
		list[k].More = advice.More[k]
		out.Rows = append(out.Rows, list[k].Loss)
	}
	return nil
}

// kinds of policies are told apart by the names of their rows.
var kinds = []string{string(baseline.None), string(baseline.All), string(baseline.None) + isAbstaining,
	string(baseline.All) + isAbstaining, isPriced, isAbstaining, abstainAlone}

func (t *table) measureLoss(x *lost, column []float64, at *result.Price) (err error) {
	if x.most == 0 && slices.Max(x.answers) == 0 { // it asks nobody, and answers nothing
		x.Answered, x.Cost = byDefinition(0, t.s.resamples), byDefinition(0, t.s.resamples)
		x.Loss.Loss = byDefinition(at.AbstainCost, t.s.resamples)
		return nil
	}
	iv := kept[infer.Interval](&err)
	x.Answered = byDefinition(1, t.s.resamples)
	if x.Thresholds != nil || x.Alone != nil {
		x.Answered = iv(t.s.resamples.RateOf(x.answers))
	}
	if x.Answered.Value > 0 {
		e := iv(t.s.amongAnswered(x.errs, x.answers))
		x.Error = &e
	}
	x.Cost = iv(t.s.resamples.MeanWithin(x.costs, x.least, x.most))
	x.Loss.Loss = iv(t.s.resamples.MeanWithin(column, x.least, x.most+at.ErrorCost))
	return err
}

// amongAnswered is the error among the answered queries: a rate of so many records.
func (s *measurer) amongAnswered(errs, answers []float64) (infer.Interval, error) {
	var groups []string
	var of []float64
	for i, answered := range answers {
		if answered > 0 {
			groups, of = append(groups, s.groups[i]), append(of, errs[i])
		}
	}
	rs, err := resample(s.r, "answered", groups)
	if err != nil {
		return infer.Interval{}, err
	}
	return rs.RateOf(of)
}
