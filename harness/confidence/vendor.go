package confidence

import (
	"errors"
	"iter"
	"math"
	"slices"

	"infnet/backends"
	"infnet/harness/calc"
)

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
			h := 0.0
			for _, q := range probs {
				if q > 0 {
					h -= float64(q * calc.Log(q))
				}
			}
			return 1 - h/calc.Log(float64(len(probs)))
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
