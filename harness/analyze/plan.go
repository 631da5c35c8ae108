package analyze

import (
	"slices"

	"infnet/harness/cost"
)

// plan is how a row treats the test records: which models it asks, and whose
// answer is final.
type plan struct {
	models []int       // places of the models that may be asked, in this order
	final  [][]float64 // by place in models, then record: probability that its answer is final
	charge cost.Charge

	overhead float64 // what every query also pays, for the score it is decided by; in the study's unit of cost
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

// certain returns the place whose answer to record i is final; −1 = by chance.
func (p plan) certain(i int) int {
	return slices.IndexFunc(p.final, func(w []float64) bool { return w[i] == 1 })
}

// mix returns the expectation of a column over whose answer is final, exactly
// that model's value where it is certain.
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
