package table

import (
	"strings"
	"unicode/utf8"
)

// face is a style of letters.
type face int

const (
	roman face = iota
	bold
	caps // small capitals
)

// advance holds the widths of the printable ASCII characters, from the space on, in thousandths of the font size: the
// larger one of Computer Modern at 8 points (cmr8, cmbx8, cmcsc8) and Times (ptmr8t, ptmb8t,
// ptmrc8t), as their TFM files have them. Libertine is narrower than both.
var advance = [...][95]int{
	roman: {
		354, 333, 560, 886, 532, 886, 827, 333, 414, 414, 532, 827, 296, 355, 296, 532, 532, 532, 532,
		532, 532, 532, 532, 532, 532, 532, 296, 296, 800, 827, 800, 502, 921, 796, 753, 768, 812, 723,
		694, 834, 796, 383, 546, 826, 664, 973, 796, 827, 723, 827, 782, 591, 768, 796, 796, 1091, 796,
		796, 650, 333, 560, 333, 560, 560, 333, 532, 591, 473, 591, 473, 333, 532, 591, 296, 325, 561,
		296, 886, 591, 532, 591, 561, 415, 420, 414, 591, 561, 768, 561, 561, 473, 560, 1063, 560, 560,
	},
	bold: {
		410, 373, 637, 1021, 613, 1021, 953, 341, 477, 477, 613, 953, 341, 409, 341, 613, 613, 613, 613,
		613, 613, 613, 613, 613, 613, 613, 341, 341, 800, 953, 800, 579, 953, 923, 870, 885, 938, 803,
		769, 963, 955, 460, 632, 957, 735, 1160, 955, 921, 836, 921, 916, 681, 853, 939, 923, 1263, 923,
		923, 749, 341, 637, 341, 613, 560, 341, 596, 681, 545, 681, 562, 375, 613, 681, 341, 375, 647,
		341, 1021, 681, 613, 681, 647, 507, 484, 477, 681, 647, 885, 647, 647, 545, 613, 1226, 613, 613,
	},
	caps: {
		354, 383, 580, 955, 580, 955, 893, 383, 455, 455, 580, 893, 330, 393, 330, 580, 580, 580, 580,
		580, 580, 580, 580, 580, 580, 580, 330, 330, 893, 893, 893, 549, 971, 859, 813, 830, 876, 782,
		751, 900, 859, 421, 595, 890, 720, 1046, 859, 893, 782, 893, 845, 643, 830, 859, 859, 1171, 859,
		859, 705, 383, 580, 383, 580, 560, 383, 634, 602, 615, 647, 579, 557, 665, 634, 318, 444, 656,
		538, 769, 634, 660, 579, 660, 624, 494, 615, 634, 634, 860, 634, 634, 538, 580, 1160, 580, 591,
	},
}

// The widths of what is no ASCII character, in thousandths: symbols and accented letters, with room to spare.
const (
	symbolWide = 1000
	accentWide = 800
)

// scale is how much wider letters are at other sizes than at 8 points, relative to the size: small sizes of Computer
// Modern are drawn wider.
func scale(size int) float64 {
	if size < 8 {
		return 1.115
	}
	return 1
}

// pt is the width of a text of one face at a size, in points: at least what LaTeX finds with the usual fonts.
func pt(s string, f face, size int) float64 {
	total := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		total += runeWide(r, f)
	}
	return float64(total) * float64(size) * scale(size) / 1000
}

// runeWide is the width of a character as latexRune sets it.
func runeWide(r rune, f face) int {
	if ' ' <= r && r <= '~' {
		return advance[f][r-' ']
	}
	switch s := latexEscape(string(r)); {
	case strings.HasPrefix(s, "[U+"):
		total := 0
		for _, c := range s {
			total += advance[f][c-' ']
		}
		return total
	case strings.HasPrefix(s, "$"):
		return symbolWide
	}
	return accentWide
}

// face is the one in which a part is set.
func (p Part) face() face {
	switch {
	case p.bold:
		return bold
	case p.kind == name && inCaps(p.str):
		return caps
	}
	return roman
}

// inCaps reports whether a name is set in small capitals: fonts have few symbols of that shape.
func inCaps(s string) bool {
	return strings.IndexFunc(cleanPart(s), func(r rune) bool {
		return !(r >= '0' && r <= '9' || r < utf8.RuneSelf && letter(r) || strings.ContainsRune(" -._/+:", r))
	}) < 0
}

// wide is the width of a part in a line of a table.
func (p Part) wide(size int) float64 {
	switch p.kind {
	case number:
		w := pt(latexPlain(p.number.value()), p.face(), size)
		if i := p.number.interval(); i != "" {
			w += pt(" ", roman, size) + rangeWide(i, size)
		}
		return w
	case figure:
		return pt(latexPlain(p.str), p.face(), size)
	case sub:
		return pt(cleanPart(p.str), roman, size) // set smaller
	}
	return pt(cleanPart(p.str), p.face(), size)
}

// latexPlain is a rounded number with characters as wide as those that LaTeX sets for it.
func latexPlain(s string) string {
	s = strings.Replace(strings.Replace(s, "inf", "∞", 1), "-", "−", 1)
	if mantissa, exponent, ok := strings.Cut(s, "e"); ok {
		return mantissa + "×10" + strings.Replace(strings.TrimLeft(exponent, "+0"), "-", "−", 1)
	}
	return s
}

// rangeWide is the width of an interval.
func rangeWide(interval string, size int) float64 {
	if up, down, ok := strings.Cut(interval, " −"); ok { // one above the other, in small digits
		return 0.9 * max(pt(latexPlain(up), roman, size), pt("−"+latexPlain(down), roman, size))
	}
	var w float64
	for i, end := range strings.Split(interval, ", ") {
		if i > 0 {
			w += pt(",", roman, size) + float64(size)/6 // a thin space
		}
		bare := strings.Trim(end, "[]")
		w += pt(latexPlain(bare), roman, size) + pt(strings.Replace(end, bare, "", 1), roman, size)
	}
	return w
}
