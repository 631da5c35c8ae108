package baseline

import (
	"infnet/harness/cost"
	"infnet/harness/router"
)

// Learning describes a baseline that learns which model to ask. It estimates the probability of a label, or what every
// model's answer is worth, and keeps the student's answer if a score of that reaches a threshold.
type Learning struct {
	Answers bool // the learner reads the student's answer, not the query alone
	// label and threshold depend on answer quality, and delta bounds its loss; otherwise they depend on errors
	Quality bool
	Reads   string
	// its own learner; nil: the study chooses one
	Learner  func() router.Learner
	Predicts func(Rules) string // what a label of 1 is
	// what the learner estimates; "": the probability of the label
	Estimates string
	Once      bool                                 // one fit, of a few numbers, scores the records that it saw, too
	Second    bool                                 // the threshold needs the master's confidence, calibrated
	Label     func(Answers, Rules) bool            // of one record: is it 1?
	Compared  func(p float64, rules Rules) float64 // the score compared with the threshold; nil: p itself
	Fit       func(Scored, Rules) (router.Threshold, error)
	Charge    func(Rules) cost.Charge
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
	Second          []float64 // the master's calibrated confidence, where the baseline needs it
	Student, Master []float64 // qualities, where the baseline learns by them, else errors
	Most            int       // records that may be deferred at the cost of our policy
	Dearer          bool      // the student costs more than the master
}

// Labels of several baselines, and what they are.
func right(Rules) string                { return "the student's answer is right" }
func isRight(a Answers, _ Rules) bool   { return a.Right }
func noWorse(Rules) string              { return "the student's answer is at least as good as the master's" }
func isNoWorse(a Answers, _ Rules) bool { return a.Student >= a.Master }

// scorer completes the learning of a baseline that scores the student's answers.
func scorer(l Learning) *Learning {
	l.Answers, l.Charge = true, func(Rules) cost.Charge { return cost.Cascade }
	if l.Fit == nil { // the fewest errors at the cost of our policy
		l.Fit = func(s Scored, _ Rules) (router.Threshold, error) {
			return router.FitScorer(s.Score, s.Student, s.Master, s.Most)
		}
	}
	return &l
}

// estimated is the learning of a router that estimates, before any model answers, what an answer of each is worth.
// Its threshold is that of HybridLLM.
func estimated(what string, learner func() router.Learner) *Learning {
	return &Learning{
		Quality: true, Reads: "query", Learner: learner, Estimates: what, Predicts: noWorse, Label: isNoWorse,
		Fit: leastCost, Charge: func(Rules) cost.Charge { return cost.Router },
	}
}

// leastCost saves most with a mean quality at most δ below the master's.
func leastCost(s Scored, rules Rules) (router.Threshold, error) {
	return router.FitRouter(s.Score, s.Student, s.Master, router.Drop{Delta: rules.Delta, Relative: rules.Relative},
		s.Dearer)
}

// UsualDelta is the default of the allowed drop in quality (1 %, as in section 5 of the paper).
const UsualDelta = 0.01
