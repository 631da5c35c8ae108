package analyze

import (
	"slices"

	"infnet/metrics"
)

// tallied measures metrics, without intervals, of decisions that leave nothing to
// chance. It counts the cells of the confusion matrix as decisions are made, so that
// a curve of many points or a thousand draws of coins need not go through it again.
type tallied struct {
	s      *measurer
	final  []int // position of the model whose answer counts, by test record
	counts []float64
}

// confusion is the cells of the confusion matrix that the answers of any model fall in.
type confusion struct {
	metrics.Confusion
	place [][]int // of a model's answers in them, by model, then record
}

// tally returns the tally of the first model's answers.
func (s *measurer) tally() *tallied {
	t := &tallied{s: s, final: make([]int, len(s.truth))}
	if s.confusion == nil {
		cells := make([][]int, len(s.class))
		k := len(s.r.Dataset.Labels)
		counted := slices.ContainsFunc(s.metrics, func(m metrics.Metric) bool { return s.columns[m.Name] == nil })
		for m, class := range s.class {
			if !counted {
				continue
			}
			cells[m] = make([]int, len(class))
			for i, c := range class {
				cells[m][i] = metrics.Cell(s.truth[i], c, k)
			}
		}
		s.confusion = &confusion{}
		s.confusion.Confusion, s.confusion.place = metrics.Occupied(k, cells...)
	}
	t.recount()
	return t
}

// recount counts the cells after decisions were set in final.
func (t *tallied) recount() {
	t.counts = make([]float64, len(t.s.confusion.Cells))
	if len(t.counts) == 0 {
		return
	}
	for i, m := range t.final {
		t.counts[t.s.confusion.place[m][i]]++
	}
}

// move makes another model's answer to a record count.
func (t *tallied) move(record, model int) {
	if len(t.counts) > 0 {
		t.counts[t.s.confusion.place[t.final[record]][record]]--
		t.counts[t.s.confusion.place[model][record]]++
	}
	t.final[record] = model
}

// value returns a metric of the decisions.
func (t *tallied) value(m metrics.Metric) float64 {
	columns := t.s.columns[m.Name]
	switch {
	case columns == nil:
		c := t.s.confusion.Confusion
		return m.Counts(c, t.counts)(c, t.counts)
	case m.Sums != nil:
		sums := make([]float64, m.Width)
		for c, column := range columns {
			sums[c] = t.sum(column)
		}
		return m.Value(sums)
	}
	return t.sum(columns[0]) / float64(len(t.final))
}

// sum adds a column of the models whose answers count.
func (t *tallied) sum(of byModel) (sum float64) {
	for i, m := range t.final {
		sum += of[m][i]
	}
	return sum
}
