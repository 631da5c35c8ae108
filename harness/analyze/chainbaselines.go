package analyze

import (
	"math/rand/v2"

	"infnet/harness/baseline"
	"infnet/harness/cost"
	"infnet/harness/result"
	"infnet/harness/spec"
)

// serialBaseline adds the row of a baseline of a chain.
func (b *Bench) serialBaseline(s *scorer, base spec.Baseline) error {
	known := baseline.Of(base.Kind)
	switch {
	case known.Learns != nil:
		b.noteTwoModels()
		return nil
	case base.Numpy:
		return nil // the published protocol is for two models; the pairs have this row
	case known.Coin:
		return b.coins(s, base)
	}
	var notes []result.Note
	if known.Caveat != nil {
		notes = append(notes, result.NewNote(known.Caveat(true)))
	}
	plan := b.stages(s, b.all(), known.Place(b.readable()), known.Charge)
	return b.staged(s, string(base.Kind), known.Title, plan, nil, true, notes)
}

// coins adds the exact expectation over a coin before every further model.
func (b *Bench) coins(s *scorer, base spec.Baseline) error {
	p := base.P
	expected := plan{models: b.all(), charge: baseline.Of(base.Kind).Charge}
	gets := 1.0
	for m := range b.Models {
		chance := gets
		if m < b.Last() {
			chance, gets = float64(gets*(1-p)), float64(gets*p)
		}
		column := make([]float64, len(b.Test))
		for k := range column {
			column[k] = chance
		}
		expected.stands = append(expected.stands, column)
	}
	name, title := coin(base)
	row, err := s.measure(name, title, expected)
	if err != nil {
		return err
	}
	row.Baseline = true
	rng := b.coinStream(base)
	b.spread(s, base, &row, func() plan { return b.tossed(s, p, rng) })
	b.out.Rows = append(b.out.Rows, row)
	return nil
}

// tossed is one draw of the coins.
func (b *Bench) tossed(s *scorer, p float64, rng *rand.Rand) plan {
	at := make([]int, len(b.Test))
	for k := range at {
		for at[k] < b.Last() && rng.Float64() < p {
			at[k]++
		}
	}
	return b.stages(s, b.all(), at, cost.Cascade)
}
