package analyze

import (
	"fmt"
	"slices"

	"infnet/harness/records"
	"infnet/harness/task"
	"infnet/metrics"
)

// quality is the quality of a pair's answers for a router, by example. Larger is
// better, on the scale that a drop in quality is stated in.
type quality struct {
	name            string // for tables
	student, master []float64
}

// qualities returns the quality of the answers. For classification it is
// correctness (1 − error, under the dataset's rule), and so it is where there is no
// reference, only a recorded grade. For everything else it is the
// study's scorer (BARTScore, with the reference as the source), or token F1 with
// the best reference if there is no scorer. In the oracle setting nothing is
// scored, and the reference is the master's answer.
func qualities(r *records.Records) (*quality, error) {
	n := len(r.Set.Examples)
	q := &quality{name: "correctness", student: make([]float64, n), master: make([]float64, n)}
	correctness := r.Dataset.Task == task.Classification || !r.Referenced()
	if !correctness {
		q.name = "token F1"
	}
	scored := r.Study.Scores(r.Dataset)
	if scored && !correctness {
		q.name = "BARTScore"
	}
	for _, i := range used(r) {
		if correctness {
			q.student[i], q.master[i] = 1-r.Student().Errs[i], 1-r.Master().Errs[i]
			continue
		}
		for _, x := range []struct {
			model int
			of    []float64
		}{{student, q.student}, {r.Last(), q.master}} {
			if !scored {
				x.of[i] = metrics.ScoreTokenF1(r.Text(x.model, i), r.Accepted(i))
				continue
			}
			given, err := r.Scored(r.Text(x.model, i), r.Set.Examples[i].References)
			if err != nil {
				return nil, fmt.Errorf("record %s: %w", r.Set.Examples[i].ID, err)
			}
			x.of[i] = slices.Max(given)
		}
	}
	return q, nil
}
