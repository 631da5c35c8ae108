// Package confidence turns an answer's log-probabilities into the student's
// confidence β ∈ [0,1], and calibrates it. It owns the scores, the scales they
// need and the calibrators; it calls no model and knows no policy.
//
// Everything is fitted on the records passed in: callers pass the fit part only.
// Its opinion: what a server did not report is never invented. A reading says what
// is missing and how far β may be off.
package confidence

import "infnet/harness/choice"

// Score is a way to read a confidence from an answer.
type Score string

// The scores. Softmax is for classification, the others for generation.
const (
	Softmax Score = "softmax" // largest probability over the label tokens
	Exp     Score = "exp"     // geometric-mean token probability, exp of the mean log-probability
	MinMax  Score = "minmax"  // mean log-probability scaled by the fit part's range, clipped
	Sum     Score = "sum"     // probability of the whole answer, exp of the summed log-probability
	Sigmoid Score = "sigmoid" // logistic of the mean log-probability, standardised on the fit part

	Quantiles Score = "quantiles" // logistic regression on quantiles of the log-probabilities, fitted on the fit part
)

// Scores lists the valid scores.
func Scores() []Score { return []Score{Softmax, Exp, MinMax, Sum, Sigmoid, Quantiles} }

// UnmarshalText accepts a score's name.
func (s *Score) UnmarshalText(b []byte) error {
	return choice.Decode(s, b, "confidence score", Scores())
}

// Options say how a confidence is computed.
type Options struct {
	Score      Score // Softmax for classification, another for generation
	IncludeEOS bool  // generation: the end token counts as a token of the answer
}
