package baseline

import "infnet/harness/cost"

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
