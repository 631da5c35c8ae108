package analyze

import (
	"slices"

	"infnet/harness/cost"
	"infnet/harness/records"
	"infnet/harness/seed"
	"infnet/harness/task"
	"infnet/metrics"
	"infnet/metrics/infer"
)

// measurer measures decisions on the test part. All rows share one set of
// resamples, so that their differences can be taken resample by resample.
type measurer struct {
	r         *records.Records
	resamples *infer.Resamples
	metrics   []metrics.Metric
	truth     []int
	errors    byModel
	costs     byModel
	fixed     byModel                    // costs by the constants of the fit part
	columns   map[metrics.Name][]byModel // what metrics are means of, or sum; nothing for those of the confusion matrix
	groups    []string                   // clusters of the test records
	confusion metrics.Confusion          // of the cells that the answers of any model fall in
	cells     [][]int                    // a model's answers in them, by model, then record; nil = no metric asks
}

// byModel is a column of numbers by test record, for each model.
type byModel [][]float64

func withoutMetrics(r *records.Records) (s *measurer, err error) {
	s = &measurer{r: r, columns: map[metrics.Name][]byModel{}, groups: groupsOf(r, r.Test)}
	for _, i := range r.Test {
		s.truth = append(s.truth, r.Truth(i))
	}
	for _, m := range r.Models {
		s.costs = append(s.costs, records.Pick(m.Costs, r.Test))
		s.fixed = append(s.fixed, slices.Repeat([]float64{m.Cost.Summary}, len(r.Test)))
		s.errors = append(s.errors, m.Errors(r.Test))
	}
	s.resamples, err = newResamples(r)
	return s, err
}

func newMeasurer(r *records.Records) (*measurer, error) {
	s, err := withoutMetrics(r)
	if err != nil {
		return nil, err
	}
	for _, name := range r.Dataset.Metrics {
		metric, err := metrics.Get(metrics.Name(name))
		if err != nil {
			return nil, err
		}
		s.metrics, s.columns[metric.Name] = append(s.metrics, metric), s.columnsOf(metric)
	}
	if slices.ContainsFunc(s.metrics, func(m metrics.Metric) bool { return s.columns[m.Name] == nil }) {
		for m := range r.Models {
			cells := records.Pick(r.Models[m].Class, r.Test)
			for i, class := range cells {
				cells[i] = metrics.Cell(s.truth[i], class, len(r.Dataset.Labels))
			}
			s.cells = append(s.cells, cells)
		}
		s.confusion, s.cells = metrics.Occupied(len(r.Dataset.Labels), s.cells...)
	}
	return s, nil
}

func groupsOf(r *records.Records, examples []int) (out []string) {
	for _, i := range examples {
		out = append(out, r.Set.Examples[i].Group)
	}
	return out
}

// newResamples resamples the test records: the same draws whenever it is called.
func newResamples(r *records.Records) (*infer.Resamples, error) {
	return resample(r, "bootstrap", groupsOf(r, r.Test))
}

// resample resamples records of these groups. A repeated split has no resamples: only the values of its rows are used.
func resample(r *records.Records, stream string, groups []string) (*infer.Resamples, error) {
	n := r.Study.Report.Bootstrap
	if r.Repeat > 0 {
		n = 1
	}
	return infer.NewResamples(seed.Stream(r.Study.Seed, stream, r.Stream()), groups,
		infer.Options{Count: n, Level: r.Study.Report.Level})
}

// columnsOf computes a metric's columns for all models; nil = it is of the confusion matrix.
func (s *measurer) columnsOf(metric metrics.Metric) []byModel {
	out := make([]byModel, max(1, metric.Width))
	for m := range s.r.Models {
		of := &s.r.Models[m]
		switch {
		case metric.Name == metrics.Accuracy && s.r.Classifies() && s.r.Dataset.Correct.Rule != task.Recorded:
			column := make([]float64, len(s.truth))
			for k, i := range s.r.Test {
				column[k] = indicator(of.Class[i] == s.truth[k])
			}
			out[0] = append(out[0], column)
		case metric.Name == metrics.Accuracy:
			out[0] = append(out[0], indicators(of.Right(s.r.Test)))
		case metric.Counts != nil:
			return nil
		case metric.Sums != nil:
			for c := range out {
				out[c] = append(out[c], make([]float64, len(s.r.Test)))
			}
			for k, i := range s.r.Test {
				for c, v := range metric.Sums(s.r.Text(m, i), s.r.Accepted(i)) {
					out[c][m][k] = v
				}
			}
		default:
			out[0] = append(out[0], records.Pick(of.Scores[metric.Name], s.r.Test))
		}
	}
	return out
}

