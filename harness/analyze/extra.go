package analyze

import (
	"fmt"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/metrics/infer"
)

// extra compares the chain with the best pair that it contains: is a further
// model worth its cost? The best pair is the one that costs least on the fit
// part among those that meet the same budget there. Both are measured on the
// same resamples of the test part. nil = there is nothing to compare; the note
// says why.
func extra(t *chained) (*result.Extra, result.Note, error) {
	s, fit := t.measurer, t.fit
	best := -1
	for k, pair := range fit.pairs {
		if pair.policy.Feasible && (best < 0 || pairCost(s.r, pair) < pairCost(s.r, fit.pairs[best])) {
			best = k
		}
	}
	switch {
	case !fit.chain.Feasible:
		return nil, note.ChainInfeasible(), nil
	case best < 0:
		return nil, note.ChainAlone(), nil
	}
	pair := fit.pairs[best]
	var spare []string
	for m, name := range s.r.Cascade.Models {
		if m != pair.models[0] && m != pair.models[1] {
			spare = append(spare, name)
		}
	}
	ours, theirs := t.rows.named(Chain).plan, t.rows.named(pair.row()).plan
	x := &result.Extra{Model: strings.Join(spare, " + "), Pair: pair.row(), Pays: "unclear"}
	var err error
	if x.Saved, err = s.savedDifference(ours, theirs); err != nil {
		return nil, result.Note{}, fmt.Errorf("saving of the chain and the pair: %w", err)
	}
	if x.Error, err = s.resamples.Difference(ours.mix(s.errors), theirs.mix(s.errors)); err != nil {
		return nil, result.Note{}, fmt.Errorf("error of the chain and the pair: %w", err)
	}
	names := [2]string{s.r.Cascade.Models[pair.models[0]], s.r.Cascade.Models[pair.models[1]]}
	switch {
	case zero(x.Saved) && zero(x.Error):
		x.Pays = "no"
		return x, note.SamePair(spare, names), nil
	case x.Saved.Low > 0:
		x.Pays = "yes"
	case x.Saved.High < 0:
		x.Pays = "no"
	}
	return x, note.ExtraModel(spare, names, x.Pays, x.Saved, x.Error), nil
}

// zero reports whether a difference is 0 in every resample.
func zero(d infer.Interval) bool { return d.Value == 0 && d.Low == 0 && d.High == 0 }

// savedDifference returns the saving of one plan minus that of another, with the
// cost constants of the fit part.
func (s *measurer) savedDifference(x, y plan) (infer.Interval, error) {
	iv, err := s.resamples.Difference(s.paidAt(y, s.fixed()), s.paidAt(x, s.fixed()))
	percent := 100 / s.r.Master().Cost.Summary
	iv.Value, iv.Low, iv.High = float64(percent*iv.Value), float64(percent*iv.Low), float64(percent*iv.High)
	return iv, err
}
