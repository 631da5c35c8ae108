package compare

import (
	"math"
	"slices"

	"infnet/harness/accept"
	"infnet/metrics"
)

// costs is what a query costs, in the mean: a number that tables do not have.
const costs = "cost per query"

// latency is the cost model whose costs are measured times. All records of a night share the load of its machines, so
// they are no independent evidence, and times are not compared.
const latency = "latency"

// oracle is the setting in which the master is the reference.
const oracle = "oracle"

// number is one number of a row of the table, and how a run's records make it.
type number struct {
	metric, unit string
	lower        bool // is better

	// values of every test record that the number follows from; nil = not known, and no such function: not tested
	columns func(*plays) [][]float64
	sums    func(sums []float64) float64 // of the columns, if it is not the mean of the one
	counted *metrics.Metric              // of the confusion matrix of true and predicted classes
}

// of is the number that columns make.
func (n *number) of(columns [][]float64, k int) float64 {
	switch {
	case n.counted != nil:
		c, places := metrics.Occupied(k, whole(columns[0]))
		counts := make([]float64, c.Len())
		for _, at := range places[0] {
			counts[at]++
		}
		return n.counted.Counts(c, counts)(c, counts)
	case n.sums == nil:
		return average(columns[0])
	}
	sums := make([]float64, len(columns))
	for c, x := range columns {
		sums[c] = total(x)
	}
	return n.sums(sums)
}

// whole are cells as numbers of cells.
func whole(x []float64) []int {
	out := make([]int, len(x))
	for i, v := range x {
		out[i] = int(v)
	}
	return out
}

