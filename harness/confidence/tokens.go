package confidence

import (
	"fmt"
	"math"

	"infnet/backends"
	"infnet/harness/calc"
)

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
