package baseline

import (
	"infnet/harness/cost"
	"infnet/harness/router"
)

// Learning is what a baseline does that learns from texts whom to ask: it
// estimates the probability of a label, and keeps the student where what is
// compared with a threshold is large enough.
type Learning struct {
	Answers bool // the learner reads the student's answer, not the query alone
	// labels and threshold are by the quality of answers, and delta says how much may be lost; else by errors
	Quality  bool
	Reads    string
	Predicts func(Rules) string
	Label    func(Answers, Rules) bool            // of one record: is it 1?
	Compared func(p float64, rules Rules) float64 // nil: the probability itself
	Fit      func(Scored, Rules) (router.Threshold, error)
	Charge   func(Rules) cost.Charge
}

// Rules are what a study may ask otherwise of a baseline that learns.
type Rules struct {
	Released bool    // as the authors' code
	Delta    float64 // allowed drop of the mean quality
	Relative bool    // Delta is relative to the master's mean quality
}

// Answers are what the two answers to a record are worth.
type Answers struct {
	Right           bool    // the student's
	Student, Master float64 // quality, where the baseline learns by it
}

// Scored is the fit part with what is compared with the threshold.
type Scored struct {
	Score           []float64 // out of fold
	Student, Master []float64 // qualities, where the baseline learns by them, else errors
	Most            int       // records that may be deferred at the cost of our policy
	Dearer          bool      // the student costs more than the master
}

// UsualDelta is the drop of quality that is allowed where nothing is said
// (1 %, as in section 5 of the paper).
const UsualDelta = 0.01
