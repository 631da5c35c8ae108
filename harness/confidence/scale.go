// Package confidence turns an answer's log-probabilities into the student's
// confidence β ∈ [0,1], and calibrates it. It owns the scores, the scales they
// need and the calibrators; it calls no model and knows no policy.
//
// Everything is fitted on the records passed in: callers pass the fit part only.
// Its opinion: what a server did not report is never invented. A reading says what
// is missing and how far β may be off.
package confidence

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"infnet/backends"
	"infnet/harness/calc"
	"infnet/harness/choice"
)

// Scale reads confidences. It is what has to be kept of the fit part to read
// them from new answers: plain numbers.
type Scale struct {
	Score Score
	N     int     // answers it was fitted on
	Empty int     // of these, without a token; they do not enter the numbers below
	Low   float64 // MinMax: least finite mean log-probability
	High  float64 // MinMax: largest
	Mean  float64 // Sigmoid: mean of the finite mean log-probabilities
	SD    float64 // Sigmoid: their standard deviation (divisor n)

	Regression *Regression // Quantiles: see Learn; nil = not fitted yet
}

type Reading struct {
	Class     int       // classification: argmax, the lowest index on ties; 0 for generation
	Beta      float64   // confidence in [0,1]
	Low, High float64   // β lies in [Low, High]; both are Beta unless labels are missing
	Log       float64   // Exp and Sum: ln β, finite where β underflows to 0; else ln Beta
	Probs     []float64 // classification: probability per label over those reported, 0 for the others
	Missing   int       // classification: labels the server did not report
	Certain   bool      // Class is the argmax whatever the missing labels' probabilities are
	Empty     bool      // generation: no token; β = 0
	Feature   *Feature  // Quantiles: what its regression sees; nil where β is 0 without it, or was recorded
}

// ErrNoLabel is returned where no label was reported with a positive
// probability, so that there is no class: the record has no answer.
var ErrNoLabel = errors.New("no label has a probability")

// Fit learns what the score needs from the answers of the fit part. Softmax, Vendor,
// Exp and Sum learn nothing and take no answers too, and Quantiles has a step of its own, Learn;
// MinMax and Sigmoid need one with a finite mean log-probability, unless every answer states its
// own confidence. Failed answers are an error: leave them out.
func Fit(score Score, answers iter.Seq[backends.Answer]) (Scale, error) {
	if !slices.Contains(Scores(), score) {
		return Scale{}, fmt.Errorf("unknown confidence score %q: want one of %v", score, Scores())
	}
	s := Scale{Score: score}
	var means []float64
	given := 0
	for a := range answers {
		s.N++
		if score.classifies() {
			continue
		}
		if a.Confidence != nil && a.Failure == nil {
			given++
			continue
		}
		sum, n, err := tokenSum(a)
		if err != nil {
			return Scale{}, fmt.Errorf("answer %d: %w", s.N-1, err)
		}
		if n == 0 {
			s.Empty++
		} else if mean := sum / float64(n); !math.IsInf(mean, -1) {
			means = append(means, mean)
		}
	}
	if score != MinMax && score != Sigmoid || given > 0 && given == s.N {
		return s, nil
	}
	if len(means) == 0 {
		return Scale{}, fmt.Errorf("confidence %q: none of %d answers of the fit part has a token with a finite "+
			"log-probability; use %q, which is not fitted", score, s.N, Exp)
	}
	if score == MinMax {
		s.Low, s.High = slices.Min(means), slices.Max(means)
	} else {
		s.Mean, s.SD = moments(means)
	}
	return s, nil
}

// moments returns mean and standard deviation with divisor n. gonum's
// stat.PopMeanStdDev adds in lanes and corrects for the mean's rounding, so that
// its last digits differ.
func moments(xs []float64) (mean, sd float64) {
	for _, x := range xs {
		mean += x
	}
	mean /= float64(len(xs))
	for _, x := range xs {
		sd += float64((x - mean) * (x - mean))
	}
	return mean, math.Sqrt(sd / float64(len(xs)))
}

