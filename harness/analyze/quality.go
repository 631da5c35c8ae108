package analyze

import (
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
// (1 − error, under the dataset's rule), and token F1 with the best reference
// of everything else. In the oracle setting the reference is the master's
// answer.
func (b *Bench) qualities() (*quality, error) {
	n := len(b.set.Examples)
	q := &quality{name: "correctness", student: make([]float64, n), master: make([]float64, n)}
	if b.Dataset.Task != task.Classification {
		q.name = "token F1"
	}
	for i, used := range b.used {
		if !used {
			continue
		}
		if b.Dataset.Task == task.Classification {
			q.student[i], q.master[i] = 1-b.grades[student][i].Err, 1-b.grades[b.last()][i].Err
			continue
		}
		q.student[i] = metrics.ScoreTokenF1(b.texts[student][i], b.refs[i].Texts)
		q.master[i] = metrics.ScoreTokenF1(b.texts[b.last()][i], b.refs[i].Texts)
	}
	return q, nil
}
