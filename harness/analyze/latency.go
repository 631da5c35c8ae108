package analyze

import (
	"cmp"
	"slices"

	"infnet/backends"
	"infnet/harness/cost"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/metrics/infer"
)

// latency measures how long the queries of a plan take; nil = the study does not ask, or
// the time of some answer was not measured.
func (s *measurer) latency(p plan) (*result.Latency, error) {
	if !s.r.Study.Report.Latency || s.r.Repeat > 0 {
		return nil, nil
	}
	t, ok := s.times(p)
	if !ok {
		return nil, nil
	}
	means := make([]float64, len(s.truth))
	for _, x := range t {
		means[x.Record] += float64(x.Weight * x.Value)
	}
	mean, err := s.resamples.Mean(means)
	at := func(p float64) result.Estimate { return estimate(s.resamples.QuantileOf(t, p, 0)) }
	return &result.Latency{Mean: mean, P50: at(0.5), P95: at(0.95), P99: at(0.99)}, err
}

// much is how many times as long as with the last model alone queries take before it is said.
const much = 1.1

// slower says how much longer queries of a plan take than with the last model alone, where that is much and all times
// were recorded with the answers: times that a run measures itself are not the same in the next.
func (s *measurer) slower(p plan) (result.Note, bool) {
	last := s.r.Last()
	if s.r.Repeat > 0 {
		return result.Note{}, false
	}
	for _, m := range append([]int{last}, p.models...) {
		if s.r.Models[m].Spec.Config.Model.Kind != backends.Replay {
			return result.Note{}, false
		}
	}
	ours, ok := s.times(p)
	always := certainly(1, make([]int, len(s.truth)))
	alone, measured := s.times(plan{models: []int{last}, final: always, charge: cost.Router})
	if !ok || !measured {
		return result.Note{}, false
	}
	ratio := func(p float64) (float64, bool) {
		own, theirs := s.resamples.QuantileOf(ours, p, 0), s.resamples.QuantileOf(alone, p, 0)
		return own.Value / theirs.Value, theirs.Value > 0
	}
	p50, of50 := ratio(0.5)
	p99, of99 := ratio(0.99)
	return note.Say("slower", "It takes time: the median query %.2g times, and the 99th percentile %.2g times, as long "+
		"as with %s alone.", p50, p99, s.r.Cascade.Models[last]), of50 && of99 && max(p50, p99) > much
}

// times lists all times that records may take, with their chances, the shortest first; ok is false where some are not
// known.
func (s *measurer) times(p plan) (all []infer.Weighted, ok bool) {
	var seconds byModel
	for _, m := range p.models {
		if s.r.Models[m].Seconds == nil {
			return nil, false
		}
		seconds = append(seconds, records.Pick(s.r.Models[m].Seconds, s.r.Test))
	}
	costs := make([]float64, len(p.models))
	for i := range s.truth {
		for place := range p.models {
			costs[place] = seconds[place][i]
		}
		for place, w := range p.final {
			if w[i] == 0 {
				continue
			}
			took := slices.Max(costs)
			if p.charge != cost.Parallel {
				took = p.charge.Stop(costs, place)
			}
			all = append(all, infer.Weighted{Record: i, Value: took, Weight: w[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b infer.Weighted) int { return cmp.Compare(a.Value, b.Value) })
	return all, true
}
