package analyze

import (
	"fmt"
	"slices"

	"infnet/harness/policy"
	"infnet/harness/records"
	"infnet/harness/result"
)

// abstains is a policy that may abstain, for deployment.
type abstains struct {
	name           string
	answers, asked int // the models; one that answers alone is both
	rule           policy.Abstention
}

// abstaining are the policies that answer, defer or abstain, per form of thresholds, and the one that answers nothing.
func (t *table) abstaining() (out []lost, err error) {
	r, p := t.r, t.r.Study.Policy
	prices := policy.Losses{Error: p.ErrorCost, Abstain: p.AbstainCost}
	sure := masterBeta(r, r.Fit)
	for _, form := range forms(r) {
		a, err := policy.FitAbstention(*t.priced, prices, form == Single)
		if err != nil {
			return nil, fmt.Errorf("abstention: %w", err)
		}
		out = append(out, t.choosing(form+isAbstaining, a))
		t.abstain = append(t.abstain, abstains{form + isAbstaining, student, r.Last(), a})
	}
	// what a cascade that may abstain has to beat: each model that answers alone and is silent where it is not sure
	for m, kind := range aloneKinds {
		errs, of := t.priced.Student, t.s.charged()[m]
		if m == r.Last() {
			errs = t.priced.Master
		}
		if errs == nil || m == r.Last() && sure == nil {
			continue
		}
		bar, err := policy.FitAlone(records.Pick(r.Models[m].Beta, r.Fit), errs, prices)
		if err != nil {
			return nil, fmt.Errorf("abstention of one model: %w", err)
		}
		x := lost{Loss: result.Loss{Policy: string(kind) + isAbstaining, Alone: new(result.Float(bar)),
			Title: r.Cascade.Models[m] + " alone, abstaining"}, costs: of, least: slices.Min(of), most: slices.Max(of)}
		x.answers, x.errs = t.answeredFrom(m, bar)
		out = append(out, x)
		if bar > 0 { // else it answers everything
			rule := policy.Abstention{Low: policy.Thresholds{bar}, High: policy.Thresholds{bar}}
			t.abstain = append(t.abstain, abstains{x.Policy, m, m, rule})
		}
	}
	none := make([]float64, len(r.Test))
	return append(out, lost{Loss: result.Loss{Policy: abstainAlone, Title: "Answer nothing"}, answers: none, errs: none,
		costs: none}), nil
}

// answeredFrom is what a model alone answers of the test part where its confidence is at least bar, and its errors.
func (t *table) answeredFrom(m int, bar float64) (answers, errs []float64) {
	answers, errs = make([]float64, len(t.r.Test)), make([]float64, len(t.r.Test))
	for i, beta := range records.Pick(t.r.Models[m].Beta, t.r.Test) {
		if !(beta < bar) {
			answers[i], errs[i] = 1, t.s.errors[m][i]
		}
	}
	return answers, errs
}

// masterBeta is the master's confidence; nil where it has none, and in the oracle setting, where it never errs.
func masterBeta(r *records.Records, examples []int) []float64 {
	if r.Study.Policy.Setting == policy.Oracle || !records.Confident(r, r.Last()) {
		return nil
	}
	return records.Pick(r.Master().Beta, examples)
}

func (t *table) choosing(name string, a policy.Abstention) lost {
	r, of := t.r, t.s.charged()
	x := lost{Loss: result.Loss{Policy: name, Title: title(r, name)}}
	for k := range a.Low {
		bar := result.AbstainThreshold{Low: result.Float(a.Low[k]), High: result.Float(a.High[k])}
		if len(a.Low) > 1 {
			bar.Class = r.Dataset.Labels[k].Class
		}
		x.Thresholds = append(x.Thresholds, bar)
	}
	for i, choice := range a.Decide(r.Pair(r.Test)) {
		answers, errs, paid := 1.0, t.s.errors[student][i], of[student][i]
		if choice == policy.MasterAnswers {
			paid, errs = paid+of[r.Last()][i], t.s.errors[r.Last()][i]
		}
		if choice == policy.Abstains {
			answers, errs = 0, 0
		}
		x.answers, x.errs, x.costs = append(x.answers, answers), append(x.errs, errs), append(x.costs, paid)
	}
	x.least = slices.Min(of[student])
	x.most = slices.Max(of[student]) + slices.Max(of[r.Last()])
	return x
}
