package analyze

import (
	"slices"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/pool"
	"infnet/harness/records"
	"infnet/metrics/infer"
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

// payable returns the least and the most that each query could pay where the models cost that much.
func (p plan) payable(of byModel) (least, most []float64) {
	costs := make([]float64, len(p.models))
	for i := range p.final[0] {
		for place, m := range p.models {
			costs[place] = of[m][i]
		}
		low, high := p.charge.Stop(costs, 0), p.charge.Stop(costs, 0)
		for place := range p.models {
			stop := p.charge.Stop(costs, place)
			low, high = min(low, stop), max(high, stop)
		}
		least, most = append(least, low+p.overhead), append(most, high+p.overhead)
	}
	return least, most
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

// certainly returns the chances where the model at place at[k] answers record k.
func certainly(places int, at []int) [][]float64 {
	final := make([][]float64, places)
	for place := range final {
		final[place] = make([]float64, len(at))
		for k, x := range at {
			final[place][k] = indicator(x == place)
		}
	}
	return final
}

// deferring are the chances of a pair's two models where record k is deferred with the
// chance weight[k].
func deferring(weight []float64) [][]float64 { return [][]float64{complement(weight), weight} }

// places are the places of a pair's models that answer.
func places(d policy.Decisions) []int {
	out := make([]int, len(d))
	for k, defers := range d {
		out[k] = int(indicator(defers))
	}
	return out
}

func everyModel(r *records.Records) []int {
	out := make([]int, len(r.Models))
	for m := range out {
		out[m] = m
	}
	return out
}

func indicator(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}

func indicators(list []bool) []float64 {
	out := make([]float64, len(list))
	for i, is := range list {
		out[i] = indicator(is)
	}
	return out
}

func complement(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = 1 - v
	}
	return out
}

func average(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func shifted(iv infer.Interval, by float64) infer.Interval {
	iv.Value, iv.Low, iv.High = iv.Value-by, iv.Low-by, iv.High-by
	return iv
}

// kept returns a function that passes a measurement on and keeps the first error, so
// that several read as one.
func kept[T any](first *error) func(T, error) T {
	return func(v T, err error) T {
		if *first == nil {
			*first = err
		}
		return v
	}
}
