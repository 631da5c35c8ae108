package analyze

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/pool"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/metrics/infer"
)

// extra compares the chain with the best pair that it contains: is a further
// model worth its cost? The best pair is the one that costs least on the fit
// part among those that meet the same budget there. Both are measured on the
// same resamples of the test part. nil = there is nothing to compare; the note
// says why.
func (t *table) extra() (*result.Extra, result.Note, error) {
	chain, names := t.rows.named(Chain), t.r.Cascade.Models
	var best *row
	for k := range t.rows {
		x := &t.rows[k]
		if x.fitted != nil && x.fitted.contained(t.r) && x.fitted.Policy.Feasible &&
			(best == nil || x.fitted.Policy.Cost < best.fitted.Policy.Cost) {
			best = x
		}
	}
	switch {
	case !chain.fitted.Policy.Feasible:
		return nil, note.ChainInfeasible(), nil
	case best == nil:
		return nil, note.ChainAlone(), nil
	}
	pair := best.fitted.Series
	var spare []string
	used := false
	for m, name := range names {
		if !slices.Contains(pair, m) {
			spare = append(spare, name)
			used = used || slices.Max(chain.plan.asked(slices.Index(chain.plan.models, m))) > 0
		}
	}
	x := &result.Extra{Model: strings.Join(spare, " + "), Pair: best.Policy}
	var err error
	iv := kept[infer.Interval](&err)
	x.Saved = iv(t.savedDifference(chain.plan, best.plan))
	x.Error = iv(t.resamples.Difference(chain.plan.mix(t.errors), best.plan.mix(t.errors)))
	if err != nil {
		return nil, result.Note{}, fmt.Errorf("the chain beside the pair: %w", err)
	}
	beside := [2]string{names[pair[0]], names[pair[1]]}
	if zero(x.Saved) && zero(x.Error) {
		x.Pays = "no"
		return x, note.SamePair(spare, beside), nil
	}
	if !used { // what differs are the thresholds
		return nil, note.SpareUnused(spare), nil
	}
	x.Pays = pays(x.Saved)
	if x.Flips, err = t.extraFlips(chain.plan, best.plan, spare); err != nil {
		return nil, result.Note{}, fmt.Errorf("the chain beside the pair at other prices: %w", err)
	}
	return x, note.ExtraModel(spare, beside, x.Pays, x.Saved, x.Error), nil
}

// pays is the word on what is saved.
func pays(saved infer.Interval) string {
	switch {
	case saved.Low > 0:
		return "yes"
	case saved.High < 0:
		return "no"
	}
	return "unclear"
}

// extraFlips is the nearest ratio of the spare model's price to the last's at which the word is another, with the same
// thresholds; none where several are spare, or the last is.
func (s *measurer) extraFlips(chain, pair plan, spare []string) ([]result.Flip, error) {
	names := s.r.Cascade.Models
	m := slices.Index(names, spare[0])
	if len(spare) > 1 || m == len(names)-1 {
		return nil, nil
	}
	now := s.r.Models[m].Cost.Summary / s.r.Master().Cost.Summary
	if !(now > 0 && now < math.Inf(1)) {
		return nil, nil
	}
	var failed error
	word := func(factor float64) string {
		fixed := slices.Clone(s.fixed)
		fixed[m] = slices.Repeat([]float64{factor * s.r.Models[m].Cost.Summary}, len(s.truth))
		iv, err := s.resamples.Difference(pair.paid(fixed), chain.paid(fixed))
		if err != nil {
			failed = err
		}
		return pays(iv)
	}
	factor, to := pool.NearestFactor(1000, word(1), word)
	return []result.Flip{{Change: result.FlipRatio, Model: names[m], Now: now, To: now * factor, Verdict: to}}, failed
}

// zero reports whether a difference is 0 in every resample.
func zero(d infer.Interval) bool { return d.Value == 0 && d.Low == 0 && d.High == 0 }

// savedDifference returns the saving of one plan minus that of another, with the
// cost constants of the fit part.
func (s *measurer) savedDifference(x, y plan) (infer.Interval, error) {
	iv, err := s.resamples.Difference(y.paid(s.fixed), x.paid(s.fixed))
	percent := 100 / s.r.Master().Cost.Summary
	iv.Value, iv.Low, iv.High = float64(percent*iv.Value), float64(percent*iv.Low), float64(percent*iv.High)
	return iv, err
}
