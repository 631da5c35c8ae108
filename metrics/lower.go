package metrics

import (
	"strings"
	"unicode"
)

// lower lower-cases as Python's str.lower does, on which the reference tools
// rest. It differs from strings.ToLower in two places: İ becomes i and a
// combining dot, and Σ at the end of a word becomes ς.
func lower(s string) string {
	if !strings.ContainsAny(s, "İΣ") {
		return strings.ToLower(s)
	}
	rs := []rune(s)
	var b strings.Builder
	for i, r := range rs {
		switch {
		case r == 'İ':
			b.WriteString("i\u0307")
		case r == 'Σ' && casedBefore(rs[:i]) && !casedAfter(rs[i+1:]):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

func casedBefore(rs []rune) bool {
	for i := len(rs) - 1; i >= 0; i-- {
		if !caseIgnorable(rs[i]) {
			return cased(rs[i])
		}
	}
	return false
}

func casedAfter(rs []rune) bool {
	for _, r := range rs {
		if !caseIgnorable(r) {
			return cased(r)
		}
	}
	return false
}

func cased(r rune) bool {
	return unicode.In(r, unicode.Upper, unicode.Lower, unicode.Title, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

func caseIgnorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune("'.:^`¨\u00ad·\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a", r)
}

// space reports whether Python's str.split splits at r: Unicode white space
// and the four information separators.
func space(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }
