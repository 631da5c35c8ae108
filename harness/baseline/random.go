package baseline

import "infnet/harness/cost"

// Random tosses a coin per record.
const Random Kind = "random"

// PublishedDraw is the row whose random draws are those of the published tables.
const PublishedDraw = "random-numpy-42"

var random = Baseline{
	Kind: Random, Title: "Random", Printed: "Random", Rows: []string{PublishedDraw, "random"}, Always: true,
	Coin: true, Charge: cost.Cascade,
	// one score for all
	Curve: &Curve{Family: "coin", Score: func(p Part) []float64 { return make([]float64, len(p.Err[0])) }},
	Look:  Look{Colour: "grey", Dashes: "dotted", Mark: "cross"},
}
