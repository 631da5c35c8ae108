package table

import (
	"math"
	"strconv"
	"strings"
)

// Number is a value with, where it is an estimate, its interval. NaN is an
// undefined value and prints as "n/a"; infinities print as "inf" and "-inf".
type Number struct {
	Value     float64
	Low, High float64
	Estimate  bool // print and export Low and High
	Decimals  int  // digits after the point, when printed
	// Significant, if not 0, is the number of significant digits to print instead
	// of Decimals, for values of unknown magnitude: 2.2e-07, 1234.
	Significant int
	PValue      bool // "< 0.001" is printed of a value below it
	Percent     bool // a fraction that is printed times 100, without a sign; files keep the fraction
}

// Exactly is a number without an interval.
func Exactly(v float64, decimals int) Number { return Number{Value: v, Decimals: decimals} }

// Estimated is a number with an interval.
func Estimated(v, low, high float64, decimals int) Number {
	return Number{Value: v, Low: low, High: high, Estimate: true, Decimals: decimals}
}

// AsPercent returns the number, a fraction, to be printed in percent.
func (n Number) AsPercent() Number {
	n.Percent = true
	return n
}

// value is the rounded value, e.g. "0.87".
func (n Number) value() string {
	if n.PValue {
		return PValue(n.Value, n.Decimals)
	}
	return n.round(n.Value)
}

// PValue writes a p-value, which is never 0: below the last of the decimals it is "< 0.001".
func PValue(p float64, decimals int) string {
	if least := math.Pow10(-decimals); p < least {
		return "< " + round(least, decimals)
	}
	return round(p, decimals)
}

// interval is the rounded interval, e.g. "[0.85, 0.89]", "[at least 0.85]" where it has
// no upper end, "[n/a]" where it is undefined, and "" where the number is not an estimate or is undefined, or where
// both ends are printed alike.
func (n Number) interval() string {
	switch {
	case !n.Estimate || math.IsNaN(n.Value):
		return ""
	case math.IsNaN(n.Low) || math.IsNaN(n.High):
		return "[n/a]"
	}
	if math.IsInf(n.High, 1) && !math.IsInf(n.Low, 0) {
		return "[at least " + n.round(n.Low) + "]"
	}
	low, high := n.round(n.Low), n.round(n.High)
	if low == high { // nothing to be seen of it
		return ""
	}
	return "[" + low + ", " + high + "]"
}

// String is the number as plain text shows it, e.g. "0.87 [0.85, 0.89]".
func (n Number) String() string {
	if i := n.interval(); i != "" {
		return n.value() + " " + i
	}
	return n.value()
}

func (n Number) round(v float64) string {
	if n.Percent {
		v *= 100
	}
	if n.Significant > 0 && !math.IsNaN(v) && !math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', n.Significant, 64)
	}
	return round(v, n.Decimals)
}

// round writes v with the given decimals. Rounding is to nearest, ties as the
// binary value falls; a rounded zero has no sign.
func round(v float64, decimals int) string {
	switch {
	case math.IsNaN(v):
		return "n/a"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.HasPrefix(s, "-") && !strings.ContainsAny(s, "123456789") {
		return s[1:]
	}
	return s
}

// Raw writes v so that reading it back gives v; undefined is empty.
func Raw(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
