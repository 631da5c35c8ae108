package analyze

import (
	"context"
	"strings"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/population"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/task"
)

// pairs is the table of a cascade of two models.
type pairs struct {
	measurer    *measurer
	rows        rows
	sufficiency *result.Sufficiency
	notes       []result.Note
	trained     []Trained
}

// pairTable fits and measures the rows of two models.
func pairTable(ctx context.Context, in Input, r *records.Records) (*pairs, error) {
	ours, err := fitPolicies(r)
	if err != nil {
		return nil, err
	}
	t := &pairs{}
	if r.Repeat == 0 {
		if t.sufficiency, err = testSufficiency(ctx, in, r, ours[0].Policy.Budget); err != nil {
			return nil, err
		}
	}
	learned, notes, err := train(ctx, in, r, ours[len(ours)-1].Policy)
	if err != nil {
		return nil, err
	}
	t.notes, t.trained = notes, learned.trained
	if t.measurer, err = newMeasurer(r); err != nil {
		return nil, err
	}
	s := t.measurer
	for _, base := range r.Study.Baselines {
		x, err := baselineRow(s, base, learned.policies)
		if err != nil {
			return nil, err
		}
		if x != nil {
			t.rows = append(t.rows, *x)
		}
	}
	for _, f := range ours {
		x, err := fittedRow(s, f)
		if err != nil {
			return nil, err
		}
		t.rows = append(t.rows, x)
	}
	for _, more := range []func(*measurer) (rows, error){compare, certify, ensembles} {
		list, err := more(s)
		if err != nil {
			return nil, err
		}
		t.rows = append(t.rows, list...)
	}
	t.notes = append(t.notes, noEnsembles(r)...)
	return t, nil
}

// fittedRow measures fitted thresholds.
func fittedRow(s *measurer, f Fitted) (row, error) {
	d := f.Policy.Decide(s.r.Pair(s.r.Test))
	x, err := s.row(f.Name, title(s.r, f.Name), weights(d), cost.Cascade)
	if err != nil {
		return x, err
	}
	x.Notes = append(x.Notes, caveats(s.r, f.Policy.Warnings)...)
	if f.OwnBudget {
		x.Notes = append(x.Notes, note.OwnBudget(f.Policy.Budget.Target.String(), f.Policy.Budget.Errors.String()))
	}
	x.fitted = &f
	x.decide(s.r, s.r.Test, d)
	x.decide(s.r, s.r.Fit, f.Policy.Decide(s.r.Pair(s.r.Fit)))
	return x, s.rival(&x)
}

// decide records the row's decisions about some examples.
func (x *row) decide(r *records.Records, examples []int, d policy.Decisions) {
	if x.decisions == nil {
		x.decisions = &decisions{made: make([]verdict, len(r.Set.Examples))}
	}
	for k, i := range examples {
		if x.decisions.made[i] = stays; d[k] {
			x.decisions.made[i] = defers
		}
	}
}

// caveats turns a policy's warnings into notes: one per kind, with the names of the
// classes concerned.
func caveats(r *records.Records, warnings []policy.Warning) []result.Note {
	var notes []result.Note
	classes := map[policy.WarningKind][]string{}
	for _, w := range warnings {
		if w.Kind == population.Assumed {
			what := "All"
			if w.Class >= 0 && w.Class < len(r.Dataset.Labels) && r.PerClass() {
				what = r.Dataset.Labels[w.Class].Class
			}
			notes = append(notes, result.Note{Kind: note.Kind(w.Kind), Text: what + ": " + w.Message + "."})
			continue
		}
		if w.Class < 0 || w.Class >= len(r.Dataset.Labels) {
			if w.Kind != population.NotMonotone {
				notes = append(notes, result.Note{Kind: note.Kind(w.Kind), Text: w.Message})
				continue
			}
			classes[w.Kind] = append(classes[w.Kind], "all")
			continue
		}
		classes[w.Kind] = append(classes[w.Kind], r.Dataset.Labels[w.Class].Class)
	}
	if names := classes[policy.NeverPredicted]; names != nil {
		notes = append(notes, note.NeverPredicted(names))
	}
	if names := classes[population.NoSpread]; names != nil {
		notes = append(notes, note.NoSpread(names))
	}
	if names := classes[population.NotMonotone]; names != nil {
		notes = append(notes, note.NotMonotone(names))
	}
	return notes
}

// title returns the title of one of our rows.
func title(r *records.Records, name string) string {
	form, what, _ := strings.Cut(name, "-")
	title := "Ours"
	if r.Dataset.Task == task.Classification {
		title = map[string]string{Single: "Ours (one threshold)", Multi: "Ours (threshold per class)"}[form]
	}
	if what != "" {
		title += ", " + what
	}
	return title
}
