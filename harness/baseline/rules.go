package baseline

import "infnet/harness/cost"

// None takes the student's answer to everything.
const None Kind = "none"

var none = Baseline{
	Kind: None, Title: "None Deferred", Printed: "None Deferred", Always: true,
	Place:    func(in Input) []int { return always(in, 0) },
	Constant: true, Charge: cost.Cascade,
	Look: Look{Colour: "black", Mark: "ring"},
}

// always takes one model for every record of the test part.
func always(in Input, model int) []int {
	out := make([]int, len(in.Test.Err[0]))
	for k := range out {
		out[k] = model
	}
	return out
}

// All takes the master's answer to everything.
const All Kind = "all"

var all = Baseline{
	Kind: All, Title: "All Deferred", Printed: "All Deferred", Always: true,
	Place:    func(in Input) []int { return always(in, len(in.Cost)-1) },
	Constant: true, Charge: cost.Router,
	Look: Look{Colour: "black", Mark: "box"},
}

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

// Fixed accepts the student's answer from a threshold that the study states, on the confidence as it was read: the bar
// that people guess. Of two models only.
const Fixed Kind = "fixed"

var fixed = Baseline{
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
}

// OracleRouter knows every error: it is the cheapest assignment with the best possible accuracy.
const OracleRouter Kind = "oracle-router"

var oracle = Baseline{
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