// Read returns an answer's confidence. It fails on a failed answer, on NaN and
// other impossible log-probabilities, and with ErrNoLabel.
func (s Scale) Read(a backends.Answer) (Reading, error) {
	if a.Failure != nil {
		return Reading{}, fmt.Errorf("no confidence: the answer is a failure: %w", a.Failure)
	}
	if a.Confidence != nil {
		return s.given(a)
	}
	if s.Score.classifies() {
		return s.readDecision(a)
	}
	if s.Score == Quantiles {
		return s.readQuantiles(a)
	}
	return s.readTokens(a)
}

// given reads the confidence that was recorded with an answer: β is that
// number. Labels without scores of their own share what it leaves, 1 − β.
func (s Scale) given(a backends.Answer) (Reading, error) {
	beta := *a.Confidence
	if !(beta >= 0 && beta <= 1) {
		return Reading{}, fmt.Errorf("the recorded confidence %v is no number in [0,1]", beta)
	}
	r := Reading{}
	if s.Score.classifies() {
		var err error
		if r, err = readLabels(a.Labels); err != nil {
			return Reading{}, err
		}
		if r.Missing > 0 {
			for k := range r.Probs {
				r.Probs[k] = (1 - beta) / float64(len(r.Probs)-1)
			}
			r.Probs[r.Class] = beta
		}
	}
	r.Beta, r.Low, r.High, r.Log = beta, beta, beta, calc.Log(beta)
	r.Missing, r.Certain = 0, true
	return r, nil
}

// Parameters returns the fitted numbers by name, for a file.
func (s Scale) Parameters() map[string]float64 {
	switch s.Score {
	case MinMax:
		return map[string]float64{"low": s.Low, "high": s.High}
	case Sigmoid:
		return map[string]float64{"mean": s.Mean, "sd": s.SD}
	case Quantiles:
		if s.Regression != nil {
			return s.Regression.parameters()
		}
	}
	return map[string]float64{}
}

// OfParameters is the scale of a score with the numbers that Parameters gives. Quantiles has too many to be made from
// them.
func OfParameters(score Score, p map[string]float64) (Scale, error) {
	if !slices.Contains(Scores(), score) || score == Quantiles {
		return Scale{}, fmt.Errorf("confidence score %q cannot be made from its parameters", score)
	}
	return Scale{Score: score, Low: p["low"], High: p["high"], Mean: p["mean"], SD: p["sd"]}, nil
}

// Score is a way to read a confidence from an answer.
type Score string

// The scores. Softmax and Vendor are for classification, the others for generation.
const (
	Softmax Score = "softmax" // largest probability over the label tokens
	Vendor  Score = "vendor"  // what a decision model's server calls its confidence: see Statistic
	Exp     Score = "exp"     // geometric-mean token probability, exp of the mean log-probability
	MinMax  Score = "minmax"  // mean log-probability scaled by the fit part's range, clipped
	Sum     Score = "sum"     // probability of the whole answer, exp of the summed log-probability
	Sigmoid Score = "sigmoid" // logistic of the mean log-probability, standardised on the fit part

	Quantiles Score = "quantiles" // logistic regression on quantiles of the log-probabilities, fitted on the fit part
)

func Scores() []Score { return append([]Score{Softmax, Vendor}, OfTokens()...) }

func OfTokens() []Score { return []Score{Exp, MinMax, Sum, Sigmoid, Quantiles} }

func (s Score) classifies() bool { return s == Softmax || s == Vendor }

func (s *Score) UnmarshalText(b []byte) error {
	return choice.Decode(s, b, "confidence score", Scores())
}

// Hidden reports whether all that an answer says of probabilities is that what was said had 1, and that nothing is
// known of the rest (0 and −9999): the server hides them, or reports those at temperature 0. Such a β says nothing.
func Hidden(a backends.Answer) bool {
	const unlisted, unknown = -12, -9999 // bounds of labels that a list of next to all probability leaves out are less
	if a.NoLogprobs || a.Confidence != nil || len(a.Tokens)+len(a.Labels) == 0 {
		return false
	}
	certain := 0
	for _, l := range a.Labels {
		switch {
		case l.Seen && l.Logprob == 0:
			certain++
		case l.Seen && (l.Logprob > unknown || math.IsInf(l.Logprob, -1)), !l.Seen && l.Logprob < unlisted:
			return false
		}
	}
	for _, t := range a.Tokens {
		if t.Logprob != 0 || len(t.Top) > 1 {
			return false
		}
	}
	return len(a.Labels) == 0 || certain == 1 && len(a.Labels) > 1
}
