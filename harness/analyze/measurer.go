package analyze

import (
	"slices"

	"infnet/harness/cost"
	"infnet/harness/records"
	"infnet/harness/result"
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

// withoutMetrics measures errors and costs alone.
func withoutMetrics(r *records.Records) (*measurer, error) {
	s := &measurer{r: r, columns: map[metrics.Name][]byModel{}}
	for _, i := range r.Test {
		s.truth = append(s.truth, r.Truth(i))
	}
	var err error
	s.groups = groupsOf(r)
	if s.resamples, err = newResamples(r); err != nil {
		return nil, err
	}
	for _, m := range r.Models {
		s.costs = append(s.costs, records.Pick(m.Costs, r.Test))
		s.fixed = append(s.fixed, slices.Repeat([]float64{m.Cost.Summary}, len(r.Test)))
		s.errors = append(s.errors, m.Errors(r.Test))
	}
	return s, nil
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
		s.metrics = append(s.metrics, metric)
		s.prepare(metric)
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

// groupsOf are the clusters of the test records.
func groupsOf(r *records.Records) (out []string) {
	for _, i := range r.Test {
		out = append(out, r.Set.Examples[i].Group)
	}
	return out
}

// newResamples resamples the test records: the same draws whenever it is called.
func newResamples(r *records.Records) (*infer.Resamples, error) {
	return infer.NewResamples(seed.Stream(r.Study.Seed, "bootstrap", r.Stream()), groupsOf(r),
		infer.Options{Count: resamples(r), Level: r.Study.Report.Level})
}

// resamples returns the number of bootstrap resamples. A repeated split has none:
// only the values of its rows are used.
func resamples(r *records.Records) int {
	if r.Repeat > 0 {
		return 1
	}
	return r.Study.Report.Bootstrap
}

// prepare computes a metric's columns for all models.
func (s *measurer) prepare(metric metrics.Metric) {
	switch {
	case metric.Name == metrics.Accuracy:
		s.columns[metric.Name] = []byModel{s.right()}
	case metric.Counts != nil:
	case metric.Sums != nil:
		sums := make([]byModel, metric.Width)
		for m := range s.r.Models {
			for c := range sums {
				sums[c] = append(sums[c], make([]float64, len(s.r.Test)))
			}
			for k, i := range s.r.Test {
				for c, v := range metric.Sums(s.r.Text(m, i), s.r.Accepted(i)) {
					sums[c][m][k] = v
				}
			}
		}
		s.columns[metric.Name] = sums
	default:
		var scores byModel
		for _, m := range s.r.Models {
			scores = append(scores, records.Pick(m.Scores[metric.Name], s.r.Test))
		}
		s.columns[metric.Name] = []byModel{scores}
	}
}

// right is 1 where a model predicts the reference's class, or has the recorded grade of a right answer, by
// model.
func (s *measurer) right() (out byModel) {
	for m := range s.r.Models {
		if !s.r.Classifies() || s.r.Dataset.Correct.Rule == task.Recorded {
			out = append(out, indicators(s.r.Models[m].Right(s.r.Test)))
			continue
		}
		column := make([]float64, len(s.truth))
		for k, i := range s.r.Test {
			column[k] = indicator(s.r.Models[m].Class[i] == s.truth[k])
		}
		out = append(out, column)
	}
	return out
}

// shares fills in the share of records that each model is asked.
func (s *measurer) shares(row *result.Row, p plan) (err error) {
	last := make([]float64, len(s.truth))
	if len(s.r.Models) > 2 {
		row.Asked = make([]result.Asked, len(p.models))
	}
	for place, m := range p.models {
		asked := p.asked(place)
		if m == s.r.Last() {
			last = asked
		}
		if row.Asked != nil {
			row.Asked[place].Model = s.r.Cascade.Models[m]
			if row.Asked[place].Share, err = s.share(asked, p.constant); err != nil {
				return err
			}
		}
	}
	row.Deferred, err = s.share(last, p.constant)
	return err
}

// metric measures one metric of a mixture of the models' answers.
func (s *measurer) metric(m metrics.Metric, p plan) (infer.Interval, error) {
	columns := s.mixed(m, p)
	switch {
	case columns == nil:
		return s.counts(m, p)
	case m.Name == metrics.Accuracy: // a share, which has an exact interval
		return s.resamples.RateOf(columns[0])
	case m.Sums != nil:
		return s.resamples.Of(m.Value, m.Low, m.High, columns...)
	}
	return s.resamples.MeanWithin(columns[0], m.Low, m.High)
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

// counts measures a metric of the confusion matrix. Of decisions by chance it
// takes the expected matrix.
func (s *measurer) counts(m metrics.Metric, p plan) (infer.Interval, error) {
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

// cellsOf returns each record's cell of the confusion matrix; ok is false where
// some decision is by chance.
func (s *measurer) cellsOf(p plan) (cells []int, ok bool) {
	for i := range s.truth {
		place := p.certain(i)
		if place < 0 {
			return nil, false
		}
		cells = append(cells, s.cells[p.models[place]][i])
	}
	return cells, true
}

// saved measures the saving with the cost constants of the fit part: what a query costs then follows from the models
// that it asks.
func (s *measurer) saved(p plan) (infer.Interval, error) {
	master := s.r.Master().Cost.Summary
	if _, err := cost.Saved(0, master); err != nil {
		return infer.Interval{}, err
	}
	paid := p.paid(s.fixed)
	least, most := s.payable(p, s.fixed)
	if slices.Min(paid) == slices.Max(paid) && (p.constant || paid[0] > least[0] && paid[0] < most[0]) {
		return byDefinition(100*(1-paid[0]/master), s.resamples), nil
	}
	iv, err := s.resamples.MeanWithin(paid, slices.Min(least), slices.Max(most))
	iv.Value = float64(100 * (1 - iv.Value/master))
	iv.Low, iv.High = float64(100*(1-iv.High/master)), float64(100*(1-iv.Low/master))
	return iv, err
}

// payable returns the least and the most that each query could have paid.
func (s *measurer) payable(p plan, of byModel) (least, most []float64) {
	costs := make([]float64, len(p.models))
	for i := range s.truth {
		for place, m := range p.models {
			costs[place] = of[m][i]
		}
		low, high := p.charge.Stop(costs, 0), p.charge.Stop(costs, 0)
		for place := range p.models {
			stop := p.charge.Stop(costs, place)
			low, high = min(low, stop), max(high, stop)
		}
		least, most = append(least, low+p.overhead), append(most, high+p.overhead)
	}
	return least, most
}
