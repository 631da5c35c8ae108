package analyze

import (
	"fmt"
	"slices"

	"infnet/harness/task"
	"infnet/metrics"
)

// quality is what the answers of a pair are worth to a router, by example;
// larger is better, on the scale that a drop of quality is stated in.
type quality struct {
	name            string // for tables
	student, master []float64
}

// qualities returns the quality of the answers: correctness of classifications
// (1 − error, under the dataset's rule); of everything else what the study's
// scorer says (BARTScore, the reference being the source), where it has one, and
// token F1 where not, with the best reference. In the oracle setting, where
// nothing is scored, the reference is the master's answer.
func (b *Bench) qualities() (*quality, error) {
	n := len(b.Set.Examples)
	q := &quality{name: "correctness", student: make([]float64, n), master: make([]float64, n)}
	if b.Dataset.Task != task.Classification {
		q.name = "token F1"
	}
	scored := b.in.Study.Scores(b.Dataset)
	if scored {
		q.name = "BARTScore"
	}
	for i, used := range b.Used {
		if !used {
			continue
		}
		if b.Dataset.Task == task.Classification {
			q.student[i], q.master[i] = 1-b.Student().Grades[i].Err, 1-b.Master().Grades[i].Err
			continue
		}
		if scored {
			for m, of := range map[int][]float64{student: q.student, b.Last(): q.master} { // order has no effect
				given, err := b.Scored(b.Models[m].Texts[i], b.Set.Examples[i].References)
				if err != nil {
					return nil, fmt.Errorf("record %s: %w", b.Set.Examples[i].ID, err)
				}
				of[i] = slices.Max(given)
			}
			continue
		}
		q.student[i] = metrics.ScoreTokenF1(b.Student().Texts[i], b.References[i].Texts)
		q.master[i] = metrics.ScoreTokenF1(b.Master().Texts[i], b.References[i].Texts)
	}
	return q, nil
}
