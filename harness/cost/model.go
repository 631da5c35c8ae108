// Package cost prices answers: FLOPs from a network's shape, money from token
// counts, measured seconds, tokens, constants, or what was recorded; and sums them up the way the
// study says. It owns the cost models, their summaries and the two ways of
// charging (a cascade pays every model it asks, a router one).
package cost

import (
	"cmp"
	"fmt"
	"math"

	"infnet/harness/choice"
)

// Model is what an answer costs.
type Model string

const (
	TFLOPs  Model = "tflops"  // matrix-multiply work, in 10¹² floating-point operations
	Price   Model = "price"   // currency, from prices per million input and output tokens
	Latency Model = "latency" // measured seconds
	Tokens  Model = "tokens"  // input plus output tokens
	Fixed   Model = "fixed"   // a constant per model, given in the spec

	// Recorded is what was recorded with each answer, in one currency.
	Recorded Model = "recorded"
)

func Models() []Model { return []Model{TFLOPs, Price, Latency, Tokens, Fixed, Recorded} }

func (m *Model) UnmarshalText(b []byte) error { return choice.Decode(m, b, "cost model", Models()) }

// Summary is how per-answer costs become one number per model.
type Summary string

const (
	Mean      Summary = "mean"
	Median    Summary = "median"
	Signature Summary = "signature" // the published protocol's weighted statistics; not a physical cost
)

func Summaries() []Summary { return []Summary{Mean, Median, Signature} }

func (s *Summary) UnmarshalText(b []byte) error {
	return choice.Decode(s, b, "cost summary", Summaries())
}

// Unit names the unit of this model's costs after a number: "TFLOPs", "USD", "s",
// "tokens"; "" for fixed costs, whose unit is the spec's own. currency is the name
// the spec gives its prices or its recorded costs; "" = USD.
func (m Model) Unit(currency string) string {
	switch m {
	case TFLOPs:
		return "TFLOPs"
	case Price, Recorded:
		return cmp.Or(currency, "USD")
	case Latency:
		return "s"
	case Tokens:
		return "tokens"
	}
	return ""
}

// Charge says which models a query pays for. (Not to be confused with the
// cost model, which says how much one answer costs.)
type Charge string

// The ways of charging. The baseline that defers everything goes straight to
// the master and is charged as a router; so is an oracle router. A baseline
// that defers nothing costs the same either way.
const (
	Cascade Charge = "cascade" // the student is always asked and paid; a deferred query pays the master too
	Router  Charge = "router"  // the decision comes first: a query pays one model
)

// Expected returns the mean cost of a query from the two models' constants
// and the deferred fraction def ∈ [0,1]:
//
//	cascade  c_s + c_m·def
//	router   (1−def)·c_s + def·c_m
func (c Charge) Expected(student, master, def float64) float64 {
	if c == Router {
		return float64((1-def)*student) + float64(def*master)
	}
	return student + float64(master*def)
}

// Stop returns the cost of a query in a chain of models, cheapest first, when model
// stop gave the answer: a cascade pays all models up to it, a router only that
// model.
func (c Charge) Stop(costs []float64, stop int) float64 {
	if c == Router {
		return costs[stop]
	}
	paid := 0.0
	for _, x := range costs[:stop+1] {
		paid += x
	}
	return paid
}

// Saved returns the saving in percent relative to sending everything straight
// to the master:
//
//	100·(1 − cost/master)
//
// at most 100, and negative where asking the student was not worth it. Both
// are means, or both are sums over the same queries. A master that costs
// nothing leaves it undefined: an error.
func Saved(cost, master float64) (float64, error) {
	if !(master > 0) || math.IsInf(master, 0) || math.IsNaN(cost) || math.IsInf(cost, 0) {
		return 0, fmt.Errorf("cost saved is undefined for a cost of %v against a master's cost of %v", cost, master)
	}
	return 100 * (1 - cost/master), nil
}
