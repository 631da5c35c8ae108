package analyze

import (
	"fmt"
	"slices"

	"infnet/harness/cost"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/seed"
	"infnet/metrics"
	"infnet/metrics/infer"
)

// scorer measures decisions on the test part. All rows share one set of
// resamples, so that their differences could be taken resample by resample.
type scorer struct {
	b         *Bench
	resamples *infer.Resamples
	metrics   []metrics.Metric
	truth     []int
	class     [][]int // by model, then record
	errors    [][]float64
	costs     [][]float64
	scores    map[metrics.Name][][]float64   // per-record metrics, by model
	sums      map[metrics.Name][][][]float64 // [model][column][record] of corpus metrics
	ones      []float64
	groups    []string        // clusters of the test records
	plans     map[string]plan // of the rows measured so far
}

func (b *Bench) newScorer() (*scorer, error) {
	n := len(b.Models)
	s := &scorer{
		b: b, scores: map[metrics.Name][][]float64{}, sums: map[metrics.Name][][][]float64{},
		plans: map[string]plan{}, class: make([][]int, n), errors: make([][]float64, n), costs: make([][]float64, n),
	}
	s.groups = make([]string, len(b.Test))
	for k, i := range b.Test {
		s.groups[k] = b.Set.Examples[i].Group
		s.truth = append(s.truth, b.References[i].Class)
		s.ones = append(s.ones, 1)
	}
	var err error
	report := b.in.Study.Report
	rng := seed.Stream(b.in.Study.Seed, "bootstrap", b.Stream())
	if s.resamples, err = infer.NewResamples(rng, s.groups, infer.Options{Count: b.resamples(), Level: report.Level}); err != nil {
		return nil, err
	}
	for m := range b.Models {
		s.costs[m] = records.Pick(b.Models[m].Costs, b.Test)
		for _, i := range b.Test {
			s.class[m] = append(s.class[m], b.Models[m].Readings[i].Class)
			s.errors[m] = append(s.errors[m], b.Models[m].Grades[i].Err)
		}
	}
	for _, name := range b.Dataset.Metrics {
		metric, err := metrics.Get(metrics.Name(name))
		if err != nil {
			return nil, err
		}
		s.metrics = append(s.metrics, metric)
		s.prepare(metric)
	}
	return s, nil
}

// prepare computes a metric's columns for all models.
func (s *scorer) prepare(m metrics.Metric) {
	b := s.b
	switch {
	case m.Counts != nil:
	case m.Sums != nil:
		each := make([][][]float64, len(b.Models))
		for w := range each {
			each[w] = make([][]float64, m.Width)
			for k, i := range b.Test {
				for c, v := range m.Sums(b.Models[w].Texts[i], b.References[i].Texts) {
					if each[w][c] == nil {
						each[w][c] = make([]float64, len(b.Test))
					}
					each[w][c][k] = v
				}
			}
		}
		s.sums[m.Name] = each
	default:
		each := make([][]float64, len(b.Models))
		for w := range each {
			for _, i := range b.Test {
				each[w] = append(each[w], b.Models[w].Grades[i].Scores[string(m.Name)])
			}
		}
		s.scores[m.Name] = each
	}
}

// plan is how a row treats the test records: whom it asks, and whose answer
// stands.
type plan struct {
	models []int       // places of the models that may be asked, in this order
	stands [][]float64 // by place in models, then record: probability that the answer stands
	charge cost.Charge

	overhead float64 // what every query pays beside, for the score it is decided by; in the study's unit of cost
}

// pair is the plan of a cascade's first and last model. weight[k] is the
// probability that test record k is deferred: 0 or 1 for a policy, p for one
// that defers at random.
func (s *scorer) pair(weight []float64, charge cost.Charge) plan {
	stays := make([]float64, len(weight))
	for i, w := range weight {
		stays[i] = 1 - w
	}
	return plan{models: []int{student, s.b.Last()}, stands: [][]float64{stays, weight}, charge: charge}
}

// asked returns the probability that each record is asked of the model at a
// place of the plan.
func (p plan) asked(place int) []float64 {
	out := make([]float64, len(p.stands[0]))
	for i := range out {
		switch p.charge {
		case cost.Parallel:
			out[i] = 1
		case cost.Router:
			out[i] = p.stands[place][i]
		default:
			for _, later := range p.stands[place:] {
				out[i] += later[i]
			}
		}
	}
	return out
}

