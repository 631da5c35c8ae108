package analyze

import (
	"fmt"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/metrics/infer"
)

// extra says whether the model that the best pair does without pays: the chain
// beside the pair that costs least on the fit part among those that meet the
// same budget there, both measured on the same resamples of the test part.
func (b *Bench) extra(s *scorer, ours plan) error {
	best := -1
	for k, pair := range b.pairs {
		if pair.policy.Feasible && (best < 0 || b.pairCost(pair) < b.pairCost(b.pairs[best])) {
			best = k
		}
	}
	switch {
	case !b.serial.Feasible:
		b.noteChain(note.ChainInfeasible{})
		return nil
	case best < 0:
		b.noteChain(note.ChainAlone{})
		return nil
	}
	pair := b.pairs[best]
	var spare []string
	for m, name := range b.Cascade.Models {
		if m != pair.models[0] && m != pair.models[1] {
			spare = append(spare, name)
		}
	}
	x := &result.Extra{Model: strings.Join(spare, " + "), Pair: pair.row(), Pays: "unclear"}
	var err error
	if x.Saved, err = s.savedDifference(ours, pair.plan); err != nil {
		return fmt.Errorf("saving of the chain and the pair: %w", err)
	}
	if x.Error, err = s.resamples.Difference(ours.mix(s.errors), pair.plan.mix(s.errors)); err != nil {
		return fmt.Errorf("error of the chain and the pair: %w", err)
	}
	b.out.Extra = x
	names := [2]string{b.Cascade.Models[pair.models[0]], b.Cascade.Models[pair.models[1]]}
	switch {
	case zero(x.Saved) && zero(x.Error):
		x.Pays = "no"
		b.noteChain(note.SamePair{Models: spare, Pair: names})
		return nil
	case x.Saved.Low > 0:
		x.Pays = "yes"
	case x.Saved.High < 0:
		x.Pays = "no"
	}
	b.noteChain(note.ExtraModel{Models: spare, Pair: names, Pays: x.Pays, Saved: x.Saved, Error: x.Error})
	return nil
}

// zero reports whether a difference is none in every resample.
func zero(d infer.Interval) bool { return d.Value == 0 && d.Low == 0 && d.High == 0 }

// noteChain puts a verdict on the chain's row.
func (b *Bench) noteChain(c note.Caveat) {
	for k := range b.out.Rows {
		if r := &b.out.Rows[k]; r.Policy == Chain {
			r.Notes = append(r.Notes, result.NewNote(c))
		}
	}
}

// savedDifference is the saving of one plan minus that of another, by the
// constants of the fit part.
func (s *scorer) savedDifference(x, y plan) (infer.Interval, error) {
	of := s.bill(x)
	split := len(of)
	columns := append(append(of, s.bill(y)...), s.ones)
	return s.resamples.Of(func(sums []float64) float64 {
		n := sums[len(sums)-1]
		return s.savedOf(x, sums[:split], n) - s.savedOf(y, sums[split:len(sums)-1], n)
	}, columns...)
}
