package confidence

import (
	"fmt"
	"math"

	"infnet/backends"
	"infnet/harness/calc"
)

// readLabels is the softmax over the label tokens:
//
//	β = max_k p_k,   p_k = exp(l_k) / Σ_j exp(l_j) over the labels reported
//
// With S the mass of the labels reported, p₁ the largest, and labels missing
// whose probabilities are at most u_j, the true β is in [p₁/(S+Σu_j), p₁/S];
// renormalising over what is present is the upper end. A log-probability of
// −Inf is a probability of 0; NaN and +Inf are errors, except that an upper
// bound of +Inf means that nothing is known (Low is 0).
func readLabels(labels []backends.LabelScore) (Reading, error) {
	if len(labels) == 0 {
		return Reading{}, fmt.Errorf("confidence %q: the answer has no label scores; it was not asked for a classification",
			Softmax)
	}
	top := math.Inf(-1)
	r := Reading{Class: -1, Probs: make([]float64, len(labels)), Certain: true}
	for k, l := range labels {
		if math.IsNaN(l.Logprob) || l.Seen && math.IsInf(l.Logprob, 1) {
			return Reading{}, fmt.Errorf("label %d has log-probability %v", k, l.Logprob)
		}
		if l.Seen && l.Logprob > top {
			top, r.Class = l.Logprob, k
		}
	}
	if r.Class < 0 {
		return Reading{}, fmt.Errorf("%d labels asked for: %w", len(labels), ErrNoLabel)
	}
	present, absent := 0.0, 0.0 // masses relative to the largest
	for k, l := range labels {
		p := calc.Exp(l.Logprob - top)
		if l.Seen {
			r.Probs[k] = p
			present += p
			continue
		}
		r.Missing++
		absent += p
		if l.Logprob > top || l.Logprob == top && k < r.Class {
			r.Certain = false
		}
	}
	for k := range r.Probs {
		r.Probs[k] /= present
	}
	r.Beta = r.Probs[r.Class]
	r.Log = -calc.Log(present)
	r.Low, r.High = 1/(present+absent), r.Beta
	return r, nil
}
