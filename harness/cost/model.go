// Package cost prices answers: FLOPs from a network's shape, money from token
// counts, measured seconds, tokens, constants, or what was recorded; and sums them up the way the
// study says. It owns the cost models, their summaries and the two ways of
// charging (a cascade pays every model it asks, a router one).
package cost

import "infnet/harness/choice"

// Model is what an answer costs.
type Model string

// The models.
const (
	TFLOPs  Model = "tflops"  // matrix-multiply work, in 10¹² floating-point operations
	Price   Model = "price"   // currency, from prices per million input and output tokens
	Latency Model = "latency" // measured seconds
	Tokens  Model = "tokens"  // input plus output tokens
	Fixed   Model = "fixed"   // a constant per model, given in the spec

	// Recorded is what was recorded with each answer, in one currency.
	Recorded Model = "recorded"
)

// Models lists the valid cost models.
func Models() []Model { return []Model{TFLOPs, Price, Latency, Tokens, Fixed, Recorded} }

// UnmarshalText accepts a cost model's name.
func (m *Model) UnmarshalText(b []byte) error { return choice.Decode(m, b, "cost model", Models()) }

// Summary is how per-answer costs become one number per model.
type Summary string

// The summaries.
const (
	Mean      Summary = "mean"
	Median    Summary = "median"
	Signature Summary = "signature" // the published protocol's weighted statistics; not a physical cost
)

// Summaries lists the valid summaries.
func Summaries() []Summary { return []Summary{Mean, Median, Signature} }

// UnmarshalText accepts a summary's name.
func (s *Summary) UnmarshalText(b []byte) error {
	return choice.Decode(s, b, "cost summary", Summaries())
}
