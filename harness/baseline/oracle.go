package baseline

import (
	"infnet/harness/cost"
	"infnet/harness/result/note"
)

// OracleRouter knows every error: it is the cheapest assignment with the best possible accuracy.
const OracleRouter Kind = "oracle-router"

var oracle = Baseline{
	Kind: OracleRouter, Title: "Oracle router", Always: true,
	Place: leastWrong, Charge: cost.Router, Foresees: true,
	Caveat: note.Oracle,
	Curve:  &Curve{Family: "oracle", Score: foresight},
	Look:   Look{Colour: "black", Dashes: "dashed", Mark: "plus", Weight: 0.8},
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
