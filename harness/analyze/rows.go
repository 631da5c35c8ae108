package analyze

import (
	"fmt"

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
	test := b.records(b.test)
	for _, f := range b.fitted {
		d := f.Policy.Decide(test)
		row, err := s.row(f.Name, b.title(f.Name), weights(d), cost.Cascade)
		if err != nil {
			return err
		}
		for _, w := range f.Policy.Warnings {
			row.Notes = append(row.Notes, result.Note{Kind: string(w.Kind), Text: b.sentence(w)})
		}
		b.out.Rows = append(b.out.Rows, row)
		b.decide(f.Name, b.test, d)
		b.decide(f.Name, b.fit, f.Policy.Decide(b.records(b.fit)))
	}
	return b.diagnose(s)
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
	switch {
	case b.Dataset.Task != task.Classification:
		return "Ours"
	case name == Single:
		return "Ours (one threshold)"
	}
	return "Ours (threshold per class)"
}
