package analyze

import (
	"fmt"
	"slices"

	"infnet/harness/baseline"
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
	class     [][]int // by model, then record
	errors    byModel
	costs     byModel
	scores    map[metrics.Name]byModel // per-record metrics
	sums      map[metrics.Name]corpus
	ones      []float64
	groups    []string   // clusters of the test records
	confusion *confusion // nil = nothing was tallied yet
}

// byModel is a column of numbers by test record, for each model.
type byModel [][]float64

// corpus holds the columns that a corpus metric sums, each by model.
type corpus []byModel

func newMeasurer(r *records.Records) (*measurer, error) {
	s := &measurer{r: r, scores: map[metrics.Name]byModel{}, sums: map[metrics.Name]corpus{}}
	for _, i := range r.Test {
		s.groups = append(s.groups, r.Set.Examples[i].Group)
		s.truth = append(s.truth, r.Truth(i))
		s.ones = append(s.ones, 1)
	}
	var err error
	rng := seed.Stream(r.Study.Seed, "bootstrap", r.Stream())
	if s.resamples, err = infer.NewResamples(rng, s.groups,
		infer.Options{Count: resamples(r), Level: r.Study.Report.Level}); err != nil {
		return nil, err
	}
	for _, m := range r.Models {
		s.costs = append(s.costs, records.Pick(m.Costs, r.Test))
		s.errors = append(s.errors, m.Errors(r.Test))
		s.class = append(s.class, records.Pick(m.Class, r.Test))
	}
	for _, name := range r.Dataset.Metrics {
		metric, err := metrics.Get(metrics.Name(name))
		if err != nil {
			return nil, err
		}
		s.metrics = append(s.metrics, metric)
		s.prepare(metric)
	}
	return s, nil
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
	case metric.Counts != nil:
	case metric.Sums != nil:
		sums := make(corpus, metric.Width)
		for c := range sums {
			sums[c] = make(byModel, len(s.r.Models))
			for m := range s.r.Models {
				sums[c][m] = make([]float64, len(s.r.Test))
			}
		}
		for m := range s.r.Models {
			for k, i := range s.r.Test {
				for c, v := range metric.Sums(s.r.Text(m, i), s.r.Accepted(i)) {
					sums[c][m][k] = v
				}
			}
		}
		s.sums[metric.Name] = sums
	default:
		var scores byModel
		for _, m := range s.r.Models {
			scores = append(scores, records.Pick(m.Scores[metric.Name], s.r.Test))
		}
		s.scores[metric.Name] = scores
	}
}

// pair is the plan of a cascade's first and last model. weight[k] is the
// probability that test record k is deferred: 0 or 1 for a policy, p for one
// that defers at random.
func (s *measurer) pair(weight []float64, charge cost.Charge) plan {
	stays := make([]float64, len(weight))
	for i, w := range weight {
		stays[i] = 1 - w
	}
	return plan{models: []int{student, s.r.Last()}, final: [][]float64{stays, weight}, charge: charge}
}

// row measures decisions of a pair; see pair.
func (s *measurer) row(name, title string, weight []float64, charge cost.Charge) (row, error) {
	return s.measure(name, title, s.pair(weight, charge))
}

// measure measures a plan on the test part.
func (s *measurer) measure(name, title string, p plan) (row, error) {
	out := row{plan: p, Row: result.Row{
		Policy: name, Title: title, Charge: string(p.charge), Metrics: map[string]infer.Interval{},
	}}
	failed := func(what string, err error) (row, error) { return out, fmt.Errorf("row %s, %s: %w", name, what, err) }
	for _, m := range s.metrics {
		iv, err := s.metric(m, p)
		if err != nil {
			return failed("metric "+string(m.Name), err)
		}
		out.Metrics[string(m.Name)] = iv
	}
	var err error
	if out.Error, err = s.resamples.RateOf(p.mix(s.errors)); err != nil {
		return failed("error", err)
	}
	p.constant = p.constant || len(p.models) == 1 || baseline.Of(baseline.Kind(name)).Constant
	if err = s.shares(&out.Row, p); err != nil {
		return failed("deferred", err)
	}
	if out.Saved, err = s.saved(p); err != nil {
		return failed("cost saved", err)
	}
	least, most := s.payable(p, s.costs)
	if out.SavedPerQuery, err = s.resamples.Saved(s.paid(p), least, most, s.costs[s.r.Last()]); err != nil {
		return failed("cost saved per query", err)
	}
	if out.Latency, err = s.latency(p); err != nil {
		return failed("latency", err)
	}
	return out, nil
}

// shares fills in the share of records that each model is asked.
func (s *measurer) shares(row *result.Row, p plan) (err error) {
	last := make([]float64, len(s.ones))
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
	switch {
	case m.Name == metrics.Accuracy: // a share, which has an exact interval
		return s.resamples.RateOf(p.mix(s.right()))
	case m.Counts != nil:
		return s.counts(m, p)
	case m.Sums != nil:
		return s.resamples.Of(m.Value, m.Low, m.High, s.corpus(m, p)...)
	}
	return s.resamples.MeanWithin(p.mix(s.scores[m.Name]), m.Low, m.High)
}

