package analyze

import (
	"fmt"
	"strings"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/result"
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
	for _, step := range []func(*scorer) error{b.compare, b.certify, b.diagnose} {
		if err := step(s); err != nil {
			return err
		}
	}
	return b.judgeForm()
}

// fittedRow measures fitted thresholds, and remembers what they decide.
func (b *Bench) fittedRow(s *scorer, f Fitted) (result.Row, error) {
	d := f.Policy.Decide(b.records(b.test))
	row, err := s.row(f.Name, b.title(f.Name), weights(d), cost.Cascade)
	for _, w := range f.Policy.Warnings {
		row.Notes = append(row.Notes, result.Note{Kind: string(w.Kind), Text: b.sentence(w)})
	}
	b.decide(f.Name, b.test, d)
	b.decide(f.Name, b.fit, f.Policy.Decide(b.records(b.fit)))
	return row, err
}

// sentence says a policy's warning with the class's name.
func (b *Bench) sentence(w policy.Warning) string {
	if w.Kind == policy.NeverPredicted && w.Class >= 0 && w.Class < len(b.Dataset.Labels) {
		return fmt.Sprintf("The student never predicts class %q on the fit part; its queries are always deferred.", b.Dataset.Labels[w.Class].Class)
	}
	return w.Message
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
