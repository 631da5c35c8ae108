package analyze

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/result"
	"infnet/harness/seed"
	"infnet/harness/spec"
	"infnet/harness/task"
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
	if m.Low == 0 && m.High == 1 {
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

// measure fills the rows of the table.
func (b *Bench) measure() error {
	s, err := b.newScorer()
	if err != nil {
		return err
	}
	for _, base := range b.in.Study.Baselines {
		if err := b.baseline(s, base); err != nil {
			return err
		}
	}
	test := b.records(b.test)
	for _, f := range b.fitted {
		d := f.Policy.Decide(test)
		row, err := s.row(f.Name, b.title(f.Name), weights(d), cost.Cascade)
		if err != nil {
			return err
		}
		for _, w := range f.Policy.Warnings {
			row.Notes = append(row.Notes, result.Note{Kind: string(w.Kind), Text: b.sentence(w)})
		}
		b.out.Rows = append(b.out.Rows, row)
		b.decide(f.Name, b.test, d)
		b.decide(f.Name, b.fit, f.Policy.Decide(b.records(b.fit)))
	}
	return b.diagnose(s)
}

// sentence says a policy's warning with the class's name.
func (b *Bench) sentence(w policy.Warning) string {
	if w.Kind == policy.NeverPredicted && w.Class >= 0 && w.Class < len(b.Dataset.Labels) {
		return fmt.Sprintf("The student never predicts class %q on the fit part; its queries are always deferred.", b.Dataset.Labels[w.Class].Class)
	}
	return w.Message
}

// title is what tables call one of our rows.
func (b *Bench) title(name string) string {
	switch {
	case b.Dataset.Task != task.Classification:
		return "Ours"
	case name == Single:
		return "Ours (one threshold)"
	}
	return "Ours (threshold per class)"
}

// baseline adds the row of a baseline.
func (b *Bench) baseline(s *scorer, base spec.Baseline) error {
	n := len(b.test)
	var err error
	var row result.Row
	switch base.Kind {
	case spec.NoneDeferred:
		row, err = s.row("none", "None Deferred", weights(policy.NoneDeferred(n)), cost.Cascade)
	case spec.AllDeferred:
		row, err = s.row("all", "All Deferred", weights(policy.AllDeferred(n)), cost.Router)
	case spec.Random:
		row, err = b.random(s, base)
	case spec.OracleRouter:
		row, err = b.oracle(s)
	default:
		err = fmt.Errorf("baseline %q is not known to the analysis", base.Kind)
	}
	if err != nil {
		return err
	}
	row.Baseline = true
	b.out.Rows = append(b.out.Rows, row)
	return nil
}

// oracle is the headroom: the cheapest assignment of the best accuracy.
func (b *Bench) oracle(s *scorer) (result.Row, error) {
	d, err := policy.OracleRouter(b.records(b.test))
	if err != nil {
		return result.Row{}, err
	}
	row, err := s.row("oracle-router", "Oracle router", weights(d), cost.Router)
	b.decide("oracle-router", b.test, d)
	row.Notes = append(row.Notes, result.Note{Kind: "oracle", Text: "Knows every error before it decides: the headroom, not a policy. Charged as a router."})
	return row, err
}

// random is a coin per record: its exact expectation, or the one draw that
// numpy would make.
func (b *Bench) random(s *scorer, base spec.Baseline) (result.Row, error) {
	n := len(b.test)
	if base.Numpy {
		d := policy.RandomDeferred(n, base.P, rand.New(policy.NewNumPy(base.NumpySeed)))
		name := fmt.Sprintf("random-numpy-%d", base.NumpySeed)
		b.decide(name, b.test, d)
		return s.row(name, fmt.Sprintf("Random (numpy %d)", base.NumpySeed), weights(d), cost.Cascade)
	}
	weight := slices.Repeat([]float64{base.P}, n)
	row, err := s.row("random", "Random", weight, cost.Cascade)
	if err != nil {
		return row, err
	}
	return row, b.spread(s, base, &row)
}

// spread draws the coins base.Draws times and notes how far single draws stray
// from the expectation in the row.
func (b *Bench) spread(s *scorer, base spec.Baseline, row *result.Row) error {
	rng := seed.Stream(b.in.Study.Seed, "random", b.Dataset.Name)
	first := s.metrics[0]
	values := make([]float64, base.Draws)
	for r := range values {
		d := policy.RandomDeferred(len(b.test), base.P, rng)
		values[r] = s.value(first, weights(d))
	}
	slices.Sort(values)
	var mean float64
	for _, v := range values {
		mean += v / float64(len(values))
	}
	tail := int((1 - b.in.Study.Report.Level) / 2 * float64(len(values)))
	row.Notes = append(row.Notes, result.Note{Kind: "random", Text: fmt.Sprintf(
		"The exact expectation over coins with P(defer) = %s. %d single draws gave a mean %s of %.4f, %.0f %% of them between %.4f and %.4f.",
		fraction(base.P), base.Draws, first.Title, mean, 100*b.in.Study.Report.Level, values[tail], values[len(values)-1-tail])})
	return nil
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

// weights turns decisions into probabilities of deferring.
func weights(d policy.Decisions) []float64 {
	out := make([]float64, len(d))
	for i, defers := range d {
		if defers {
			out[i] = 1
		}
	}
	return out
}

// decide remembers what a row decided about examples.
func (b *Bench) decide(name string, examples []int, d policy.Decisions) {
	k := slices.IndexFunc(b.decisions, func(x Decided) bool { return x.Name == name })
	if k < 0 {
		b.decisions = append(b.decisions, Decided{name, map[int]bool{}})
		k = len(b.decisions) - 1
	}
	for n, i := range examples {
		b.decisions[k].Defer[i] = d[n]
	}
}
