package bbpe

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func replacing(from, to string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, from, to) }
}

func apply(steps []func(string) string, s string) string {
	for _, step := range steps {
		s = step(s)
	}
	return s
}

// longRun is the number of combining marks in a row beyond which x/text
// breaks them up, which the standard does not ask for.
const longRun = 30

// compose is Unicode's normal form C.
func compose(s string) string {
	if norm.NFC.IsNormalString(s) {
		return s
	}
	marks := 0
	for _, r := range s {
		if marks++; starter(r) {
			marks = 0
		}
		if marks >= longRun/3 { // a character decomposes into three marks at most
			return composeLong(s)
		}
	}
	return norm.NFC.String(s)
}

func starter(r rune) bool {
	var b [utf8.UTFMax]byte
	p := norm.NFD.Properties(b[:utf8.EncodeRune(b[:], r)])
	return p.CCC() == 0 && p.TrailCCC() == 0
}

// composeLong is compose by the standard's definition (Unicode Standard Annex
// 15): decompose, order the marks, compose with the last starter.
func composeLong(s string) string {
	type char struct {
		r     rune
		class uint8
	}
	var chars []char
	for _, r := range s {
		for _, d := range norm.NFD.String(string(r)) {
			chars = append(chars, char{d, norm.NFD.PropertiesString(string(d)).CCC()})
		}
	}
	for i := 0; i < len(chars); {
		j := i + 1
		for chars[i].class > 0 && j < len(chars) && chars[j].class > 0 {
			j++
		}
		slices.SortStableFunc(chars[i:j], func(a, b char) int { return int(a.class) - int(b.class) })
		i = j
	}
	out := make([]char, 0, len(chars))
	base := -1
	for _, c := range chars {
		last := len(out) - 1
		if base >= 0 && (last == base || out[last].class < c.class) {
			pair := []rune(norm.NFC.String(string([]rune{out[base].r, c.r})))
			if len(pair) == 1 {
				out[base].r = pair[0]
				continue
			}
		}
		if out = append(out, c); c.class == 0 {
			base = len(out) - 1
		}
	}
	var b strings.Builder
	for _, c := range out {
		b.WriteRune(c.r)
	}
	return b.String()
}

// validUTF8 puts U+FFFD for every byte that is not part of a character.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s { // U+FFFD for each such byte
		b.WriteRune(r)
	}
	return b.String()
}
