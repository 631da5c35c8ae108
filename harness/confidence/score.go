// Package confidence turns an answer's log-probabilities into the student's
// confidence β ∈ [0,1], and calibrates it. It owns the scores and the calibrators;
// it calls no model and knows no policy.
//
// A calibrator is fitted on the records passed in: callers pass the fit part only.
// Its opinion: what a server did not report is never invented. A reading says what
// is missing and how far β may be off.
package confidence

import (
	"errors"
	"fmt"
	"math"

	"infnet/backends"
	"infnet/harness/calc"
	"infnet/harness/choice"
)

type Reading struct {
	Class     int       // classification: argmax, the lowest index on ties; 0 for generation
	Beta      float64   // confidence in [0,1]
	Low, High float64   // β lies in [Low, High]; both are Beta unless labels are missing
	Log       float64   // Exp and Sum: ln β, finite where β underflows to 0; else ln Beta
	Probs     []float64 // classification: probability per label over those reported, 0 for the others
	Missing   int       // classification: labels the server did not report
	Certain   bool      // Class is the argmax whatever the missing labels' probabilities are
	Empty     bool      // generation: no token; β = 0
}

// ErrNoLabel is returned where no label was reported with a positive
// probability, so that there is no class: the record has no answer.
var ErrNoLabel = errors.New("no label has a probability")

// Read returns an answer's confidence. It fails on a failed answer, on NaN and
// other impossible log-probabilities, and with ErrNoLabel.
func (s Score) Read(a backends.Answer) (Reading, error) {
	if a.Failure != nil {
		return Reading{}, fmt.Errorf("no confidence: the answer is a failure: %w", a.Failure)
	}
	if a.Confidence != nil {
		return s.given(a)
	}
	if s.classifies() {
		return s.readDecision(a)
	}
	return s.readTokens(a)
}

// given reads the confidence that was recorded with an answer: β is that
// number. Labels without scores of their own share what it leaves, 1 − β.
func (s Score) given(a backends.Answer) (Reading, error) {
	beta := *a.Confidence
	if !(beta >= 0 && beta <= 1) {
		return Reading{}, fmt.Errorf("the recorded confidence %v is no number in [0,1]", beta)
	}
	r := Reading{}
	if s.classifies() {
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

// Score is a way to read a confidence from an answer.
type Score string

// The scores. Softmax and Vendor are for classification, the others for generation.
const (
	Softmax Score = "softmax" // largest probability over the label tokens
	Vendor  Score = "vendor"  // what a decision model's server calls its confidence: see Statistic
	Exp     Score = "exp"     // geometric-mean token probability, exp of the mean log-probability
	Sum     Score = "sum"     // probability of the whole answer, exp of the summed log-probability
)

func Scores() []Score { return append([]Score{Softmax, Vendor}, OfTokens()...) }

func OfTokens() []Score { return []Score{Exp, Sum} }

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
