package cost

import "cmp"

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
