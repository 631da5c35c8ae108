package analyze

import (
	"math/rand/v2"
	"slices"

	"infnet/harness/baseline"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
)

// chainBaseline is the row of a baseline of a chain.
func chainBaseline(s *measurer, base spec.Baseline) (row, error) {
	known := baseline.Of(base.Kind)
	if known.Coin {
		return coins(s, base)
	}
	at := known.Place(baselineInput(s.r))
	x, err := s.measure(string(base.Kind), known.Title, s.stages(s.all(), at, known.Charge))
	x.Baseline = true
	if known.Caveat != nil {
		x.Notes = append(x.Notes, known.Caveat(true))
	}
	if !known.Constant {
		x.follow(s.r, s.r.Test, at, nil)
	}
	if err != nil || known.Constant {
		return x, err
	}
	if known.Foresees {
		return x, s.against(&x)
	}
	return x, s.rival(&x)
}

// noTwoModels says why a chain has no rows of baselines that learn, where the
// study asks for some.
func noTwoModels(r *records.Records) []result.Note {
	if !slices.ContainsFunc(r.Study.Baselines, func(b spec.Baseline) bool { return b.Kind.Learns() }) {
		return nil
	}
	var titles []string
	for _, kind := range baseline.Learners() {
		titles = append(titles, baseline.Of(kind).Title)
	}
	return []result.Note{note.TwoModels(titles)}
}

// coins returns the row of a coin before every further model: its exact
// expectation.
func coins(s *measurer, base spec.Baseline) (row, error) {
	name, title := coin(base)
	x, err := s.measure(name, title, expected(s, base))
	if err != nil {
		return x, err
	}
	x.Baseline = true
	if err := s.against(&x); err != nil {
		return x, err
	}
	rng := coinStream(s.r, base)
	drawCoins(s, base, &x.Row, func(final []int) { toss(final, s.r.Last(), base.P, rng) })
	return x, nil
}

// expected is the plan of coins: the chance that each model is the last to be asked.
func expected(s *measurer, base spec.Baseline) plan {
	p, gets := plan{models: s.all(), charge: baseline.Of(base.Kind).Charge}, 1.0
	for m := range s.r.Models {
		chance := gets
		if m < s.r.Last() {
			chance, gets = float64(gets*(1-base.P)), float64(gets*base.P)
		}
		p.final = append(p.final, slices.Repeat([]float64{chance}, len(s.ones)))
	}
	return p
}

// toss makes one draw of the coins.
func toss(final []int, last int, p float64, rng *rand.Rand) {
	for k := range final {
		for final[k] = student; final[k] < last && rng.Float64() < p; {
			final[k]++
		}
	}
}
