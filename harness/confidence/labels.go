package confidence

import (
	"errors"
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

// slackAbove0 is how far above 0 a log-probability may lie, as servers round.
const slackAbove0 = 1e-3

// tokenSum adds the log-probabilities of an answer's tokens: those before the
// end token. −Inf is allowed and makes the sum −Inf.
func tokenSum(a backends.Answer) (sum float64, n int, err error) {
	if a.Failure != nil {
		return 0, 0, fmt.Errorf("no confidence: the answer is a failure: %w", a.Failure)
	}
	for i, t := range a.Tokens {
		if t.End {
			break
		}
		if !(t.Logprob <= slackAbove0) {
			return 0, 0, fmt.Errorf("token %d %q has log-probability %v: want a number ≤ 0", i, t.Text, t.Logprob)
		}
		sum += min(t.Logprob, 0)
		n++
	}
	return sum, n, nil
}

// readTokens reads the confidence of a generation from ℓ, the mean
// log-probability of its n tokens:
//
//	exp      β = exp(ℓ), the geometric mean of the token probabilities
//	sum      β = exp(nℓ), the probability of the whole answer
//
// An empty answer has β = 0, and so has one with a token of probability 0.
func (s Score) readTokens(a backends.Answer) (Reading, error) {
	sum, n, err := tokenSum(a)
	if err != nil {
		return Reading{}, err
	}
	r := Reading{Certain: true, Log: math.Inf(-1)}
	if a.Whole && s != Sum {
		return r, fmt.Errorf("confidence %q rests on the mean of an answer's tokens, and their number is not known: use %q",
			s, Sum)
	}
	if n == 0 {
		r.Empty = true
		return r, nil
	}
	switch s {
	case Exp:
		r.Log = sum / float64(n)
	case Sum:
		r.Log = sum
	default:
		return Reading{}, fmt.Errorf("unknown confidence score %q: want one of %v", s, Scores())
	}
	r.Beta = calc.Exp(r.Log)
	r.Low, r.High = r.Beta, r.Beta
	return r, nil
}

// readDecision reads a classification. The probability and the confidence that a decision model's server wrote are β to
// the bit, since whoever applies a threshold compares what the server wrote.
func (s Score) readDecision(a backends.Answer) (Reading, error) {
	r, err := readLabels(a.Labels)
	switch {
	case err != nil || a.Vendor == nil && s == Softmax:
		return r, err
	case s == Softmax:
		r.Beta = a.Vendor.Probability
	case a.Vendor == nil || a.Vendor.Confidence == nil:
		return Reading{}, errors.New("confidence \"vendor\": the reply reports no confidence")
	default:
		r.Beta = *a.Vendor.Confidence
	}
	r.Low, r.High, r.Log = r.Beta, r.Beta, calc.Log(r.Beta)
	return r, nil
}
