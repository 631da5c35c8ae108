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
	out := &result.Latency{
		P50: estimate(s.resamples.QuantileOf(t, 0.5, 0)),
		P95: estimate(s.resamples.QuantileOf(t, 0.95, 0)),
		P99: estimate(s.resamples.QuantileOf(t, 0.99, 0)),
	}
	var err error
	out.Mean, err = s.resamples.Mean(t.means(len(s.truth)))
	return out, err
}

// much is how many times as long as with the last model alone queries take before it is said.
const much = 1.1

// slower says how much longer queries of a plan take than with the last model alone, where that is much and all times
// were recorded with the answers: times that a run measures itself are not the same in the next.
func (s *measurer) slower(p plan) (result.Note, bool) {
	if s.r.Repeat > 0 {
		return result.Note{}, false
	}
	for _, m := range append([]int{s.r.Last()}, p.models...) {
		if known, ok := s.r.Study.Model(s.r.Cascade.Models[m]); !ok || known.Config.Model.Kind != backends.Replay {
			return result.Note{}, false
		}
	}
	ours, ok := s.times(p)
	always := certainly(1, make([]int, len(s.truth)))
	alone, measured := s.times(plan{models: []int{s.r.Last()}, final: always, charge: cost.Router})
	if !ok || !measured {
		return result.Note{}, false
	}
	ratio := func(p float64) (float64, bool) {
		own, theirs := s.resamples.QuantileOf(ours, p, 0), s.resamples.QuantileOf(alone, p, 0)
		return own.Value / theirs.Value, theirs.Value > 0
	}
	p50, of50 := ratio(0.5)
	p99, of99 := ratio(0.99)
	return note.Slower(s.r.Cascade.Models[s.r.Last()], p50, p99), of50 && of99 && max(p50, p99) > much
}

// times are all times that records may take, with their chances, the shortest first.
type times []infer.Weighted

// times lists them; ok is false where some are not known.
func (s *measurer) times(p plan) (all times, ok bool) {
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

// means are the expected times of the records.
func (t times) means(n int) []float64 {
	out := make([]float64, n)
	for _, x := range t {
		out[x.Record] += float64(x.Weight * x.Value)
	}
	return out
}