// row measures decisions of a pair; see pair.
func (s *scorer) row(name, title string, weight []float64, charge cost.Charge) (result.Row, error) {
	return s.measure(name, title, s.pair(weight, charge))
}

// measure measures a plan on the test part.
func (s *scorer) measure(name, title string, p plan) (result.Row, error) {
	s.plans[name] = p
	row := result.Row{Policy: name, Title: title, Charge: string(p.charge), Metrics: map[string]infer.Interval{}}
	for _, m := range s.metrics {
		v, err := s.metric(m, p)
		if err != nil {
			return row, fmt.Errorf("row %s, metric %s: %w", name, m.Name, err)
		}
		row.Metrics[string(m.Name)] = v
	}
	var err error
	if row.Error, err = s.resamples.RateOf(p.mix(s.errors)); err != nil {
		return row, fmt.Errorf("row %s, error: %w", name, err)
	}
	if err := s.shares(&row, p); err != nil {
		return row, fmt.Errorf("row %s, deferred: %w", name, err)
	}
	if row.Saved, err = s.saved(p); err != nil {
		return row, fmt.Errorf("row %s, cost saved: %w", name, err)
	}
	if row.SavedPerQuery, err = s.resamples.Saved(s.paid(p), s.costs[s.b.Last()]); err != nil {
		return row, fmt.Errorf("row %s, cost saved per query: %w", name, err)
	}
	return row, nil
}

// shares fills in which share of the records is asked of whom.
func (s *scorer) shares(row *result.Row, p plan) error {
	last := make([]float64, len(s.ones))
	for place, m := range p.models {
		asked := p.asked(place)
		if m == s.b.Last() {
			last = asked
		}
		if len(s.b.Models) < 3 {
			continue
		}
		v, err := s.share(asked)
		if err != nil {
			return err
		}
		row.Asked = append(row.Asked, result.Asked{Model: s.b.Cascade.Models[m], Share: v})
	}
	var err error
	row.Deferred, err = s.share(last)
	return err
}

// metric measures one metric of a mixture of the models' answers.
func (s *scorer) metric(m metrics.Metric, p plan) (infer.Interval, error) {
	switch {
	case m.Name == metrics.Accuracy: // a share, so that 0 and 1 get an exact interval
		return s.resamples.RateOf(p.mix(s.right()))
	case m.Counts != nil:
		return s.counts(m, p)
	case m.Sums != nil:
		return s.resamples.Of(m.Value, s.corpus(m, p)...)
	}
	return s.resamples.MeanWithin(p.mix(s.scores[m.Name]), m.Low, m.High)
}

// corpus returns the columns that a corpus metric is computed from.
func (s *scorer) corpus(m metrics.Metric, p plan) [][]float64 {
	columns := make([][]float64, m.Width)
	for c := range columns {
		of := make([][]float64, len(s.b.Models))
		for model, each := range s.sums[m.Name] {
			of[model] = each[c]
		}
		columns[c] = p.mix(of)
	}
	return columns
}

// share is the share of records asked of a model. Where every record has the
// same chance it is no estimate but the policy's own definition, and has no
// width.
func (s *scorer) share(asked []float64) (infer.Interval, error) {
	if slices.Min(asked) == slices.Max(asked) {
		v := asked[0]
		return infer.Interval{Value: v, Low: v, High: v, Level: s.resamples.Level(), N: len(asked), Method: "by definition"}, nil
	}
	return s.resamples.RateOf(asked)
}

// right is 1 where a model predicts the reference's class, by model.
func (s *scorer) right() [][]float64 {
	out := make([][]float64, len(s.class))
	for model := range out {
		out[model] = make([]float64, len(s.truth))
		for i, c := range s.class[model] {
			if c == s.truth[i] {
				out[model][i] = 1
			}
		}
	}
	return out
}

