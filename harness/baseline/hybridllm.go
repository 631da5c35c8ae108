package baseline

import (
	"infnet/harness/cost"
	"infnet/harness/router"
)

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
			return "the student's answer is at least as good as the master's"
		},
		Label: func(a Answers, rules Rules) bool {
			if rules.Released { // the paper's text; ties are the master's
				return a.Student > a.Master
			}
			return a.Student >= a.Master
		},
		Fit: func(s Scored, rules Rules) (router.Threshold, error) {
			return router.FitRouter(s.Score, s.Student, s.Master, router.Drop{Delta: rules.Delta, Relative: rules.Relative},
				s.Dearer)
		},
		Charge: func(rules Rules) cost.Charge {
			if rules.Released {
				return cost.Cascade
			}
			return cost.Router
		},
	},
	Look: Look{Colour: "purple", Dashes: "short", Mark: "diamond"},
}
