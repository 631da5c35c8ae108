package cost

// Unit describes how the costs of a model are named and printed.
type Unit struct {
	Name     string // after a number: "TFLOPs", "USD", "s", "tokens"; "" for fixed costs
	Long     string // in a footnote or an axis label
	Decimals int    // digits after the point that mean something for one query
	Measured bool   // differs between runs of the same study
}

// Unit returns the unit of this model's costs. currency is the name the spec
// gives its prices or its recorded costs ("" = USD) and is used by these only.
func (m Model) Unit(currency string) Unit {
	switch m {
	case TFLOPs:
		return Unit{Name: "TFLOPs", Long: "matrix-multiply work in 10^12 floating-point operations", Decimals: 4}
	case Price, Recorded:
		if currency == "" {
			currency = "USD"
		}
		u := Unit{Name: currency, Long: "price in " + currency, Decimals: 6}
		if m == Recorded {
			u.Long = "cost in " + currency + ", as recorded with each answer"
		}
		return u
	case Latency:
		return Unit{Name: "s", Long: "measured seconds", Decimals: 3, Measured: true}
	case Tokens:
		return Unit{Name: "tokens", Long: "prompt and generated tokens"}
	default:
		return Unit{Long: "fixed cost per answer, in the spec's own unit", Decimals: 3}
	}
}