// metric measures one metric of a mixture of the models' answers. One of the confusion matrix takes, of decisions by
// chance, the expected matrix.
func (s *measurer) metric(m metrics.Metric, p plan) (infer.Interval, error) {
	columns := s.mixed(m, p)
	switch {
	case m.Name == metrics.Accuracy: // a share, which has an exact interval
		return s.resamples.RateOf(columns[0])
	case columns != nil && m.Sums != nil:
		return s.resamples.Of(m.Value, m.Low, m.High, columns...)
	case columns != nil:
		return s.resamples.MeanWithin(columns[0], m.Low, m.High)
	}
	c, full, places := s.confusion, make([]float64, s.confusion.Len()), make([][]int, len(p.models))
	for place, model := range p.models {
		places[place] = s.cells[model]
		for i, at := range s.cells[model] {
			full[at] += p.final[place][i]
		}
	}
	value := m.Counts(c, full)
	iv, err := s.resamples.OfCells(c.Len(), places, p.final, m.Low, m.High, func(counts []float64) float64 {
		return value(c, counts)
	})
	if err != nil {
		return iv, err
	}
	// An interval without width at the end of the range gets one.
	return s.resamples.AtTheEdge(iv, c.K, c.Cells, full, func(cells []int, counts []float64) float64 {
		return value(metrics.Confusion{K: c.K, Cells: cells}, counts)
	})
}

// mixed returns the columns that a metric is computed from; nil = it is of the confusion matrix.
func (s *measurer) mixed(m metrics.Metric, p plan) (columns [][]float64) {
	for _, each := range s.columns[m.Name] {
		columns = append(columns, p.mix(each))
	}
	return columns
}

// share measures the share of records that a model is asked. Where a policy gives every record the same probability,
// the share is not an estimate but its definition, and its interval has no width.
func (s *measurer) share(asked []float64, constant bool) (infer.Interval, error) {
	if slices.Min(asked) == slices.Max(asked) && (constant || asked[0] > 0 && asked[0] < 1) {
		return byDefinition(asked[0], s.resamples), nil
	}
	return s.resamples.RateOf(asked)
}

// byDefinition is a number that is no estimate.
func byDefinition(v float64, rs *infer.Resamples) infer.Interval {
	return infer.Interval{Value: v, Low: v, High: v, Level: rs.Level(), N: rs.Records(), Method: "by definition"}
}

// saved measures the saving with the cost constants of the fit part: what a query costs then follows from the models
// that it asks.
func (s *measurer) saved(p plan) (infer.Interval, error) {
	master := s.r.Master().Cost.Summary
	if _, err := cost.Saved(0, master); err != nil {
		return infer.Interval{}, err
	}
	paid := p.paid(s.fixed)
	least, most := p.payable(s.fixed)
	if slices.Min(paid) == slices.Max(paid) && (p.constant || paid[0] > least[0] && paid[0] < most[0]) {
		return byDefinition(100*(1-paid[0]/master), s.resamples), nil
	}
	iv, err := s.resamples.MeanWithin(paid, slices.Min(least), slices.Max(most))
	iv.Value = float64(100 * (1 - iv.Value/master))
	iv.Low, iv.High = float64(100*(1-iv.High/master)), float64(100*(1-iv.Low/master))
	return iv, err
}

// charged is what answers cost: their own, or what the study says, whatever that is.
func (s *measurer) charged() byModel {
	if s.r.Study.Cost.Summary != cost.Mean {
		return s.fixed
	}
	return s.costs
}

// clustered reports whether some test records share a source.
func (s *measurer) clustered() bool { return s.resamples.Clusters() < s.resamples.Records() }

// tallied measures metrics, without intervals, of decisions that leave nothing to
// chance. It counts the cells of the confusion matrix as decisions are made, so that
// a curve of many points or a thousand draws of coins need not go through it again.
type tallied struct {
	s      *measurer
	final  []int // position of the model whose answer counts, by test record
	counts []float64
}

func (s *measurer) tally(model int) *tallied {
	t := &tallied{s: s, final: slices.Repeat([]int{model}, len(s.truth))}
	t.recount()
	return t
}

func (t *tallied) recount() {
	t.counts = make([]float64, t.s.confusion.Len())
	if t.s.cells == nil {
		return
	}
	for i, m := range t.final {
		t.counts[t.s.cells[m][i]]++
	}
}

func (t *tallied) move(record, model int) {
	if t.s.cells != nil {
		t.counts[t.s.cells[t.final[record]][record]]--
		t.counts[t.s.cells[model][record]]++
	}
	t.final[record] = model
}

func (t *tallied) value(m metrics.Metric) float64 {
	columns := t.s.columns[m.Name]
	if columns == nil {
		c := t.s.confusion
		return m.Counts(c, t.counts)(c, t.counts)
	}
	sums := make([]float64, len(columns))
	for c, column := range columns {
		for i, model := range t.final {
			sums[c] += column[model][i]
		}
	}
	if m.Sums != nil {
		return m.Value(sums)
	}
	return sums[0] / float64(len(t.final))
}
