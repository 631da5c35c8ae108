package analyze

import (
	"fmt"
	"math/rand/v2"

	"infnet/harness/cost"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
)

// serialBaseline adds the row of a baseline of a chain.
func (b *Bench) serialBaseline(s *scorer, base spec.Baseline) error {
	n, all := len(b.Test), b.all()
	switch base.Kind {
	case spec.NoneDeferred:
		return b.staged(s, "none", "None Deferred", b.stages(s, all, fill(n, 0), cost.Cascade), nil, true, nil)
	case spec.AllDeferred:
		return b.staged(s, "all", "All Deferred", b.stages(s, all, fill(n, b.Last()), cost.Router), nil, true, nil)
	case spec.OracleRouter:
		return b.staged(s, "oracle-router", "Oracle router", b.stages(s, all, b.leastWrong(s), cost.Router), nil, true, []result.Note{result.NewNote(note.Oracle{Chain: true})})
	case spec.FrugalGPT, spec.HybridLLM:
		b.noteTwoModels()
		return nil
	case spec.Random:
		if base.Numpy {
			return nil // the published protocol is for two models; the pairs have this row
		}
		return b.coins(s, base)
	}
	return fmt.Errorf("baseline %q is not known to the analysis", base.Kind)
}

// leastWrong is the place of the first model of least error, by test record.
func (b *Bench) leastWrong(s *scorer) []int {
	out := make([]int, len(b.Test))
	for k := range out {
		for m := range s.errors {
			if s.errors[m][k] < s.errors[out[k]][k] {
				out[k] = m
			}
		}
	}
	return out
}

// coins adds the exact expectation over a coin before every further model.
func (b *Bench) coins(s *scorer, base spec.Baseline) error {
	p := base.P
	expected := plan{models: b.all(), charge: cost.Cascade}
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
