package grade

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// JSON compares values of JSON: the order of keys and the way a number is written count for nothing. What is no value
// is undecided.
func JSON(answer string, references []string) Verdict {
	a, ok := valueOf(answer)
	if !ok {
		return Undecided
	}
	return among(references, func(reference string) Verdict {
		r, ok := valueOf(reference)
		if !ok {
			return Undecided
		}
		return verdict(equal(a, r))
	})
}

// valueOf reads a text that is one value and nothing else.
func valueOf(text string) (value any, ok bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return nil, false
	}
	_, err := d.Token()
	return value, errors.Is(err, io.EOF)
}

func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			return false
		}
		x, y := exact(a), exact(b)
		return a == b || x != nil && y != nil && x.Cmp(y) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equal)
	}
	return a == b
}

// exact is the value of a number; nil for one that is too long to compute with.
func exact(n json.Number) *big.Rat {
	sign, digits := big.NewRat(1, 1), n.String()
	if rest, ok := strings.CutPrefix(digits, "-"); ok {
		sign, digits = big.NewRat(-1, 1), rest
	}
	if r := rational(digits); r != nil {
		return r.Mul(r, sign)
	}
	return nil
}
