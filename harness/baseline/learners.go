package baseline

import (
	"infnet/harness/cost"
	"infnet/harness/router"
)

// FrugalGPT scores the student's answers, and has one threshold on the score.
const FrugalGPT Kind = "frugalgpt"

var frugalGPT = Baseline{
	Kind: FrugalGPT, Title: "FrugalGPT", Printed: "FrugalGPT",
	Learns: &Learning{
		Answers: true, Reads: "query and the student's answer",
		Predicts: func(Rules) string { return right },
		Label:    func(a Answers, _ Rules) bool { return a.Right },
		Compared: func(p float64, rules Rules) float64 {
			if rules.Released {
				return max(p, 1-p)
			}
			return p
		},
		Fit:    fewestErrors,
		Charge: func(Rules) cost.Charge { return cost.Cascade },
	},
	Look: Look{Colour: "green", Dashes: "mixed", Mark: "triangle"},
}

// TokenQuantiles defers by quantiles of the log-probabilities of the answer's tokens.
const TokenQuantiles Kind = "token-quantiles"

var tokenQuantiles = Baseline{
	Kind: TokenQuantiles, Title: "Token quantiles",
	Learns: &Learning{
		Answers: true, Reads: "log-probabilities of the tokens of the student's answer",
		Learner:  func() router.Learner { return router.NewTokenQuantiles() },
		Predicts: func(Rules) string { return noWorse },
		Label:    func(a Answers, _ Rules) bool { return a.Student >= a.Master },
		Fit:      fewestErrors,
		Charge:   func(Rules) cost.Charge { return cost.Cascade },
	},
	Look: Look{Colour: "green", Dashes: "short", Mark: "plus"},
}

// Copula finds the threshold on the student's calibrated confidence in a model of both models' confidences.
const Copula Kind = "copula"

var copula = Baseline{
	Kind: Copula, Title: "Rational Tuning",
	Learns: &Learning{
		Answers: true, Once: true, Second: true, Reads: "student's confidence",
		Learner:  func() router.Learner { return router.NewCalibrated() },
		Predicts: func(Rules) string { return right },
		Label:    func(a Answers, _ Rules) bool { return a.Right },
		Fit: func(s Scored, _ Rules) (router.Threshold, error) {
			return router.FitCopula(s.Score, s.Second, s.Student, s.Master, s.Most)
		},
		Charge: func(Rules) cost.Charge { return cost.Cascade },
	},
	Look: Look{Colour: "purple", Dashes: "mixed", Mark: "ring"},
}

// HybridLLM is a router that reads the query alone.
const HybridLLM Kind = "hybridllm"

var hybridLLM = Baseline{
	Kind: HybridLLM, Title: "HybridLLM", Printed: "HybridLLM",
	Learns: &Learning{
		Quality: true, Reads: "query",
		Predicts: func(rules Rules) string {
			if rules.Released {
				return "the student's answer is better than the master's"
			}
			return noWorse
		},
		Label: func(a Answers, rules Rules) bool {
			if rules.Released { // the paper's text; ties are the master's
				return a.Student > a.Master
			}
			return a.Student >= a.Master
		},
		Fit: leastCost,
		Charge: func(rules Rules) cost.Charge {
			if rules.Released {
				return cost.Cascade
			}
			return cost.Router
		},
	},
	Look: Look{Colour: "purple", Dashes: "short", Mark: "diamond"},
}

// KNN asks the model that was best on the nearest queries.
const KNN Kind = "knn"

var knn = Baseline{
	Kind: KNN, Title: "kNN router",
	Learns: estimated("what each model's answer is worth", func() router.Learner { return router.NewNeighbours() }),
	Look:   Look{Colour: "blue", Dashes: "short", Mark: "ring"},
}

// Clusters asks the model of the best balance of quality and cost in the query's cluster.
const Clusters Kind = "clusters"

var byCluster = Baseline{
	Kind: Clusters, Title: "Avengers-Pro",
	Learns: estimated("what each model's answer is worth, and what it costs",
		func() router.Learner { return router.NewClusters() }),
	Look: Look{Colour: "blue", Dashes: "mixed", Mark: "box"},
}

// MatrixFactorization compares a vector of each model with a projection of the query.
const MatrixFactorization Kind = "matrix-factorization"

var factors = Baseline{
	Kind: MatrixFactorization, Title: "RouteLLM (matrix factorisation)",
	Learns: estimated("what each model's answer is worth", func() router.Learner { return router.NewFactors() }),
	Look:   Look{Colour: "blue", Dashes: "dotted", Mark: "diamond"},
}

// Carrot asks the model of the largest estimated quality − λ·cost.
const Carrot Kind = "carrot"

var carrot = Baseline{
	Kind: Carrot, Title: "CARROT",
	Learns: estimated("what each model's answer is worth, and what it costs",
		func() router.Learner { return router.NewCarrot() }),
	Look: Look{Colour: "orange", Dashes: "mixed", Mark: "cross"},
}

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

// Labels of several baselines.
const (
	noWorse = "the student's answer is at least as good as the master's"
	right   = "the student's answer is right"
)

// estimated is the learning of a router that estimates, before any model answers, what an answer of each is worth.
// Its threshold is that of HybridLLM.
func estimated(what string, learner func() router.Learner) *Learning {
	return &Learning{
		Quality: true, Reads: "query", Learner: learner, Estimates: what,
		Predicts: func(Rules) string { return noWorse },
		Label:    func(a Answers, _ Rules) bool { return a.Student >= a.Master },
		Fit:      leastCost,
		Charge:   func(Rules) cost.Charge { return cost.Router },
	}
}

// leastCost saves most with a mean quality at most δ below the master's.
func leastCost(s Scored, rules Rules) (router.Threshold, error) {
	return router.FitRouter(s.Score, s.Student, s.Master, router.Drop{Delta: rules.Delta, Relative: rules.Relative},
		s.Dearer)
}

// fewestErrors makes the fewest errors at the cost of our policy.
func fewestErrors(s Scored, _ Rules) (router.Threshold, error) {
	return router.FitScorer(s.Score, s.Student, s.Master, s.Most)
}

// UsualDelta is the default of the allowed drop in quality (1 %, as in section 5 of the paper).
const UsualDelta = 0.01