// counts measures a metric of the confusion matrix. Of decisions by chance it
// takes the expected matrix.
func (s *scorer) counts(m metrics.Metric, p plan) (infer.Interval, error) {
	k := len(s.b.Dataset.Labels)
	if cells, ok := s.cells(p, k); ok {
		full := make([]float64, k*k)
		for _, c := range cells {
			full[c]++
		}
		iv, err := s.resamples.Counts(cells, k*k, m.Counts(full, k))
		if err != nil {
			return iv, err
		}
		return s.resamples.AtTheEdge(iv, full, k, m.Counts(full, k))
	}
	columns := make([][]float64, k*k)
	for c := range columns {
		columns[c] = make([]float64, len(s.truth))
	}
	full := make([]float64, k*k)
	for i := range s.truth {
		for place, model := range p.models {
			c := metrics.Cell(s.truth[i], s.class[model][i], k)
			columns[c][i] += p.stands[place][i]
			full[c] += p.stands[place][i]
		}
	}
	iv, err := s.resamples.Of(m.Counts(full, k), columns...)
	if err != nil {
		return iv, err
	}
	return s.resamples.AtTheEdge(iv, full, k, m.Counts(full, k))
}

// cells returns each record's cell of the confusion matrix; ok is false where
// some decision is by chance.
func (s *scorer) cells(p plan, k int) (cells []int, ok bool) {
	for i := range s.truth {
		place := p.certain(i)
		if place < 0 {
			return nil, false
		}
		cells = append(cells, metrics.Cell(s.truth[i], s.class[p.models[place]][i], k))
	}
	return cells, true
}

// certain returns the place whose answer to record i stands; −1 = by chance.
func (p plan) certain(i int) int {
	return slices.IndexFunc(p.stands, func(w []float64) bool { return w[i] == 1 })
}

// saved is the saving by the constants of the fit part.
func (s *scorer) saved(p plan) (infer.Interval, error) {
	cm := s.b.Master().Cost.Summary
	if _, err := cost.Saved(0, cm); err != nil {
		return infer.Interval{}, err
	}
	columns := s.bill(p)
	return s.resamples.Of(func(sums []float64) float64 {
		return s.savedOf(p, sums, sums[len(sums)-1])
	}, append(columns, s.ones)...)
}

// bill returns the columns that the cost of a plan follows from: who is asked
// beyond the first model.
func (s *scorer) bill(p plan) [][]float64 {
	var columns [][]float64
	for place := 1; place < len(p.models); place++ {
		columns = append(columns, p.asked(place))
	}
	return columns
}

// savedOf is the saving in percent where the sums of bill over n records are
// these.
func (s *scorer) savedOf(p plan, sums []float64, n float64) float64 {
	first, later := 1.0, 0.0
	for place, m := range p.models[1:] {
		share := sums[place] / n
		later += float64(share * s.b.Models[m].Cost.Summary)
		if p.charge == cost.Router {
			first -= share
		}
	}
	v, err := cost.Saved(float64(first*s.b.Models[p.models[0]].Cost.Summary)+later+p.overhead, s.b.Master().Cost.Summary)
	if err != nil {
		panic("analyze: a saving that was defined is not: " + err.Error())
	}
	return v
}

// paid is what each query pays, in expectation.
func (s *scorer) paid(p plan) []float64 {
	out := make([]float64, len(s.ones))
	costs := make([]float64, len(p.models))
	for i := range out {
		for place, m := range p.models {
			costs[place] = s.costs[m][i]
		}
		for place, w := range p.stands {
			out[i] += float64(w[i] * p.charge.Stop(costs, place))
		}
		out[i] += p.overhead
	}
	return out
}

// mix returns the expectation of a column over whose answer stands, exactly
// that model's value where it is certain.
func (p plan) mix(of [][]float64) []float64 {
	out := make([]float64, len(p.stands[0]))
	for i := range out {
		if place := p.certain(i); place >= 0 {
			out[i] = of[p.models[place]][i]
			continue
		}
		for place, m := range p.models {
			out[i] += float64(p.stands[place][i] * of[m][i])
		}
	}
	return out
}

// value is a metric without its interval.
func (s *scorer) value(m metrics.Metric, p plan) float64 {
	switch {
	case m.Counts != nil:
		k := len(s.b.Dataset.Labels)
		cells, _ := s.cells(p, k)
		full := make([]float64, k*k)
		for _, c := range cells {
			full[c]++
		}
		return m.Counts(full, k)(full)
	case m.Sums != nil:
		sums := make([]float64, m.Width)
		for c, column := range s.corpus(m, p) {
			for _, v := range column {
				sums[c] += v
			}
		}
		return m.Value(sums)
	}
	var sum float64
	for _, v := range p.mix(s.scores[m.Name]) {
		sum += v
	}
	return sum / float64(len(s.truth))
}
