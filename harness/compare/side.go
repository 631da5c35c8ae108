package compare

import (
	"math"
	"slices"

	"infnet/harness/accept"
	"infnet/metrics"
	"infnet/metrics/infer"
)

// arm is one run's side of a comparison: a cascade on a dataset, on the records of its test part.
type arm struct {
	run     *accept.Run
	cascade *accept.Cascade
	m       *accept.Measured
	data    *accept.Data
	test    []int // by place in the test part: the record
	codes   []int // of its labels, among the k of both runs
	k       int
}

func newArm(r *accept.Run, c *accept.Cascade, m *accept.Measured) *arm {
	a := &arm{run: r, cascade: c, m: m, data: dataOf(r, m.Dataset)}
	for i, part := range m.Part {
		if part == accept.TestPart {
			a.test = append(a.test, i)
		}
	}
	return a
}

// plays are what a row decided on the test records: of each the place of the model whose answer is final, and the
// models that were asked, as the sum of 2^place.
type plays struct {
	*arm
	row          *accept.Row
	final, asked []int
	fitted       *plays // of the same row as its own run fitted it; nil = these are
}

// plays are a row's decisions; nil = not all are known.
func (a *arm) plays(r *accept.Row) *plays {
	p := &plays{arm: a, row: r}
	for _, i := range a.test {
		if r.Final == nil || r.Final[i] < 0 {
			return nil
		}
		p.add(i, r.Final[i], 0)
	}
	return p
}

// add adds a record's decision. asked counts where the row says whom it asks; elsewhere that follows from its charge.
func (p *plays) add(record, final, asked int) {
	one := 1 << final
	switch r := p.row; {
	case r.Asked != nil && r.Asked[record] >= 0:
		if asked |= one; p.fitted == nil {
			asked = r.Asked[record]
		}
	case r.Charge == "parallel":
		asked = 1<<len(p.m.Models) - 1
	case r.Charge == "router":
		asked = one
	case len(p.m.Models) > 2: // a pair of a longer cascade says whom it asks; else there is the first and the last
		asked = one | 1
	default:
		asked = 2*one - 1
	}
	p.final, p.asked = append(p.final, final), append(p.asked, asked)
}

// column computes a value of every test record from the model whose answer is final.
func (p *plays) column(of func(n int, m *accept.Answered) float64) []float64 {
	out := make([]float64, len(p.test))
	for n := range out {
		out[n] = of(n, &p.m.Models[p.final[n]])
	}
	return out
}

// errors are the errors.
func (p *plays) errors() []float64 {
	return p.column(func(n int, m *accept.Answered) float64 {
		if m.Error != nil {
			return m.Error[n]
		}
		return float64(tell(!m.Right[p.test[n]]))
	})
}

// deferred says which records are asked of the last model.
func (p *plays) deferred() []float64 {
	return p.column(func(n int, _ *accept.Answered) float64 { return float64(p.asked[n] >> (len(p.m.Models) - 1) & 1) })
}

// costs are what every query costs.
func (p *plays) costs() []float64 {
	return p.column(func(n int, _ *accept.Answered) (all float64) {
		for m := range p.m.Models {
			if p.asked[n]>>m&1 == 1 {
				all += p.m.Models[m].Cost[n]
			}
		}
		return all
	})
}

// scores are the columns that a metric averages or adds up; nil = they are not known.
func (p *plays) scores(metric string) (out [][]float64) {
	if slices.ContainsFunc(p.m.Models, func(m accept.Answered) bool { return m.Scores[metric] == nil }) {
		return nil
	}
	for c := range p.m.Models[0].Scores[metric] {
		out = append(out, p.column(func(n int, m *accept.Answered) float64 { return m.Scores[metric][c][n] }))
	}
	return out
}

// cells are the cells of the confusion matrix of the true and the predicted class of every test record, among the
// labels of both runs; nil = there are none.
func (p *plays) cells() []float64 {
	master := p.cascade.Setting == oracle
	last := p.m.Models[len(p.m.Models)-1].Class
	if p.data.Class == nil && !master || last == nil {
		return nil
	}
	known := true
	out := p.column(func(n int, m *accept.Answered) float64 {
		truth, class := last[n], -1
		if !master {
			truth = p.data.Class[p.test[n]]
		}
		if m.Class != nil {
			class = m.Class[n]
		}
		if known = known && truth >= 0 && class >= 0; !known {
			return 0
		}
		return float64(metrics.Cell(p.codes[truth], p.codes[class], p.k))
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
		hits := p.column(func(n int, _ *accept.Answered) float64 { return float64(tell(!wrong(c[n], p.k))) })
		if p.fitted != nil || matches(average(hits), p.row.Values[metric][0]) {
			return hits
		}
	}
	return p.column(func(n int, m *accept.Answered) float64 { return float64(tell(m.Right[p.test[n]])) })
}

// wrong reports whether a cell of k labels is of a wrong class.
func wrong(cell float64, k int) bool { return int(cell)/k != int(cell)%k }

// matches reports whether a value that follows from the columns is that of the table.
func matches(value, table float64) bool {
	return math.Abs(float64(value)-table) <= float64(1e-9*(1+math.Abs(table)))
}

// measured is the interval of the mean of costs, which no table has.
func (p *plays) measured() infer.Interval {
	x, n, v := p.costs(), float64(len(p.test)), 0.0
	m := average(x)
	for _, y := range x {
		v += (y - m) * (y - m) / (n - 1)
	}
	half := upper((1-p.run.Level)/2) * math.Sqrt(v/n)
	if math.IsNaN(half) {
		half = 0
	}
	return infer.Interval{Value: m, Low: m - half, High: m + half, Level: p.run.Level, N: len(x), Method: "normal"}
}
