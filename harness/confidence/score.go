// Package confidence turns an answer's log-probabilities into the student's
// confidence β ∈ [0,1], and calibrates it. It owns the scores, the scales they
// need and the calibrators; it calls no model and knows no policy.
//
// Everything is fitted on the records passed in: callers pass the fit part only.
// Its opinion: what a server did not report is never invented. A reading says what
// is missing and how far β may be off.
package confidence

import (
	"math"

	"infnet/backends"
	"infnet/harness/choice"
)

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

// Scores lists the valid scores.
func Scores() []Score { return append([]Score{Softmax, Vendor}, OfTokens()...) }

// OfTokens lists the scores of generations.
func OfTokens() []Score { return []Score{Exp, MinMax, Sum, Sigmoid, Quantiles} }

// classifies reports whether the score is of classifications.
func (s Score) classifies() bool { return s == Softmax || s == Vendor }

// UnmarshalText accepts a score's name.
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
