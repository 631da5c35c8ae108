package baseline

import "infnet/harness/cost"

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
