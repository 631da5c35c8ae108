package analyze

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"infnet/harness/baseline"
	"infnet/harness/policy"
	"infnet/harness/pool"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/seed"
	"infnet/harness/spec"
	"infnet/metrics"
)

// baselineRow returns the row of a baseline; nil = it had too few records to learn
// from.
func baselineRow(s *measurer, base spec.Baseline, learned []learnedPolicy) (*row, error) {
	var x row
	var err error
	switch known := baseline.Of(base.Kind); {
	case known.Learns != nil:
		at := slices.IndexFunc(learned, func(l learnedPolicy) bool { return l.name == learnedName(base) })
		if at < 0 {
			return nil, nil
		}
		x, err = learnedRow(s, &learned[at])
	case known.Coin:
		x, err = random(s, base)
	default:
		x, err = placed(s, known)
	}
	x.Baseline = true
	return &x, err
}

// placed returns the row of a baseline that chooses one model for each record.
func placed(s *measurer, known baseline.Baseline) (row, error) {
	in := baselineInput(s.r)
	if s.r.Study.Policy.Setting == policy.Oracle {
		clear(in.Fit.Err[s.r.Last()]) // the master is right by definition
		clear(in.Test.Err[s.r.Last()])
	}
	d := make(policy.Decisions, len(s.r.Test))
	for k, model := range known.Place(in) {
		d[k] = model == s.r.Last()
	}
	x, err := s.row(string(known.Kind), known.Title, weights(d), known.Charge)
	if !known.Constant {
		x.decide(s.r, s.r.Test, d)
	}
	if known.Caveat != nil {
		x.Notes = append(x.Notes, known.Caveat(s.r.IsChain()))
	}
	if err != nil || known.Constant {
		return x, err // a single model is no more than itself
	}
	compare := s.rival
	if known.Foresees {
		compare = s.against // no policy: nobody is to be advised
	}
	return x, compare(&x)
}

// baselineInput returns the input of baselines that do not learn.
func baselineInput(r *records.Records) baseline.Input {
	return baseline.Input{Fit: baselinePart(r, r.Fit), Test: baselinePart(r, r.Test), Cost: r.Summaries()}
}

func baselinePart(r *records.Records, examples []int) baseline.Part {
	p := baseline.Part{Beta: records.Pick(r.Student().Beta, examples)}
	for _, m := range r.Models {
		p.Err = append(p.Err, m.Errors(examples))
	}
	return p
}

// evenCoin is the probability of deferral of the random row with the default name.
const evenCoin = 0.5

// random returns the row of a coin per record: its exact expectation, or the single
// draw that numpy would make.
func random(s *measurer, base spec.Baseline) (row, error) {
	n := len(s.r.Test)
	if base.Numpy {
		d := policy.RandomDeferred(n, base.P, rand.New(seed.NewNumPy(base.NumpySeed)))
		known := baseline.Of(base.Kind)
		name, title := fmt.Sprintf("%s-numpy-%d", base.Kind, base.NumpySeed), fmt.Sprintf("%s (numpy %d)", known.Title,
			base.NumpySeed)
		x, err := s.row(name, title, weights(d), known.Charge)
		x.decide(s.r, s.r.Test, d)
		if err != nil {
			return x, err
		}
		return x, s.rival(&x)
	}
	weight := slices.Repeat([]float64{base.P}, n)
	name, title := coin(base)
	x, err := s.row(name, title, weight, baseline.Of(base.Kind).Charge)
	if err != nil {
		return x, err
	}
	if err := s.against(&x); err != nil {
		return x, err
	}
	rng := coinStream(s.r, base)
	drawCoins(s, base, &x.Row, func(final []int) {
		for i, defers := range policy.RandomDeferred(n, base.P, rng) {
			if final[i] = student; defers {
				final[i] = s.r.Last()
			}
		}
	})
	return x, nil
}

// coin returns the name and title of a coin's row.
func coin(base spec.Baseline) (name, title string) {
	name, title = string(base.Kind), baseline.Of(base.Kind).Title
	if base.P == evenCoin {
		return name, title
	}
	return name + "-" + fraction(base.P), fmt.Sprintf("%s (P = %s)", title, fraction(base.P))
}

// coinStream returns the stream of a coin's single draws.
func coinStream(r *records.Records, base spec.Baseline) *rand.Rand {
	return seed.Stream(r.Study.Seed, string(base.Kind), r.Stream(), fraction(base.P))
}

// drawCoins draws the coins base.Draws times. For metrics that are not means over
// records (F1, BLEU, chrF), the expectation is not the value at the expected
// counts, so the mean over draws replaces it. A note gives the spread of single
// draws. draw makes one draw: of the model whose answer counts, by test record.
func drawCoins(s *measurer, base spec.Baseline, row *result.Row, draw func(final []int)) {
	isMean := func(m metrics.Metric) bool { return m.Name == metrics.Accuracy || m.Counts == nil && m.Sums == nil }
	values, tally := make([][]float64, len(s.metrics)), s.tally()
	for range base.Draws {
		draw(tally.final)
		tally.recount()
		for i, m := range s.metrics {
			if i == 0 || !isMean(m) {
				values[i] = append(values[i], tally.value(m))
			}
		}
	}
	var averaged []string
	for i, m := range s.metrics {
		if isMean(m) {
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
	tail := int((1 - s.r.Study.Report.Level) / 2 * float64(len(first)))
	about := note.Coins{
		P: base.P, Chain: s.r.IsChain(), Averaged: averaged, Draws: base.Draws, Metric: s.metrics[0].Title,
		Mean: average(first), Low: first[tail], High: first[len(first)-1-tail], Level: s.r.Study.Report.Level,
	}
	if row.Rival != nil && row.Rival.Verdict == string(pool.NotWorthIt) {
		rival := rivalNote(row.Rival, s.r.Cascade.Models)
		about.Rival = &rival
	}
	row.Notes = append(row.Notes, about.Note())
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