func total(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

func average(x []float64) float64 { return total(x) / float64(len(x)) }

// alone makes one column of a number's columns; nil = it is not known.
func alone(of func(*plays) []float64) func(*plays) [][]float64 {
	return func(p *plays) [][]float64 {
		if x := of(p); x != nil {
			return [][]float64{x}
		}
		return nil
	}
}

// numbers lists what is compared of a row; known says that its decisions are.
func (s *subject) numbers(old *accept.Row, known bool) []number {
	sameReference := s.old.Setting == s.now.Setting // else errors are against something else
	fails := number{metric: accept.Error, lower: true}
	if s.old.Soft == s.now.Soft && sameReference {
		fails.columns = alone((*plays).errors)
	}
	out := []number{fails}
	for _, name := range s.now.Metrics {
		if _, ok := old.Values[name]; ok {
			out = append(out, performance(name, sameReference))
		}
	}
	if known && s.old.Unit == s.now.Unit && s.old.CostModel == s.now.CostModel && s.now.CostModel != latency {
		out = append(out, number{metric: costs, unit: s.now.Unit, lower: true, columns: alone((*plays).costs)})
	}
	return out
}

// performance is the number of a performance metric.
func performance(name string, sameReference bool) number {
	m, err := metrics.Get(metrics.Name(name))
	n := number{metric: name}
	switch {
	case err != nil || !sameReference:
	case m.Name == metrics.Accuracy:
		n.columns = alone(func(p *plays) []float64 { return p.right(name) })
	case m.Counts != nil:
		n.counted, n.columns = &m, alone((*plays).cells)
	default:
		n.columns = func(p *plays) [][]float64 { return p.scores(name) }
		if m.Sums != nil {
			n.sums = m.Value
		}
	}
	return n
}

// column computes a value of every test record from the model whose answer is final.
func (p *plays) column(of func(i int, a *accept.Answered) float64) []float64 {
	out := make([]float64, len(p.IDs))
	for i := range out {
		out[i] = of(i, &p.Answers[p.final[i]])
	}
	return out
}

// errors are the errors.
func (p *plays) errors() []float64 {
	return p.column(func(i int, a *accept.Answered) float64 {
		if a.Error != nil {
			return a.Error[i]
		}
		return float64(tell(!a.Right[i]))
	})
}

// costs are what every query costs.
func (p *plays) costs() []float64 {
	return p.column(func(i int, _ *accept.Answered) (all float64) {
		for m := range p.Models {
			if p.asked[i]>>m&1 == 1 {
				all += p.Answers[m].Cost[i]
			}
		}
		return all
	})
}

// scores are the columns that a metric averages or adds up; nil = they are not known.
func (p *plays) scores(metric string) (out [][]float64) {
	if slices.ContainsFunc(p.Answers, func(a accept.Answered) bool { return a.Scores[metric] == nil }) {
		return nil
	}
	for c := range p.Answers[0].Scores[metric] {
		out = append(out, p.column(func(i int, a *accept.Answered) float64 { return a.Scores[metric][c][i] }))
	}
	return out
}

// cells are the cells of the confusion matrix of the true and the predicted class of every test record, among the
// labels of both runs; nil = there are none.
func (p *plays) cells() []float64 {
	last, known := p.Answers[len(p.Answers)-1].Class, true
	out := p.column(func(i int, a *accept.Answered) float64 {
		truth, class := p.truth(i), -1
		if p.Setting == oracle {
			if truth = -1; last != nil && last[i] >= 0 {
				truth = p.codes[last[i]]
			}
		}
		if a.Class != nil {
			class = a.Class[i]
		}
		if known = known && truth >= 0 && class >= 0; !known {
			return 0
		}
		return float64(metrics.Cell(truth, p.codes[class], p.k))
	})
	if !known {
		return nil
	}
	return out
}

// right says whether the class is the true one; where grades are recorded and give the table's value, whether the
// answer is right.
func (p *plays) right(metric string) []float64 {
	if c := p.cells(); c != nil {
		hits := p.column(func(i int, _ *accept.Answered) float64 { return float64(tell(!wrong(c[i], p.k))) })
		if p.frozen || matches(average(hits), p.row.Values[metric]) {
			return hits
		}
	}
	return p.column(func(i int, a *accept.Answered) float64 { return float64(tell(a.Right[i])) })
}

// wrong reports whether a cell of k labels is of a wrong class.
func wrong(cell float64, k int) bool { return int(cell)/k != int(cell)%k }

// matches reports whether a value that follows from the columns is that of the table.
func matches(value, table float64) bool {
	return math.Abs(float64(value)-table) <= float64(1e-9*(1+math.Abs(table)))
}

// quantities lists what the tables of both runs have in common, with what is to be tested of it.
func (s *subject) quantities() (out []*hypothesis) {
	sameInputs := s.sameInputs()
	for i := range s.now.Rows {
		now := &s.now.Rows[i]
		old := rowOf(s.old.Pair, now.Policy)
		if old == nil {
			continue
		}
		before, after := s.old.plays(old), s.now.plays(now)
		known := before != nil && after != nil
		accepted := after
		if known && !sameInputs && now.Policy != accept.None && now.Policy != accept.All {
			accepted = s.thawed(after, old)
		}
		for _, n := range s.numbers(old, known) {
			h := &hypothesis{number: n, s: s, q: &Quantity{Cascade: s.now.Cascade, Dataset: s.now.Dataset,
				Policy: now.Policy, Title: now.Title, Metric: n.metric, Unit: n.unit, Lower: n.lower, P: 1, Adjusted: 1,
				Old: old.Values[n.metric], New: now.Values[n.metric]}}
			if n.metric == costs {
				h.q.Old, h.q.New = average(before.costs()), average(after.costs())
			}
			if known && accepted != nil && n.columns != nil {
				h.fill(before, after, accepted)
			}
			out = append(out, h)
		}
	}
	return out
}

// fill keeps the values of the records of both test parts, where the columns give the tables' numbers: where they do
// not, it is not known how the number came about, and it is not tested. Decided by the accepted thresholds the new
// values are others, unless the policies as fitted differ in no record.
func (h *hypothesis) fill(before, after, accepted *plays) {
	x, y, k := h.columns(before), h.columns(after), h.s.now.k
	if x == nil || len(x) != len(y) || !matches(h.of(x, k), h.q.Old) || !matches(h.of(y, k), h.q.New) {
		return
	}
	h.x, h.y = h.s.pick(x, 0), h.s.pick(y, 1)
	if accepted != after && h.differs() {
		if at := h.columns(accepted); at != nil {
			h.y = h.s.pick(at, 1)
			v := h.of(h.y, k)
			h.q.AtAccepted = &v
		}
	}
}

// pick takes the pairs' values of one side.
func (s *subject) pick(columns [][]float64, side int) [][]float64 {
	out := make([][]float64, len(columns))
	for c := range out {
		for _, p := range s.pairs {
			out[c] = append(out[c], columns[c][p[side]])
		}
	}
	return out
}
