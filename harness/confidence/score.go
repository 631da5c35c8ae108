// Package confidence turns an answer's log-probabilities into the student's
// confidence β ∈ [0,1] (§7 of the algorithms' page in ARCHITECTURE.md), and
// calibrates it. Whatever it fits, it fits on the records it is given: callers
// pass the fit part only.
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
)

// Scores lists the valid scores.
func Scores() []Score { return []Score{Softmax, Exp, MinMax, Sum, Sigmoid} }

// UnmarshalText accepts a score's name.
func (s *Score) UnmarshalText(b []byte) error {
	return choice.Decode(s, b, "confidence score", Scores())
}
