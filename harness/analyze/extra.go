package analyze

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/metrics/infer"
)

// extra compares the chain with the best pair that it contains: is a further
// model worth its cost? The best pair is the one that costs least on the fit
// part among those that meet the same budget there. Both are measured on the
// same resamples of the test part. nil = there is nothing to compare; the note
// says why.
func (t *table) extra() (*result.Extra, result.Note, error) {
	chain, names := t.rows.named(Chain), t.r.Cascade.Models
	var best *row
	for k := range t.rows {
		x := &t.rows[k]
		if x.fitted != nil && x.fitted.contained(t.r) && x.fitted.Policy.Feasible &&
			(best == nil || x.fitted.Policy.Cost < best.fitted.Policy.Cost) {
			best = x
		}
	}
	switch {
	case !chain.fitted.Policy.Feasible:
		return nil, note.Say("extra-model", "No thresholds of the chain meet the budget on the fit part, so the rows say "+
			"nothing about what a further model is worth."), nil
	case best == nil:
		return nil, note.Say("extra-model", "On the fit part the chain meets the budget and no pair of its models does: it "+
			"takes more than two."), nil
	}
	pair := best.fitted.Series
	var spare []string
	used := false
	for m, name := range names {
		if !slices.Contains(pair, m) {
			spare = append(spare, name)
			used = used || slices.Max(chain.plan.asked(slices.Index(chain.plan.models, m))) > 0
		}
	}
	x := &result.Extra{Model: strings.Join(spare, " + "), Pair: best.Policy}
	var err error
	iv := kept[infer.Interval](&err)
	x.Saved = iv(t.s.resamples.Difference(best.plan.paid(t.s.fixed), chain.plan.paid(t.s.fixed)))
	percent := 100 / t.r.Master().Cost.Summary // with the cost constants of the fit part
	x.Saved.Value, x.Saved.Low = float64(percent*x.Saved.Value), float64(percent*x.Saved.Low)
	x.Saved.High = float64(percent * x.Saved.High)
	x.Error = iv(t.s.resamples.Difference(chain.plan.mix(t.s.errors), best.plan.mix(t.s.errors)))
	if err != nil {
		return nil, result.Note{}, fmt.Errorf("the chain beside the pair: %w", err)
	}
	spares, beside := strings.Join(spare, " and "), names[pair[0]]+" → "+names[pair[1]]
	switch d, e := x.Saved, x.Error; {
	case d.Low == 0 && d.High == 0 && e.Low == 0 && e.High == 0: // in every resample
		x.Pays = "no"
		return x, note.Say("extra-model", "Asking %s too does not pay: at this budget the chain does what the best pair "+
			"alone does, %s.", spares, beside), nil
	case !used: // what differs are the thresholds
		return nil, note.Say("extra-model", "Whether asking %s too pays is not compared: the chain does so on no test "+
			"record.", spares), nil
	}
	x.Pays = pays(x.Saved)
	verdict := map[string]string{"yes": "Asking %s too pays", "no": "Asking %s too does not pay",
		"unclear": "It is not clear whether asking %s too pays"}[x.Pays]
	return x, note.Say("extra-model", verdict+": at the same budget the chain saves %.2f percentage points [%.2f, %.2f] "+
		"more of the master's cost than the best pair alone, %s, with an error rate %.2f points [%.2f, %.2f] higher; "+
		"negative numbers mean less and lower. The pair was chosen on the fit part; the differences are of the test part, "+
		"record by record.", spares, x.Saved.Value, x.Saved.Low, x.Saved.High, beside, 100*x.Error.Value, 100*x.Error.Low,
		100*x.Error.High), nil
}

func pays(saved infer.Interval) string {
	switch {
	case saved.Low > 0:
		return "yes"
	case saved.High < 0:
		return "no"
	}
	return "unclear"
}
