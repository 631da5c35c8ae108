package analyze

import (
	"fmt"
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

// measure measures a plan on the test part. What is a function of sums is
// resampled together.
func (s *measurer) measure(name, title string, p plan) (row, error) {
	out := row{plan: p, Row: result.Row{
		Policy: name, Title: title, Charge: string(p.charge), Metrics: map[string]infer.Interval{},
	}}
	b, prefix := s.resamples.Batch(), "row "+name+", "
	values := make([]infer.Interval, len(s.metrics))
	for k, m := range s.metrics {
		if err := s.metric(b, prefix+"metric "+string(m.Name), &values[k], m, p); err != nil {
			return out, err
		}
	}
	b.RateOf(prefix+"error", &out.Error, p.mix(s.errors))
	s.shares(b, prefix+"deferred", &out.Row, p)
	if err := s.saved(b, prefix+"cost saved", &out.Saved, p); err != nil {
		return out, err
	}
	b.Saved(prefix+"cost saved per query", &out.SavedPerQuery, s.paid(p), s.costs[s.r.Last()])
	if err := b.Run(); err != nil {
		return out, err
	}
	for k, m := range s.metrics {
		out.Metrics[string(m.Name)] = values[k]
	}
	var err error
	if out.Latency, err = s.latency(p); err != nil {
		return out, fmt.Errorf("row %s: %w", name, err)
	}
	return out, nil
}

// shares fills in the share of records that each model is asked.
func (s *measurer) shares(b *infer.Batch, what string, row *result.Row, p plan) {
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
			s.share(b, what, &row.Asked[place].Share, asked)
		}
	}
	s.share(b, what, &row.Deferred, last)
}

// metric measures one metric of a mixture of the models' answers, some when b is
// run.
func (s *measurer) metric(b *infer.Batch, what string, into *infer.Interval, m metrics.Metric, p plan) (err error) {
	switch {
	case m.Name == metrics.Accuracy: // a share, so that 0 and 1 get an exact interval
		b.RateOf(what, into, p.mix(s.right()))
	case m.Counts != nil:
		if *into, err = s.counts(m, p); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	case m.Sums != nil:
		b.Of(what, into, m.Value, s.corpus(m, p)...)
	default:
		b.MeanWithin(what, into, p.mix(s.scores[m.Name]), m.Low, m.High)
	}
	return nil
}

// corpus returns the columns that a corpus metric is computed from.
func (s *measurer) corpus(m metrics.Metric, p plan) [][]float64 {
	columns := make([][]float64, m.Width)
	for c, each := range s.sums[m.Name] {
		columns[c] = p.mix(each)
	}
	return columns
}

// share measures the share of records that a model is asked. Where every record has
// the same probability, the share is not an estimate but the policy's definition,
// and its interval has no width.
func (s *measurer) share(b *infer.Batch, what string, into *infer.Interval, asked []float64) {
	if slices.Min(asked) == slices.Max(asked) {
		v := asked[0]
		*into = infer.Interval{Value: v, Low: v, High: v, Level: s.resamples.Level(), N: len(asked),
			Method: "by definition"}
		return
	}
	b.RateOf(what, into, asked)
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
	cells, ok := s.cells(p, k)
	if !ok {
		return s.expected(m, p, k)
	}
	c, places := metrics.Occupied(k, cells)
	full := make([]float64, c.Len())
	for _, place := range places[0] {
		full[place]++
	}
	value := m.Counts(c, full)
	iv, err := s.resamples.Counts(places[0], c.Len(), func(counts []float64) float64 { return value(c, counts) })
	if err != nil {
		return iv, err
	}
	return s.atTheEdge(iv, c, full, value)
}

// expected measures a metric of the expected confusion matrix.
func (s *measurer) expected(m metrics.Metric, p plan, k int) (infer.Interval, error) {
	cells := make([][]int, len(p.models))
	for place, model := range p.models {
		for i := range s.truth {
			cells[place] = append(cells[place], metrics.Cell(s.truth[i], s.class[model][i], k))
		}
	}
	c, places := metrics.Occupied(k, cells...)
	full, columns := make([]float64, c.Len()), make([]infer.Sparse, c.Len())
	for i := range s.truth {
		for place := range p.models {
			at, v := places[place][i], p.final[place][i]
			full[at] += v
			x := &columns[at]
			if last := len(x.Records) - 1; last >= 0 && x.Records[last] == i {
				x.Values[last] += v
				continue
			}
			x.Records, x.Values = append(x.Records, i), append(x.Values, v)
		}
	}
	value := m.Counts(c, full)
	iv, err := s.resamples.OfSparse(func(counts []float64) float64 { return value(c, counts) }, columns)
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

// saved measures the saving with the cost constants of the fit part.
func (s *measurer) saved(b *infer.Batch, what string, into *infer.Interval, p plan) error {
	if _, err := cost.Saved(0, s.r.Master().Cost.Summary); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	b.Of(what, into, func(sums []float64) float64 {
		return s.savedOf(p, sums, sums[len(sums)-1])
	}, append(s.bill(p), s.ones)...)
	return nil
}

// bill returns the columns that determine the cost of a plan: which of the further
// models are asked.
func (s *measurer) bill(p plan) [][]float64 {
	var columns [][]float64
	for place := 1; place < len(p.models); place++ {
		columns = append(columns, p.asked(place))
	}
	return columns
}

// savedOf returns the saving in percent from the sums of bill over n records.
func (s *measurer) savedOf(p plan, sums []float64, n float64) float64 {
	first, later := 1.0, 0.0
	for place, m := range p.models[1:] {
		share := sums[place] / n
		later += float64(share * s.r.Models[m].Cost.Summary)
		if p.charge == cost.Router {
			first -= share
		}
	}
	v, err := cost.Saved(float64(first*s.r.Models[p.models[0]].Cost.Summary)+later+p.overhead, s.r.Master().Cost.Summary)
	if err != nil {
		panic("analyze: a saving that was defined is not: " + err.Error())
	}
	return v
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
