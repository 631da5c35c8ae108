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
