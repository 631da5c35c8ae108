package baseline

import "infnet/harness/router"

// MatrixFactorization compares a vector of each model with a projection of the query.
const MatrixFactorization Kind = "matrix-factorization"

var factors = Baseline{
	Kind: MatrixFactorization, Title: "RouteLLM (matrix factorisation)",
	Learns: estimated("what each model's answer is worth", func() router.Learner { return router.NewFactors() }),
	Look:   Look{Colour: "blue", Dashes: "dotted", Mark: "diamond"},
}
