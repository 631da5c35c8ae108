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

// final is the place of the model whose answer to the n-th test record is a row's.
func (a *arm) final(r *accept.Row, n int) int { return r.Final[a.test[n]] }

// asked reports whether a row asks the model at a place for the n-th test record.
func (a *arm) asked(r *accept.Row, n, model int) bool {
	if r.Asked != nil && r.Asked[a.test[n]] >= 0 {
		return r.Asked[a.test[n]]>>model&1 == 1
	}
	switch final := a.final(r, n); {
	case r.Charge == "parallel":
		return true
	case r.Charge == "router" || model == final:
		return model == final
	case len(a.m.Models) > 2: // a pair of a longer cascade says whom it asks; else there is the first and the last
		return model == 0
	default:
		return model < final
	}
}

// decided reports whether a row's decisions about all test records are known.
func (a *arm) decided(r *accept.Row) bool {
	return r.Final != nil && !slices.ContainsFunc(a.test, func(i int) bool { return r.Final[i] < 0 })
}

// column computes a value of every test record.
func (a *arm) column(of func(n int) float64) []float64 {
	out := make([]float64, len(a.test))
	for n := range out {
		out[n] = of(n)
	}
	return out
}

// errors are a row's errors.
func (a *arm) errors(r *accept.Row) []float64 {
	return a.column(func(n int) float64 {
		m := &a.m.Models[a.final(r, n)]
		switch {
		case m.Error != nil:
			return m.Error[n]
		case m.Right[a.test[n]]:
			return 0
		}
		return 1
	})
}

// deferred says which records are asked of the last model.
func (a *arm) deferred(r *accept.Row) []float64 {
	last := len(a.m.Models) - 1
	return a.column(func(n int) float64 { return float64(tell(a.asked(r, n, last))) })
}

// costs are what every query costs.
func (a *arm) costs(r *accept.Row) []float64 {
	return a.column(func(n int) (all float64) {
		for m := range a.m.Models {
			if a.asked(r, n, m) {
				all += a.m.Models[m].Cost[n]
			}
		}
		return all
	})
}

// scores are the columns that a metric averages or adds up; nil = they are not known.
func (a *arm) scores(r *accept.Row, metric string) (out [][]float64) {
	for m := range a.m.Models {
		if a.m.Models[m].Scores[metric] == nil {
			return nil
		}
	}
	for c := range a.m.Models[0].Scores[metric] {
		out = append(out, a.column(func(n int) float64 { return a.m.Models[a.final(r, n)].Scores[metric][c][n] }))
	}
	return out
}

// cells are the cells of the confusion matrix of the true and the predicted class of every test record, among the
// labels of both runs; nil = there are none.
func (a *arm) cells(r *accept.Row) []float64 {
	last := a.m.Models[len(a.m.Models)-1].Class
	if a.data.Class == nil && a.cascade.Setting != oracle || last == nil {
		return nil
	}
	out := make([]float64, len(a.test))
	for n := range a.test {
		m := &a.m.Models[a.final(r, n)]
		if m.Class == nil {
			return nil
		}
		truth, class := last[n], m.Class[n]
		if a.cascade.Setting != oracle {
			truth = a.data.Class[a.test[n]]
		}
		if truth < 0 || class < 0 {
			return nil
		}
		out[n] = float64(metrics.Cell(a.codes[truth], a.codes[class], a.k))
	}
	return out
}

// right says whether a row's class is the true one; where grades are recorded and give the table's value, whether its
// answer is right.
func (a *arm) right(r *accept.Row, metric string) []float64 {
	if c := a.cells(r); c != nil {
		x := a.column(func(n int) float64 { return float64(tell(int(c[n])/a.k == int(c[n])%a.k)) })
		if own := rowOf(a.m, r.Policy); r != own || matches(average(x), own.Values[metric][0]) {
			return x
		}
	}
	return a.column(func(n int) float64 { return float64(tell(a.m.Models[a.final(r, n)].Right[a.test[n]])) })
}

// matches reports whether a value that follows from the columns is that of the table.
func matches(value, table float64) bool {
	return math.Abs(float64(value)-table) <= float64(1e-9*(1+math.Abs(table)))
}

// measured is the interval of a mean that no table has.
func (a *arm) measured(x []float64) infer.Interval {
	n := float64(len(x))
	m, v := average(x), 0.0
	for _, y := range x {
		v += (y - m) * (y - m) / (n - 1)
	}
	half := upper((1-a.run.Level)/2) * math.Sqrt(v/n)
	if math.IsNaN(half) {
		half = 0
	}
	return infer.Interval{Value: m, Low: m - half, High: m + half, Level: a.run.Level, N: len(x), Method: "normal"}
}
