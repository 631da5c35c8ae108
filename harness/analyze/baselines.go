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
)

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
