package analyze

import (
	"fmt"
	"slices"

	"infnet/harness/cost"
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
	class     [2][]int
	errors    [2][]float64
	costs     [2][]float64
	scores    map[metrics.Name][2][]float64   // per-record metrics
	sums      map[metrics.Name][2][][]float64 // [model][column][record] of corpus metrics
	ones      []float64
}

func (b *Bench) newScorer() (*scorer, error) {
	s := &scorer{b: b, scores: map[metrics.Name][2][]float64{}, sums: map[metrics.Name][2][][]float64{}}
	groups := make([]string, len(b.test))
	for k, i := range b.test {
		groups[k] = b.set.Examples[i].Group
		s.truth = append(s.truth, b.refs[i].Class)
		s.ones = append(s.ones, 1)
	}
	var err error
	report := b.in.Study.Report
	rng := seed.Stream(b.in.Study.Seed, "bootstrap", b.Dataset.Name)
	if s.resamples, err = infer.NewResamples(rng, groups, infer.Options{Count: report.Bootstrap, Level: report.Level}); err != nil {
		return nil, err
	}
	for m := range b.cols {
		s.costs[m] = pick(b.costs[m], b.test)
		for _, i := range b.test {
			s.class[m] = append(s.class[m], b.readings[m][i].Class)
			s.errors[m] = append(s.errors[m], b.grades[m][i].Err)
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

// prepare computes a metric's columns for both models.
func (s *scorer) prepare(m metrics.Metric) {
	b := s.b
	switch {
	case m.Counts != nil:
	case m.Sums != nil:
		var both [2][][]float64
		for w := range both {
			both[w] = make([][]float64, m.Width)
			for k, i := range b.test {
				for c, v := range m.Sums(b.texts[w][i], b.refs[i].Texts) {
					if both[w][c] == nil {
						both[w][c] = make([]float64, len(b.test))
					}
					both[w][c][k] = v
				}
			}
		}
		s.sums[m.Name] = both
	default:
		var both [2][]float64
		for w := range both {
			for _, i := range b.test {
				both[w] = append(both[w], b.grades[w][i].Scores[string(m.Name)])
			}
		}
		s.scores[m.Name] = both
	}
}

// row measures decisions. weight[k] is the probability that test record k is
// deferred: 0 or 1 for a policy, p for one that defers at random.
func (s *scorer) row(name, title string, weight []float64, charge cost.Charge) (result.Row, error) {
	row := result.Row{Policy: name, Title: title, Charge: string(charge), Metrics: map[string]infer.Interval{}}
	for _, m := range s.metrics {
		v, err := s.metric(m, weight)
		if err != nil {
			return row, fmt.Errorf("row %s, metric %s: %w", name, m.Name, err)
		}
		row.Metrics[string(m.Name)] = v
	}
	var err error
	if row.Error, err = s.resamples.RateOf(mix(s.errors[student], s.errors[master], weight)); err != nil {
		return row, fmt.Errorf("row %s, error: %w", name, err)
	}
	if row.Deferred, err = s.deferred(weight); err != nil {
		return row, fmt.Errorf("row %s, deferred: %w", name, err)
	}
	if row.Saved, err = s.saved(weight, charge); err != nil {
		return row, fmt.Errorf("row %s, cost saved: %w", name, err)
	}
	if row.SavedPerQuery, err = s.resamples.Saved(s.paid(weight, charge), s.costs[master]); err != nil {
		return row, fmt.Errorf("row %s, cost saved per query: %w", name, err)
	}
	return row, nil
}

// metric measures one metric of a mixture of both models' answers.
func (s *scorer) metric(m metrics.Metric, weight []float64) (infer.Interval, error) {
	switch {
	case m.Name == metrics.Accuracy: // a share, so that 0 and 1 get an exact interval
		return s.resamples.RateOf(mix(s.right(student), s.right(master), weight))
	case m.Counts != nil:
		return s.counts(m, weight)
	case m.Sums != nil:
		both := s.sums[m.Name]
		columns := make([][]float64, m.Width)
		for c := range columns {
			columns[c] = mix(both[student][c], both[master][c], weight)
		}
		return s.resamples.Of(m.Value, columns...)
	}
	both := s.scores[m.Name]
	column := mix(both[student], both[master], weight)
	if m.Name == metrics.ExactMatch { // 0 or 1 per record: a rate
		return s.resamples.RateOf(column)
	}
	return s.resamples.Mean(column)
}

// deferred is the share of records sent to the master. Where every record has
// the same chance it is no estimate but the policy's own definition, and has no
// width.
func (s *scorer) deferred(weight []float64) (infer.Interval, error) {
	if slices.Min(weight) == slices.Max(weight) {
		v := weight[0]
		return infer.Interval{Value: v, Low: v, High: v, Level: s.resamples.Level(), N: len(weight), Method: "by definition"}, nil
	}
	return s.resamples.RateOf(weight)
}

// right is 1 where a model predicts the reference's class.
func (s *scorer) right(model int) []float64 {
	out := make([]float64, len(s.truth))
	for i, c := range s.class[model] {
		if c == s.truth[i] {
			out[i] = 1
		}
	}
	return out
}

// counts measures a metric of the confusion matrix. Of decisions by chance it
// takes the expected matrix.
func (s *scorer) counts(m metrics.Metric, weight []float64) (infer.Interval, error) {
	k := len(s.b.Dataset.Labels)
	if cells, ok := s.cells(weight, k); ok {
		full := make([]float64, k*k)
		for _, c := range cells {
			full[c]++
		}
		return s.resamples.Counts(cells, k*k, m.Counts(full, k))
	}
	columns := make([][]float64, k*k)
	for c := range columns {
		columns[c] = make([]float64, len(weight))
	}
	full := make([]float64, k*k)
	for i, w := range weight {
		for model, p := range [2]float64{1 - w, w} {
			c := metrics.Cell(s.truth[i], s.class[model][i], k)
			columns[c][i] += p
			full[c] += p
		}
	}
	return s.resamples.Of(m.Counts(full, k), columns...)
}

// cells returns each record's cell of the confusion matrix; ok is false where
// some decision is by chance.
func (s *scorer) cells(weight []float64, k int) (cells []int, ok bool) {
	for i, w := range weight {
		if w != 0 && w != 1 {
			return nil, false
		}
		cells = append(cells, metrics.Cell(s.truth[i], s.class[int(w)][i], k))
	}
	return cells, true
}

// saved is the saving by the constants of the fit part.
func (s *scorer) saved(weight []float64, charge cost.Charge) (infer.Interval, error) {
	cs, cm := s.b.summary[student], s.b.summary[master]
	if _, err := cost.Saved(cs, cm); err != nil {
		return infer.Interval{}, err
	}
	return s.resamples.Of(func(sums []float64) float64 {
		v, err := cost.Saved(charge.Expected(cs, cm, sums[0]/sums[1]), cm)
		if err != nil {
			panic("analyze: a saving that was defined is not: " + err.Error())
		}
		return v
	}, weight, s.ones)
}

// paid is what each query pays, in expectation.
func (s *scorer) paid(weight []float64, charge cost.Charge) []float64 {
	out := make([]float64, len(weight))
	for i, w := range weight {
		cs, cm := s.costs[student][i], s.costs[master][i]
		out[i] = float64((1-w)*charge.Query(cs, cm, false)) + float64(w*charge.Query(cs, cm, true))
	}
	return out
}

// mix returns (1−w)·x + w·y, exactly x or y where w is 0 or 1.
func mix(x, y, w []float64) []float64 {
	out := make([]float64, len(w))
	for i, p := range w {
		switch p {
		case 0:
			out[i] = x[i]
		case 1:
			out[i] = y[i]
		default:
			out[i] = float64((1-p)*x[i]) + float64(p*y[i])
		}
	}
	return out
}

// value is a metric without its interval.
func (s *scorer) value(m metrics.Metric, weight []float64) float64 {
	switch {
	case m.Counts != nil:
		k := len(s.b.Dataset.Labels)
		cells, _ := s.cells(weight, k)
		full := make([]float64, k*k)
		for _, c := range cells {
			full[c]++
		}
		return m.Counts(full, k)(full)
	case m.Sums != nil:
		both := s.sums[m.Name]
		sums := make([]float64, m.Width)
		for c := range sums {
			for _, v := range mix(both[student][c], both[master][c], weight) {
				sums[c] += v
			}
		}
		return m.Value(sums)
	}
	both := s.scores[m.Name]
	var sum float64
	for _, v := range mix(both[student], both[master], weight) {
		sum += v
	}
	return sum / float64(len(weight))
}
