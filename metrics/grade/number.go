package grade

import (
	"math/big"
	"regexp"
	"strings"
)

// A plain number: thousands by commas, a decimal point, an exponent (1e-3, 1.2×10^5); a fraction, with a whole number
// before it or without.
var (
	decimal = regexp.MustCompile(`^([1-9]\d{0,2}(?:,\d{3})+|\d*)(\.\d*)?(?:[eE]([-+]?\d{1,3})|` +
		`\s?(?:[x×*]|\\times|\\cdot)\s?10\^(?:\{([-+]?\d{1,3})\}|([-+]?\d{1,3})))?$`)
	fraction = regexp.MustCompile(`^(?:(\d+) )?(\d+)\s?/\s?(\d+)$`)
	unit     = regexp.MustCompile(`(?:\\?[$]|US[$]|[€£¥])`)
)

// longestNumber is the most bytes of a number: exact arithmetic stays fast.
const longestNumber = 200

// quantity is a number with its currency and per cent sign.
type quantity struct {
	value    *big.Rat
	currency string // "" = none is written
	percent  bool
}

// Number compares numbers as exact fractions. A currency that only one of the two has counts for nothing. 5 % is 0.05;
// against a bare 5 it is undecided, for 5 may be meant as per cent. A text that is not a number and nothing else is
// undecided.
func Number(answer string, references []string) Verdict {
	a, ok := quantityOf(answer)
	if !ok {
		return Undecided
	}
	return among(references, func(reference string) Verdict {
		r, ok := quantityOf(reference)
		if !ok || a.currency != "" && r.currency != "" && a.currency != r.currency {
			return Undecided
		}
		if a.percent == r.percent {
			return verdict(a.value.Cmp(r.value) == 0)
		}
		switch {
		case a.share().Cmp(r.share()) == 0:
			return Right
		case a.value.Cmp(r.value) == 0:
			return Undecided
		}
		return Wrong
	})
}

// share is the value with its per cent sign applied.
func (q quantity) share() *big.Rat {
	if q.percent {
		return new(big.Rat).Mul(q.value, big.NewRat(1, 100))
	}
	return q.value
}

// quantityOf reads a text that is a number and nothing else.
func quantityOf(text string) (q quantity, ok bool) {
	text = undelimited(strings.ReplaceAll(text, "−", "-")) // $5$ is a formula, and no price
	for _, sign := range []string{`\%`, "%", " percent", " per cent"} {
		if rest, ok := strings.CutSuffix(text, sign); ok && !q.percent {
			text, q.percent = strings.TrimSpace(rest), true
		}
	}
	negative := false
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		text, negative = rest, true
	} else {
		text = strings.TrimPrefix(text, "+")
	}
	if m := unit.FindStringIndex(text); m != nil && m[0] == 0 {
		q.currency, text = strings.TrimLeft(text[:m[1]], `\US`), strings.TrimSpace(text[m[1]:])
		if rest, ok := strings.CutPrefix(text, "-"); ok && !negative {
			text, negative = rest, true
		}
	}
	if q.value = rational(text); q.value == nil {
		return q, false
	}
	if negative {
		q.value.Neg(q.value)
	}
	return q, true
}

// rational is the value of a plain number without a sign; nil = the text is none.
func rational(text string) *big.Rat {
	if m := fraction.FindStringSubmatch(text); m != nil && len(text) <= longestNumber {
		out, ok := new(big.Rat).SetString(m[2] + "/" + m[3])
		if !ok || m[1] == "" {
			return out // nil for a zero below
		}
		whole, _ := new(big.Rat).SetString(m[1])
		return out.Add(out, whole)
	}
	m := decimal.FindStringSubmatch(text)
	if m == nil || len(text) > longestNumber || strings.Trim(m[1]+m[2], ".") == "" {
		return nil
	}
	digits := strings.ReplaceAll(m[1], ",", "") + m[2]
	if power := m[3] + m[4] + m[5]; power != "" {
		digits += "e" + power
	}
	out, _ := new(big.Rat).SetString(digits)
	return out
}
