package confidence

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

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
//	minmax   β = (ℓ − low)/(high − low), clipped to [0,1]; if low = high, 1 where ℓ ≥ high, else 0
//	sigmoid  β = 1/(1 + exp(−(ℓ − mean)/sd)); sd = 0 counts as 1
//
// An empty answer has β = 0, and so has one with a token of probability 0.
func (s Scale) readTokens(a backends.Answer) (Reading, error) {
	sum, n, err := tokenSum(a)
	if err != nil {
		return Reading{}, err
	}
	r := Reading{Certain: true, Log: math.Inf(-1)}
	if a.Whole && s.Score != Sum {
		return r, fmt.Errorf("confidence %q rests on the mean of an answer's tokens, and their number is not known: use %q",
			s.Score, Sum)
	}
	if n == 0 {
		r.Empty = true
		return r, nil
	}
	mean := sum / float64(n)
	switch s.Score {
	case Exp:
		r.Log = mean
		r.Beta = calc.Exp(mean)
	case Sum:
		r.Log = sum
		r.Beta = calc.Exp(sum)
	case MinMax:
		r.Beta = s.minMax(mean)
		r.Log = calc.Log(r.Beta)
	case Sigmoid:
		sd := s.SD
		if sd == 0 {
			sd = 1
		}
		r.Beta = 1 / (1 + calc.Exp(-(mean-s.Mean)/sd))
		r.Log = calc.Log(r.Beta)
	default:
		return Reading{}, fmt.Errorf("unknown confidence score %q: want one of %v", s.Score, Scores())
	}
	r.Low, r.High = r.Beta, r.Beta
	return r, nil
}

func (s Scale) minMax(mean float64) float64 {
	switch {
	case mean >= s.High:
		return 1
	case mean <= s.Low:
		return 0
	}
	return (mean - s.Low) / (s.High - s.Low)
}

// readDecision reads a classification. The probability and the confidence that a decision model's server wrote are β to
// the bit, since whoever applies a threshold compares what the server wrote.
func (s Scale) readDecision(a backends.Answer) (Reading, error) {
	r, err := readLabels(a.Labels)
	switch {
	case err != nil || a.Vendor == nil && s.Score == Softmax:
		return r, err
	case s.Score == Softmax:
		r.Beta = a.Vendor.Probability
	case a.Vendor == nil || a.Vendor.Confidence == nil:
		return Reading{}, errors.New("confidence \"vendor\": the reply reports no confidence")
	default:
		r.Beta = *a.Vendor.Confidence
	}
	r.Low, r.High, r.Log = r.Beta, r.Beta, calc.Log(r.Beta)
	return r, nil
}

// statistics are what servers are known to report of k probabilities, p the largest: Google's "p_max" (js-genai, its
// ChoiceAnswer), strands-decider's and any2jev's schema.py, and OpenAI's, which is only said to be "how concentrated
// the distribution is" (langchain-openai, its ChoiceAnswer).
var statistics = []struct {
	name string
	of   func(p float64, probs []float64) float64
}{
	{"the largest probability", func(p float64, _ []float64) float64 { return p }},
	{"the largest probability p of k options, scaled so that equal ones give 0: (k·p − 1)/(k − 1)",
		func(p float64, probs []float64) float64 {
			k := float64(len(probs))
			return (float64(k*p) - 1) / (k - 1)
		}},
	{"one minus the entropy of the probabilities, as a share of the largest there is",
		func(_ float64, probs []float64) float64 {
			return 1 + negentropy(probs)/calc.Log(float64(len(probs)))
		}},
}

// Statistic says in words what the confidences are that a server reports, as far as answers tell: the statistic from
// which none differs by more than rounding to two digits explains; "" where none is, or several are.
func Statistic(answers iter.Seq[backends.Answer]) string {
	fits := make([]bool, len(statistics))
	n := 0
	for a := range answers {
		r, err := Scale{Score: Vendor}.readDecision(a)
		if err != nil {
			continue
		}
		if n++; n == 1 {
			fits = slices.Repeat([]bool{true}, len(fits))
		}
		for i, s := range statistics {
			fits[i] = fits[i] && math.Abs(s.of(slices.Max(r.Probs), r.Probs)-r.Beta) <= 0.02
		}
	}
	name := ""
	for i, s := range statistics {
		switch {
		case fits[i] && name != "":
			return ""
		case fits[i]:
			name = s.name
		}
	}
	return name
}
