package analyze

import (
	"slices"

	"infnet/harness/cost"
	"infnet/harness/pool"
)

// plan is how a row treats the test records: which models it asks, and whose
// answer is final.
type plan struct {
	models []int       // positions of the models that may be asked, in this order
	final  [][]float64 // by position in models, then record: probability that its answer is final
	charge cost.Charge

	constant bool    // every record is treated alike, by definition
	overhead float64 // cost of the score that decides a query, which every query pays; in the study's unit
}

// asked returns the probability that each record is asked of the model at a
// place of the plan.
func (p plan) asked(place int) []float64 {
	out := make([]float64, len(p.final[0]))
	for i := range out {
		switch p.charge {
		case cost.Parallel:
			out[i] = 1
		case cost.Router:
			out[i] = p.final[place][i]
		default:
			for _, later := range p.final[place:] {
				out[i] += later[i]
			}
		}
	}
	return out
}

// asks returns the models that a query asks whose answer at a place is final.
func (p plan) asks(place int) []int {
	switch p.charge {
	case cost.Router:
		return p.models[place : place+1]
	case cost.Parallel:
		return p.models
	}
	return p.models[:place+1]
}

// certain returns the position whose answer to record i is final; −1 = by chance.
func (p plan) certain(i int) int {
	return slices.IndexFunc(p.final, func(w []float64) bool { return w[i] == 1 })
}

// single returns the model whose answer is final on every record; pool.None = there is no such model.
func (p plan) single() int {
	for place, m := range p.models {
		if slices.Min(p.final[place]) == 1 {
			return m
		}
	}
	return pool.None
}

// mix returns the expectation of a column over the models whose answer may be
// final. Where one is certain, it is exactly that model's value.
func (p plan) mix(of byModel) []float64 {
	out := make([]float64, len(p.final[0]))
	for i := range out {
		if place := p.certain(i); place >= 0 {
			out[i] = of[p.models[place]][i]
			continue
		}
		for place, m := range p.models {
			out[i] += float64(p.final[place][i] * of[m][i])
		}
	}
	return out
}

// paid returns the expected cost of each query where the models cost that much.
func (p plan) paid(of byModel) []float64 {
	out := make([]float64, len(p.final[0]))
	costs := make([]float64, len(p.models))
	for i := range out {
		for place, m := range p.models {
			costs[place] = of[m][i]
		}
		for place, w := range p.final {
			out[i] += float64(w[i] * p.charge.Stop(costs, place))
		}
		out[i] += p.overhead
	}
	return out
}
