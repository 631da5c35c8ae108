package pool

import (
	"slices"

	"infnet/metrics/infer"
)

// Loss is what a cascade costs beyond an oracle that errs as often, per query:
//
//	Signal     a perfect confidence in the same cascade would save it
//	Structure  asking the right model of the cascade straight away would save it: the price of the
//	           models asked before the one whose answer counts
//	Choice     the other models of the pool would save it
//
// Their sum is the whole loss. Each is 0 or more, as each oracle may do what the one
// before it does.
type Loss struct{ Signal, Structure, Choice infer.Interval }

func LossOf(rs *infer.Resamples, r Records, p Policy) (Loss, error) {
	played, err := p.Play(r)
	if err != nil {
		return Loss{}, err
	}
	every := make([]int, len(r))
	for m := range every {
		every[m] = m
	}
	oracles := []*Oracle{NewOracle(Choices(r, p.Models, true)), NewOracle(Choices(r, p.Models, false)),
		NewOracle(Choices(r, every, false))}
	prepare := func() func(counts []uint8, into []float64) {
		weights := make([]float64, r.Len())
		return func(counts []uint8, into []float64) {
			var n float64
			var mean Point
			for i, c := range counts {
				w := float64(c)
				weights[i] = w
				n += w
				mean.Cost += float64(w * played.Cost[i])
				mean.Error += float64(w * played.Error[i])
			}
			above := mean.Cost / n
			for k, o := range oracles {
				cost, _ := o.Cost(weights, mean.Error/n)
				into[k], above = above-cost, cost
			}
		}
	}
	point := make([]float64, len(oracles))
	prepare()(slices.Repeat([]uint8{1}, r.Len()), point)
	each := rs.Several(len(oracles), prepare)
	var out Loss
	for k, into := range []*infer.Interval{&out.Signal, &out.Structure, &out.Choice} {
		if *into, err = rs.Interval(point[k], each[k]); err != nil {
			return out, err
		}
	}
	return out, nil
}
