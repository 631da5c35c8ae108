package gallery

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"infnet/metrics/infer"
)

// confidence is the level of every interval.
const confidence = 0.95

// ofModels is our value of a line about a recorded model.
func ofModels(s *Set, l Line) (Ours, error) {
	m := s.model(l.Row)
	if m == nil {
		return Ours{}, fmt.Errorf("no answers of %q on %s", l.Row, s.Name)
	}
	measured := s.Test
	where := fmt.Sprintf("the same %d test questions", len(measured))
	if len(measured) == 0 {
		measured = s.Fit
		where = fmt.Sprintf("the %d public training questions; the test part is not public", len(measured))
	}
	switch l.Quantity {
	case "correct_pct":
		return share(m.Correct, measured, "the authors' grades on "+where)
	case "cost_micro_usd":
		return mean(m.Cost, measured, 1e6, "the recorded costs on "+where), nil
	case "latency_ms":
		return median(m.Latency, measured, "the recorded latencies on "+where), nil
	}
	return Ours{}, fmt.Errorf("a model has no %q", l.Quantity)
}

// share is the percentage of right answers, with its exact interval.
func share(correct []bool, of []int, reason string) (Ours, error) {
	right := 0
	for _, i := range of {
		if correct[i] {
			right++
		}
	}
	v, err := infer.ClopperPearson(right, len(of), confidence)
	return Ours{100 * v.Value, 100 * v.Low, 100 * v.High, reason}, err
}

// mean is a mean with its normal interval, in units of 1/scale.
func mean(column []float64, of []int, scale float64, reason string) Ours {
	sum, squares, n := 0.0, 0.0, float64(len(of))
	for _, i := range of {
		sum += column[i]
	}
	for _, i := range of {
		squares += (column[i] - sum/n) * (column[i] - sum/n)
	}
	half := 1.959964 * math.Sqrt(squares/(n-1)/n)
	return Ours{scale * sum / n, scale * (sum/n - half), scale * (sum/n + half), reason}
}

// median is a median with the interval of its order statistics, by the normal
// approximation of the binomial distribution.
func median(column []float64, of []int, reason string) Ours {
	sorted := make([]float64, len(of))
	for k, i := range of {
		sorted[k] = column[i]
	}
	slices.SortFunc(sorted, cmp.Compare)
	n := float64(len(sorted))
	half := 1.959964 * math.Sqrt(n) / 2
	low, high := int(math.Floor((n-1)/2-half)), int(math.Ceil((n-1)/2+half))
	return Ours{infer.Quantile(sorted, 0.5), sorted[max(low, 0)], sorted[min(high, len(sorted)-1)], reason}
}
