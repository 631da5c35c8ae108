package analyze

import (
	"slices"
	"strings"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/population"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/task"
)

// measure fills the rows of the table.
func (b *Bench) measure() error {
	s, err := b.newScorer()
	if err != nil {
		return err
	}
	for _, base := range b.in.Study.Baselines {
		if err := b.baseline(s, base); err != nil {
			return err
		}
	}
	for _, f := range b.fitted {
		row, err := b.fittedRow(s, f)
		if err != nil {
			return err
		}
		b.out.Rows = append(b.out.Rows, row)
	}
	steps := []func(*scorer) error{b.compare, b.certify, b.ensembles, b.diagnose, b.draw, b.significance}
	if b.Repeat > 0 {
		steps = steps[:3] // rows
	}
	for _, step := range steps {
		if err := step(s); err != nil {
			return err
		}
	}
	if b.Repeat > 0 {
		return nil
	}
	return b.judgeForm()
}

// draw fills in what is drawn rather than read: curves, diagrams, boundaries,
// and the comparisons that rest on the curves.
func (b *Bench) draw(s *scorer) error {
	for _, step := range []func() error{b.offerOurs, b.offerBaselines, b.reliability, b.boundaries} {
		if err := step(); err != nil {
			return err
		}
	}
	if err := b.describeSweep(*b.policyOf(Single)); err != nil {
		return err
	}
	return b.compete(s)
}

// fittedRow measures fitted thresholds, and remembers what they decide.
func (b *Bench) fittedRow(s *scorer, f Fitted) (result.Row, error) {
	d := f.Policy.Decide(b.Pair(b.Test))
	row, err := s.row(f.Name, b.title(f.Name), weights(d), cost.Cascade)
	row.Notes = append(row.Notes, b.caveats(f.Policy.Warnings)...)
	if slices.Contains(b.budgets, f.Name) {
		row.Notes = append(row.Notes, result.NewNote(note.OwnBudget{
			Target: f.Policy.Budget.Target.String(), Errors: f.Policy.Budget.Errors.String(),
		}))
	}
	b.decide(f.Name, b.Test, d)
	b.decide(f.Name, b.Fit, f.Policy.Decide(b.Pair(b.Fit)))
	return row, err
}

// caveats turns a policy's warnings into notes: one per kind, the classes it
// speaks of by name.
func (b *Bench) caveats(warnings []policy.Warning) []result.Note {
	var notes []result.Note
	classes := map[policy.WarningKind][]string{}
	for _, w := range warnings {
		if w.Kind == population.Assumed {
			what := "All"
			if w.Class >= 0 && w.Class < len(b.Dataset.Labels) && b.PerClass() {
				what = b.Dataset.Labels[w.Class].Class
			}
			notes = append(notes, result.Note{Kind: note.Kind(w.Kind), Text: what + ": " + w.Message + "."})
			continue
		}
		if w.Class < 0 || w.Class >= len(b.Dataset.Labels) {
			if w.Kind != population.NotMonotone {
				notes = append(notes, result.Note{Kind: note.Kind(w.Kind), Text: w.Message})
				continue
			}
			classes[w.Kind] = append(classes[w.Kind], "all")
			continue
		}
		classes[w.Kind] = append(classes[w.Kind], b.Dataset.Labels[w.Class].Class)
	}
	if names := classes[policy.NeverPredicted]; names != nil {
		notes = append(notes, result.NewNote(note.NeverPredicted{Classes: names}))
	}
	if names := classes[population.NoSpread]; names != nil {
		notes = append(notes, result.NewNote(note.NoSpread{Classes: names}))
	}
	if names := classes[population.NotMonotone]; names != nil {
		notes = append(notes, result.NewNote(note.NotMonotone{Classes: names}))
	}
	return notes
}

// title is what tables call one of our rows.
func (b *Bench) title(name string) string {
	form, what, _ := strings.Cut(name, "-")
	title := "Ours"
	if b.Dataset.Task == task.Classification {
		title = map[string]string{Single: "Ours (one threshold)", Multi: "Ours (threshold per class)"}[form]
	}
	if what != "" {
		title += ", " + what
	}
	return title
}
