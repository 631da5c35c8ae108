package analyze

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/cost"
	"infnet/harness/loss"
	"infnet/harness/policy"
	"infnet/harness/policy/chain"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/seed"
	"infnet/metrics/infer"
)

// Parts of the names of policies fitted to prices: "single-priced", "multi-abstaining".
const (
	isPriced     = "-priced"
	isAbstaining = "-abstaining"
	abstainAlone = "abstain"
)

// priced is what the rows of least loss rest on.
type priced struct {
	fit  policy.Records    // with the master's costs
	path *policy.PricePath // of the main form
}

// price adds a row of least loss per form of thresholds, where the study gives errors a
// price. A chain's pairs have them.
func (t *table) price() error {
	r := t.r
	if r.IsChain() || r.Study.Policy.ErrorCost == 0 {
		return nil
	}
	t.priced = &priced{fit: r.Pair(r.Fit)}
	t.priced.fit.MasterCost = records.Pick(r.Master().Costs, r.Fit)
	if r.Study.Cost.Summary != cost.Mean {
		t.priced.fit.MasterCost = slices.Repeat([]float64{r.Master().Cost.Summary}, len(r.Fit))
	}
	for _, form := range forms(r) {
		path, err := policy.NewPricePath(t.priced.fit, promised(r), form == Single)
		if err != nil {
			return fmt.Errorf("price of an error: %w", err)
		}
		t.priced.path = path
		p, err := path.At(r.Study.Policy.ErrorCost)
		if err != nil {
			return err
		}
		f := Fitted{Name: form + isPriced, Policy: chain.Policy{Policy: p}, Price: r.Study.Policy.ErrorCost}
		if err := t.add(fittedRow(t.measurer, f)); err != nil {
			return err
		}
	}
	return nil
}

// forms are the forms of thresholds, the richest last.
func forms(r *records.Records) []string {
	if r.PerClass() {
		return []string{Single, Multi}
	}
	return []string{Single}
}

// lost is what a policy does on the test part: by record, whether it answers, its
// error (0 without an answer), and what it costs.
type lost struct {
	result.Loss
	answers, errs, costs []float64
	least, most          float64 // that a query can cost
}

// losses sets the policies side by side at the study's prices; nil = it has none.
func (t *table) losses() (*result.Price, error) {
	if t.priced == nil || t.r.Repeat > 0 {
		return nil, nil
	}
	p, form := t.r.Study.Policy, mainRow(t.r)
	out := &result.Price{ErrorCost: p.ErrorCost, AbstainCost: p.AbstainCost, Form: form + isPriced}
	list := t.answering()
	if p.AbstainCost > 0 {
		more, err := t.abstaining()
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
		if out.Coverage, err = t.coverage(); err != nil {
			return nil, fmt.Errorf("error by coverage: %w", err)
		}
	}
	if err := t.measureLosses(out, list); err != nil {
		return nil, err
	}
	of, last := t.charged(), t.r.Last()
	var more []float64
	for i := range t.r.Test {
		more = append(more, t.errors[student][i]-t.errors[last][i])
	}
	turn, err := loss.TurnOf(t.resamples, loss.NewPath(t.priced.path, t.r.Pair(t.r.Test), of[student], of[last], more))
	out.MasterFrom = result.NewTurn(turn.Value, turn.Low, turn.High, t.resamples.Level())
	return out, err
}

// answering are the policies that answer everything: each model alone, and those of least loss.
func (t *table) answering() (out []lost) {
	add := func(policy, title string, p plan, of byModel) {
		x := lost{Loss: result.Loss{Policy: policy, Title: title}, answers: slices.Repeat([]float64{1}, len(t.r.Test)),
			errs: p.mix(t.errors), costs: p.paid(of)}
		x.bounds(p, t.measurer)
		out = append(out, x)
	}
	of := t.charged()
	for m, kind := range []baseline.Kind{baseline.None, baseline.All} {
		final := certainly(2, slices.Repeat([]int{m}, len(t.r.Test)))
		add(string(kind), t.r.Cascade.Models[m]+" alone", plan{models: everyModel(t.r), final: final, charge: cost.Router},
			of)
	}
	for _, form := range forms(t.r) {
		x := t.rows.named(form + isPriced)
		add(x.Policy, x.Title, x.plan, of)
	}
	return out
}

// bounds notes what a query can cost at least and at most.
func (x *lost) bounds(p plan, s *measurer) {
	least, most := s.payable(p, s.charged())
	x.least, x.most = slices.Min(least), slices.Max(most)
}

// measureLosses measures all policies, and finds the one of least loss. Those with a promise do not compete: they are
// chosen for it.
func (t *table) measureLosses(out *result.Price, list []lost) error {
	columns := make([][]float64, len(list))
	var compete, kind []int
	for k := range list {
		x := &list[k]
		for i, answered := range x.answers {
			columns[k] = append(columns[k],
				x.costs[i]+float64(out.ErrorCost*x.errs[i])+float64((1-answered)*out.AbstainCost))
		}
		if err := t.measureLoss(x, columns[k], out); err != nil {
			return fmt.Errorf("loss of %s: %w", x.Policy, err)
		}
		if x.Promise == nil {
			compete, kind = append(compete, k), append(kind, slices.Index(kinds, x.kind()))
		}
	}
	advice, err := loss.Advise(t.resamples, records.Pick(columns, compete), kind)
	if err != nil {
		return err
	}
	best := compete[advice.Best]
	out.Advice, out.Settled = list[best].Policy, advice.Settled
	for k := range list {
		if list[k].More, err = loss.More(t.resamples, columns[k], columns[best]); err != nil {
			return err
		}
		out.Rows = append(out.Rows, list[k].Loss)
	}
	return nil
}

// kinds of policies are told apart by the names of their rows.
var kinds = []string{string(baseline.None), string(baseline.All), string(baseline.None) + isAbstaining,
	string(baseline.All) + isAbstaining, isPriced, isAbstaining, abstainAlone}

func (x *lost) kind() string {
	if _, what, ok := strings.Cut(x.Policy, "-"); ok && x.Alone == nil {
		return "-" + what
	}
	return x.Policy
}

// measureLoss fills in one policy's numbers.
func (t *table) measureLoss(x *lost, column []float64, at *result.Price) (err error) {
	if x.most == 0 && slices.Max(x.answers) == 0 { // it asks nobody, and answers nothing
		x.Answered, x.Cost = byDefinition(0, t.resamples), byDefinition(0, t.resamples)
		x.Loss.Loss = byDefinition(at.AbstainCost, t.resamples)
		return nil
	}
	iv := kept[infer.Interval](&err)
	x.Answered = byDefinition(1, t.resamples)
	if x.Thresholds != nil || x.Alone != nil {
		x.Answered = iv(t.resamples.RateOf(x.answers))
	}
	if x.Answered.Value > 0 {
		e := iv(t.amongAnswered(x.errs, x.answers))
		x.Error = &e
	}
	x.Cost = iv(t.resamples.MeanWithin(x.costs, x.least, x.most))
	x.Loss.Loss = iv(t.resamples.MeanWithin(column, x.least, x.most+at.ErrorCost))
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
	rs, err := infer.NewResamples(seed.Stream(s.r.Study.Seed, "answered", s.r.Stream()), groups,
		infer.Options{Count: resamples(s.r), Level: s.r.Study.Report.Level})
	if err != nil {
		return infer.Interval{}, err
	}
	return rs.RateOf(of)
}
