package analyze

import (
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

// tally returns the tally of the first model's answers.
func (s *measurer) tally() *tallied {
	t := &tallied{s: s, final: make([]int, len(s.truth))}
	t.recount()
	return t
}

// recount counts the cells after decisions were set in final.
func (t *tallied) recount() {
	t.counts = make([]float64, t.s.confusion.Len())
	if t.s.cells == nil {
		return
	}
	for i, m := range t.final {
		t.counts[t.s.cells[m][i]]++
	}
}

// move makes another model's answer to a record count.
func (t *tallied) move(record, model int) {
	if t.s.cells != nil {
		t.counts[t.s.cells[t.final[record]][record]]--
		t.counts[t.s.cells[model][record]]++
	}
	t.final[record] = model
}

// share is the share of records that a model answers.
func (t *tallied) share(model int) float64 {
	n := 0
	for _, m := range t.final {
		if m == model {
			n++
		}
	}
	return float64(n) / float64(len(t.final))
}

// value returns a metric of the decisions.
func (t *tallied) value(m metrics.Metric) float64 {
	columns := t.s.columns[m.Name]
	switch {
	case columns == nil:
		c := t.s.confusion
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
