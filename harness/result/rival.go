package result

import "infnet/metrics/infer"

// Rival sets a row beside what is cheapest on the fit part among the single models,
// and the coins between two of them, that err no more there. Both are measured on
// the test part, at the cost constants of the fit part.
type Rival struct {
	// of the row: cheaper, costlier, undecided, equal, or unrivaled: no single model errs so rarely
	Verdict string  `json:"verdict"`
	First   string  `json:"model,omitempty"`
	Second  string  `json:"second,omitempty"`   // of a coin; equal to the first where P is 0
	P       float64 `json:"second_probability"` // chance of the second
	Free    bool    `json:"free,omitempty"`     // it costs nothing
	// what the row costs, as a share of what it costs
	Cost  *infer.Interval `json:"cost_share,omitempty"`
	Error infer.Interval  `json:"error_difference"` // errors per query of the row minus its own

	// Of two models: the student's cost over the master's, and the ratio below which
	// the row is cheaper than all of them; 0 = at no price.
	Ratio     float64         `json:"price_ratio,omitempty"`
	BreakEven *infer.Interval `json:"break_even_ratio,omitempty"`
}
