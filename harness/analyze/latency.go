package analyze

import (
	"cmp"
	"fmt"
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
	levels := []float64{0.5, 0.95, 0.99}
	point := make([]float64, len(levels))
	t.quantiles(slices.Repeat([]uint8{1}, len(s.ones)), levels, point)
	each := s.resamples.Several(len(levels), func() func(counts []uint8, into []float64) {
		return func(counts []uint8, into []float64) { t.quantiles(counts, levels, into) }
	})
	out := &result.Latency{}
	var err error
	for k, into := range []*infer.Interval{&out.P50, &out.P95, &out.P99} {
		if *into, err = s.resamples.Interval(point[k], each[k]); err != nil {
			return nil, fmt.Errorf("latency: %w", err)
		}
	}
	out.Mean, err = s.resamples.Mean(t.means(len(s.ones)))
	return out, err
}

// much is how many times as long as with the last model alone queries take before it is said.
const much = 1.1

// slower says how much longer queries of a plan take than with the last model alone, where that is much and all times
// were recorded with the answers: times that a run measures itself are not the same in the next.
func (s *measurer) slower(p plan) (note.Slower, bool) {
	if s.r.Repeat > 0 {
		return note.Slower{}, false
	}
	for _, m := range append([]int{s.r.Last()}, p.models...) {
		if known, ok := s.r.Study.Model(s.r.Cascade.Models[m]); !ok || known.Config.Model.Kind != backends.Replay {
			return note.Slower{}, false
		}
	}
	ours, ok := s.times(p)
	alone, measured := s.times(plan{models: []int{s.r.Last()}, final: [][]float64{s.ones}, charge: cost.Router})
	if !ok || !measured {
		return note.Slower{}, false
	}
	once, levels := slices.Repeat([]uint8{1}, len(s.ones)), []float64{0.5, 0.99}
	mine, theirs := make([]float64, 2), make([]float64, 2)
	ours.quantiles(once, levels, mine)
	alone.quantiles(once, levels, theirs)
	out := note.Slower{Than: s.r.Cascade.Models[s.r.Last()], P50: mine[0] / theirs[0], P99: mine[1] / theirs[1]}
	return out, theirs[0] > 0 && theirs[1] > 0 && max(out.P50, out.P99) > much
}

// taken is a time that a record takes with some probability.
type taken struct {
	record  int
	seconds float64
	chance  float64
}

// times are all times that records may take, the shortest first.
type times []taken

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
	for i := range s.ones {
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
			all = append(all, taken{i, took, w[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b taken) int { return cmp.Compare(a.seconds, b.seconds) })
	return all, true
}

// quantiles are the smallest times that at least a share of the queries do not exceed,
// of records that count so many times each. levels ascend.
func (t times) quantiles(counts []uint8, levels, into []float64) {
	var total float64
	for _, x := range t {
		total += float64(float64(counts[x.record]) * x.chance)
	}
	const rounding = 1e-9 // of sums of chances
	var below float64
	k := 0
	for _, x := range t {
		count := counts[x.record]
		if count == 0 {
			continue
		}
		below += float64(float64(count) * x.chance)
		for k < len(levels) && below >= float64(levels[k]*total)-rounding {
			into[k] = x.seconds
			k++
		}
		if k == len(levels) {
			return
		}
	}
}

// means are the expected times of the records.
func (t times) means(n int) []float64 {
	out := make([]float64, n)
	for _, x := range t {
		out[x.record] += float64(x.chance * x.seconds)
	}
	return out
}
