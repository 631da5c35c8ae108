package baseline

import (
	"infnet/harness/cost"
	"infnet/harness/router"
)

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
