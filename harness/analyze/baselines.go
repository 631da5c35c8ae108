package analyze

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"infnet/harness/baseline"
	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/seed"
	"infnet/harness/spec"
	"infnet/metrics"
)

// baseline adds the row of a baseline.
func (b *Bench) baseline(s *scorer, base spec.Baseline) error {
	var err error
	var row result.Row
	switch known := baseline.Of(base.Kind); {
	case known.Learns != nil:
		return b.learnedRow(s, base)
	case known.Coin:
		row, err = b.random(s, base)
	default:
		row, err = b.placed(s, known)
	}
	if err != nil {
		return err
	}
	row.Baseline = true
	b.out.Rows = append(b.out.Rows, row)
	return nil
}

// placed is the row of a baseline that takes one model for each record.
func (b *Bench) placed(s *scorer, known baseline.Baseline) (result.Row, error) {
	in := b.readable()
	if b.in.Study.Policy.Setting == policy.Oracle {
		clear(in.Test.Err[b.Last()]) // the master is right by definition
	}
	d := make(policy.Decisions, len(b.Test))
	for k, model := range known.Place(in) {
		d[k] = model == b.Last()
	}
	name := string(known.Kind)
	row, err := s.row(name, known.Title, weights(d), known.Charge)
	if !known.Constant {
		b.decide(name, b.Test, d)
	}
	if known.Caveat != nil {
		row.Notes = append(row.Notes, result.NewNote(known.Caveat(b.IsChain())))
	}
	return row, err
}

// readable is what baselines without learning may read.
func (b *Bench) readable() baseline.Input {
	return baseline.Input{Fit: b.readablePart(b.Fit), Test: b.readablePart(b.Test), Cost: b.Summaries()}
}

func (b *Bench) readablePart(examples []int) baseline.Part {
	p := baseline.Part{Beta: records.Pick(b.Student().Beta, examples)}
	for m := range b.Models {
		errs := make([]float64, len(examples))
		for k, i := range examples {
			errs[k] = b.Models[m].Grades[i].Err
		}
		p.Err = append(p.Err, errs)
	}
	return p
}

// evenCoin is the chance to defer of the random row that needs no further name.
const evenCoin = 0.5

// random is a coin per record: its exact expectation, or the one draw that
// numpy would make.
func (b *Bench) random(s *scorer, base spec.Baseline) (result.Row, error) {
	n := len(b.Test)
	if base.Numpy {
		d := policy.RandomDeferred(n, base.P, rand.New(seed.NewNumPy(base.NumpySeed)))
		known := baseline.Of(base.Kind)
		name := fmt.Sprintf("%s-numpy-%d", base.Kind, base.NumpySeed)
		b.decide(name, b.Test, d)
		return s.row(name, fmt.Sprintf("%s (numpy %d)", known.Title, base.NumpySeed), weights(d), known.Charge)
	}
	weight := slices.Repeat([]float64{base.P}, n)
	name, title := coin(base)
	row, err := s.row(name, title, weight, baseline.Of(base.Kind).Charge)
	if err != nil {
		return row, err
	}
	rng := b.coinStream(base)
	b.spread(s, base, &row, func() plan {
		return s.pair(weights(policy.RandomDeferred(n, base.P, rng)), cost.Cascade)
	})
	return row, nil
}

// coin names the row of a coin.
func coin(base spec.Baseline) (name, title string) {
	name, title = string(base.Kind), baseline.Of(base.Kind).Title
	if base.P == evenCoin {
		return name, title
	}
	return name + "-" + fraction(base.P), fmt.Sprintf("%s (P = %s)", title, fraction(base.P))
}

// coinStream is the stream that a coin's single draws are from.
func (b *Bench) coinStream(base spec.Baseline) *rand.Rand {
	return seed.Stream(b.in.Study.Seed, string(base.Kind), b.Stream(), fraction(base.P))
}

// spread draws the coins base.Draws times. The mean over draws takes the place
// of the value of metrics that are no mean over records (F1, BLEU, chrF), whose
// expectation is not that of the expected counts; a note says how far single
// draws stray. draw makes one draw.
func (b *Bench) spread(s *scorer, base spec.Baseline, row *result.Row, draw func() plan) {
	values := make([][]float64, len(s.metrics))
	for range base.Draws {
		drawn := draw()
		for i, m := range s.metrics {
			values[i] = append(values[i], s.value(m, drawn))
		}
	}
	var averaged []string
	for i, m := range s.metrics {
		if m.Name == metrics.Accuracy || m.Counts == nil && m.Sums == nil {
			continue
		}
		v, mean := row.Metrics[string(m.Name)], average(values[i])
		shift := mean - v.Value
		v.Value, v.Low, v.High = mean, max(m.Low, v.Low+shift), min(m.High, v.High+shift)
		row.Metrics[string(m.Name)] = v
		averaged = append(averaged, m.Title)
	}
	first := slices.Clone(values[0])
	slices.Sort(first)
	tail := int((1 - b.in.Study.Report.Level) / 2 * float64(len(first)))
	row.Notes = append(row.Notes, result.NewNote(note.Coins{
		P: base.P, Chain: b.IsChain(), Averaged: averaged, Draws: base.Draws, Metric: s.metrics[0].Title,
		Mean: average(first), Low: first[tail], High: first[len(first)-1-tail], Level: b.in.Study.Report.Level,
	}))
}

// average returns the mean.
func average(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
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
		b.decisions = append(b.decisions, Decided{Name: name, Defer: map[int]bool{}})
		k = len(b.decisions) - 1
	}
	for n, i := range examples {
		b.decisions[k].Defer[i] = d[n]
	}
}
