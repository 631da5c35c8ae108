// Package cost prices answers: FLOPs from a network's shape, money from token
// counts, measured seconds, tokens, constants, or what was recorded; and sums them up the way the
// study says. It owns the cost models, their summaries and the two ways of
// charging (a cascade pays every model it asks, a router one).
package cost

import (
	"cmp"

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
