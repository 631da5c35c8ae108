package baseline

import (
	"infnet/harness/cost"
	"infnet/harness/router"
)

// Learning describes a baseline that learns which model to ask. It estimates the probability of a label, and keeps the
// student's answer if a score of that reaches a threshold.
type Learning struct {
	Answers bool // the learner reads the student's answer, not the query alone
	// label and threshold depend on answer quality, and delta bounds its loss; otherwise they depend on errors
	Quality  bool
	Reads    string
	Predicts func(Rules) string                   // what a label of 1 is
	Label    func(Answers, Rules) bool            // of one record: is it 1?
	Compared func(p float64, rules Rules) float64 // the score compared with the threshold; nil: p itself
	Fit      func(Scored, Rules) (router.Threshold, error)
	Charge   func(Rules) cost.Charge
}

// Rules are the options of a baseline that learns.
type Rules struct {
	Released bool    // as the authors' code
	Delta    float64 // allowed drop of the mean quality
	Relative bool    // Delta is relative to the master's mean quality
}

// Answers holds the correctness and quality of the two answers to a record.
type Answers struct {
	Right           bool    // the student is right
	Student, Master float64 // quality, where the baseline learns by it, else 1 − error
}

// Scored is the fit part with the scores that are compared with the threshold.
type Scored struct {
	Score           []float64 // out of fold
	Student, Master []float64 // qualities, where the baseline learns by them, else errors
	Most            int       // records that may be deferred at the cost of our policy
	Dearer          bool      // the student costs more than the master
}

// UsualDelta is the default of the allowed drop in quality (1 %, as in section 5 of the paper).
const UsualDelta = 0.01