// corpus returns the columns that a corpus metric is computed from.
func (s *measurer) corpus(m metrics.Metric, p plan) [][]float64 {
	columns := make([][]float64, m.Width)
	for c, each := range s.sums[m.Name] {
		columns[c] = p.mix(each)
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

// right is 1 where a model predicts the reference's class, or has the recorded grade of a right answer, by
// model.
func (s *measurer) right() [][]float64 {
	out := make([][]float64, len(s.class))
	for model := range out {
		out[model] = make([]float64, len(s.truth))
		if s.graded() {
			for i, right := range s.r.Models[model].Right(s.r.Test) {
				if right {
					out[model][i] = 1
				}
			}
			continue
		}
		for i, c := range s.class[model] {
			if c == s.truth[i] {
				out[model][i] = 1
			}
		}
	}
	return out
}

// graded reports whether grades are recorded.
func (s *measurer) graded() bool { return s.r.Dataset.Correct.Rule == task.Recorded }

// counts measures a metric of the confusion matrix. Of decisions by chance it
// takes the expected matrix.
func (s *measurer) counts(m metrics.Metric, p plan) (infer.Interval, error) {
	k := len(s.r.Dataset.Labels)
	cells := make([][]int, len(p.models))
	for place, model := range p.models {
		for i := range s.truth {
			cells[place] = append(cells[place], metrics.Cell(s.truth[i], s.class[model][i], k))
		}
	}
	c, places := metrics.Occupied(k, cells...)
	full := make([]float64, c.Len())
	for place := range p.models {
		for i := range s.truth {
			full[places[place][i]] += p.final[place][i]
		}
	}
	value := m.Counts(c, full)
	iv, err := s.resamples.OfCells(c.Len(), places, p.final, m.Low, m.High, func(counts []float64) float64 {
		return value(c, counts)
	})
	if err != nil {
		return iv, err
	}
	return s.atTheEdge(iv, c, full, value)
}

// atTheEdge gives an interval of a confusion matrix's metric a width where it has none at the end of its range.
func (s *measurer) atTheEdge(iv infer.Interval, c metrics.Confusion, full []float64,
	value func(metrics.Confusion, []float64) float64) (infer.Interval, error) {
	return s.resamples.AtTheEdge(iv, c.K, c.Cells, full, func(cells []int, counts []float64) float64 {
		return value(metrics.Confusion{K: c.K, Cells: cells}, counts)
	})
}

// cells returns each record's cell of the confusion matrix; ok is false where
// some decision is by chance.
func (s *measurer) cells(p plan, k int) (cells []int, ok bool) {
	cells = make([]int, 0, len(s.truth))
	for i := range s.truth {
		place := p.certain(i)
		if place < 0 {
			return nil, false
		}
		cells = append(cells, metrics.Cell(s.truth[i], s.class[p.models[place]][i], k))
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
	fixed := s.fixed()
	paid := s.paidAt(p, fixed)
	least, most := s.payable(p, fixed)
	if slices.Min(paid) == slices.Max(paid) && (p.constant || paid[0] > least[0] && paid[0] < most[0]) {
		return byDefinition(100*(1-paid[0]/master), s.resamples), nil
	}
	iv, err := s.resamples.MeanWithin(paid, slices.Min(least), slices.Max(most))
	iv.Value = float64(100 * (1 - iv.Value/master))
	iv.Low, iv.High = float64(100*(1-iv.High/master)), float64(100*(1-iv.Low/master))
	return iv, err
}

// fixed is what the models' answers cost by the constants of the fit part.
func (s *measurer) fixed() byModel {
	out := make(byModel, len(s.r.Models))
	for m := range out {
		out[m] = slices.Repeat([]float64{s.r.Models[m].Cost.Summary}, len(s.ones))
	}
	return out
}

// payable returns the least and the most that each query could have paid.
func (s *measurer) payable(p plan, of byModel) (least, most []float64) {
	costs := make([]float64, len(p.models))
	for i := range s.ones {
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

// paid returns the expected cost of each query.
func (s *measurer) paid(p plan) []float64 { return s.paidAt(p, s.costs) }

// paidAt returns the expected cost of each query where the models cost that much.
func (s *measurer) paidAt(p plan, of byModel) []float64 {
	out := make([]float64, len(s.ones))
	costs := make([]float64, len(p.models))
	for i := range out {
		for place, m := range p.models {
			costs[place] = of[m][i]
		}
		for place, w := range p.final {
			out[i] += float64(w[i] * p.charge.Stop(costs, place))
		}
		out[i] += p.overhead
	}
	return out
}
