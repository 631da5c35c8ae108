// Package cost prices answers: FLOPs from a network's shape, money from token
// counts, measured seconds, tokens, or constants; and sums them up the way the
// study says. It owns the cost models, their summaries and the two ways of
// charging (a cascade pays every model it asks, a router one).
package cost

import (
	"fmt"
	"strings"
)

// Model is what an answer costs.
type Model string

// The models.
const (
	TFLOPs  Model = "tflops"  // matrix-multiply work, in 10¹² floating-point operations
	Price   Model = "price"   // currency, from prices per million input and output tokens
	Latency Model = "latency" // measured seconds
	Tokens  Model = "tokens"  // input plus output tokens
	Fixed   Model = "fixed"   // a constant per model, given in the spec
)

// Models lists the valid cost models.
func Models() []Model { return []Model{TFLOPs, Price, Latency, Tokens, Fixed} }

// UnmarshalText accepts a cost model's name.
func (m *Model) UnmarshalText(b []byte) error { return choose(m, b, "cost model", Models()) }

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
func (s *Summary) UnmarshalText(b []byte) error { return choose(s, b, "cost summary", Summaries()) }

// choose sets dst to the valid value named by b, or says what is valid.
func choose[T ~string](dst *T, b []byte, what string, valid []T) error {
	names := make([]string, len(valid))
	for i, v := range valid {
		if string(v) == string(b) {
			*dst = v
			return nil
		}
		names[i] = string(v)
	}
	return fmt.Errorf("unknown %s %q: want one of %s", what, b, strings.Join(names, ", "))
}
