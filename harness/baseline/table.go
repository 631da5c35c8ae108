package baseline

import (
	"slices"

	"infnet/harness/cost"
	"infnet/harness/router"
)

const (
	None                Kind = "none"                 // takes the student's answer to everything
	All                 Kind = "all"                  // takes the master's
	Random              Kind = "random"               // tosses a coin per record
	Fixed               Kind = "fixed"                // accepts from a threshold that the study states
	FrugalGPT           Kind = "frugalgpt"            // scores the student's answers, and has one threshold on the score
	TokenQuantiles      Kind = "token-quantiles"      // defers by quantiles of its tokens' log-probabilities
	Copula              Kind = "copula"               // finds the threshold in a model of both models' confidences
	HybridLLM           Kind = "hybridllm"            // a router that reads the query alone
	KNN                 Kind = "knn"                  // asks the model that was best on the nearest queries
	Clusters            Kind = "clusters"             // the best balance of quality and cost in the query's cluster
	MatrixFactorization Kind = "matrix-factorization" // compares a vector of each model with a projection of the query
	Carrot              Kind = "carrot"               // asks the model of the largest estimated quality − λ·cost
	OracleRouter        Kind = "oracle-router"        // knows every error: the cheapest assignment of the best accuracy
)

// PublishedDraw is the row whose random draws are those of the published tables.
const PublishedDraw = "random-numpy-42"

// What learners estimate.
const (
	worth     = "what each model's answer is worth"
	worthCost = "what each model's answer is worth, and what it costs"
)

// Table lists all baselines in the order of their rows.
func Table() []Baseline { return table }

var table = []Baseline{
	{
		Kind: None, Title: "None Deferred", Printed: "None Deferred", Always: true,
		Place:    func(in Input) []int { return make([]int, len(in.Test.Err[0])) },
		Constant: true, Charge: cost.Cascade,
		Look: Look{Colour: "black", Mark: "ring"},
	}, {
		Kind: All, Title: "All Deferred", Printed: "All Deferred", Always: true,
		Place:    func(in Input) []int { return slices.Repeat([]int{len(in.Cost) - 1}, len(in.Test.Err[0])) },
		Constant: true, Charge: cost.Router,
		Look: Look{Colour: "black", Mark: "box"},
	}, {
		Kind: Random, Title: "Random", Printed: "Random", Rows: []string{PublishedDraw, "random"}, Always: true,
		Coin: true, Charge: cost.Cascade,
		// one score for all
		Curve: &Curve{Family: "coin", Score: func(p Part) []float64 { return make([]float64, len(p.Err[0])) }},
		Look:  Look{Colour: "grey", Dashes: "dotted", Mark: "cross"},
	}, {
		Kind: Fixed, Title: "Fixed threshold", Charge: cost.Cascade,
		Place: func(in Input) []int {
			out := make([]int, len(in.Raw))
			for k, beta := range in.Raw {
				if !(beta >= in.Threshold) {
					out[k] = 1
				}
			}
			return out
		},
		Look: Look{Colour: "orange", Mark: "box"},
	}, {
		Kind: FrugalGPT, Title: "FrugalGPT", Printed: "FrugalGPT",
		Learns: scorer(Learning{Reads: "query and the student's answer", Predicts: right, Label: isRight,
			Compared: func(p float64, rules Rules) float64 {
				if rules.Released {
					return max(p, 1-p)
				}
				return p
			}}),
		Look: Look{Colour: "green", Dashes: "mixed", Mark: "triangle"},
	}, {
		Kind: TokenQuantiles, Title: "Token quantiles",
		Learns: scorer(Learning{Reads: "log-probabilities of the tokens of the student's answer",
			Learner: router.NewTokenQuantiles, Predicts: noWorse, Label: isNoWorse}),
		Look: Look{Colour: "green", Dashes: "short", Mark: "plus"},
	}, {
		Kind: Copula, Title: "Rational Tuning",
		Learns: scorer(Learning{Once: true, Second: true, Reads: "student's confidence",
			Learner: router.NewCalibrated, Predicts: right, Label: isRight,
			Fit: func(s Scored, _ Rules) (router.Threshold, error) {
				return router.FitCopula(s.Score, s.Second, s.Student, s.Master, s.Most)
			}}),
		Look: Look{Colour: "purple", Dashes: "mixed", Mark: "ring"},
	}, {
		Kind: HybridLLM, Title: "HybridLLM", Printed: "HybridLLM",
		Learns: &Learning{
			Quality: true, Reads: "query", Fit: leastCost,
			Predicts: func(rules Rules) string {
				if rules.Released {
					return "the student's answer is better than the master's"
				}
				return noWorse(rules)
			},
			Label: func(a Answers, rules Rules) bool {
				if rules.Released { // the paper's text; ties are the master's
					return a.Student > a.Master
				}
				return isNoWorse(a, rules)
			},
			Charge: func(rules Rules) cost.Charge {
				if rules.Released {
					return cost.Cascade
				}
				return cost.Router
			},
		},
		Look: Look{Colour: "purple", Dashes: "short", Mark: "tent"},
	}, {
		Kind: KNN, Title: "kNN router", Learns: estimated(worth, router.NewNeighbours),
		Look: Look{Colour: "blue", Dashes: "short", Mark: "ring"},
	}, {
		Kind: Clusters, Title: "Avengers-Pro", Learns: estimated(worthCost, router.NewClusters),
		Look: Look{Colour: "blue", Dashes: "mixed", Mark: "box"},
	}, {
		Kind: MatrixFactorization, Title: "RouteLLM (matrix factorisation)", Learns: estimated(worth, router.NewFactors),
		Look: Look{Colour: "blue", Dashes: "dotted", Mark: "tent"},
	}, {
		Kind: Carrot, Title: "CARROT", Learns: estimated(worthCost, router.NewCarrot),
		Look: Look{Colour: "orange", Dashes: "mixed", Mark: "cross"},
	}, {
		Kind: OracleRouter, Title: "Oracle router", Always: true,
		Place: leastWrong, Charge: cost.Router, Foresees: true,
		Caveat: func(chain bool) string {
			takes := ""
			if chain {
				takes = ", and takes the first model that makes the least"
			}
			return "Knows every error before it decides" + takes + ": the headroom, not a policy. Charged as a router."
		},
		Curve: &Curve{Family: "oracle", Score: foresight},
		Look:  Look{Colour: "black", Dashes: "dashed", Mark: "plus", Weight: 0.8},
	},
}

// leastWrong picks the model with the smallest error. Of two with the same error it picks the
// cheaper one, in a chain the first.
func leastWrong(in Input) []int {
	errs := in.Test.Err
	masterCheaper := len(errs) == 2 && in.Cost[1] < in.Cost[0]
	out := make([]int, len(errs[0]))
	for k := range out {
		for m := range errs {
			if least := errs[out[k]][k]; errs[m][k] < least || errs[m][k] == least && masterCheaper {
				out[k] = m
			}
		}
	}
	return out
}

// foresight is 0 if only the master is right, 1 if only the student is, else ½.
func foresight(p Part) []float64 {
	master := p.Err[len(p.Err)-1]
	out := make([]float64, len(master))
	for k := range out {
		out[k] = (1 + master[k] - p.Err[0][k]) / 2
	}
	return out
}
