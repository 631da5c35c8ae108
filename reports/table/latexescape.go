package table

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// LaTeX cleans and escapes a text for LaTeX text mode in any usual font
// encoding. The result is printable ASCII. The rule for everything else:
//
//   - LaTeX's special characters become their text commands;
//   - ASCII letters with an accent that the OT1 encoding can set become accent
//     commands, e.g. ä is \"{a};
//   - a short list of letters, punctuation, Greek and mathematical signs
//     becomes commands of the LaTeX kernel;
//   - any other character, which pdflatex would stop at (Chinese, Arabic,
//     emoji), becomes its code point, e.g. [U+4E2D].
func LaTeX(s string) string { return latexEscape(Clean(s), false) }

// latexEscape escapes a text; a breakable one may end a line within words of more than 16 letters: after punctuation,
// and where there is none after 12 letters. Hashes, paths and the names of models have no hyphenation.
func latexEscape(s string, breakable bool) string {
	var b strings.Builder
	for i, word := range strings.Split(s, " ") {
		if i > 0 {
			b.WriteByte(' ')
		}
		long, run := breakable && utf8.RuneCountInString(word) > 16, 0
		for len(word) > 0 {
			n := norm.NFC.NextBoundaryInString(word, true)
			b.WriteString(latexCluster(word[:n]))
			run++
			if long && n < len(word) && (run >= 12 || run > 4 && strings.ContainsAny(word[:n], "-_/:.,@+=")) {
				b.WriteString("\\allowbreak{}")
				run = 0
			}
			word = word[n:]
		}
	}
	return unjoin(b.String())
}

// latexCluster writes a base character with its combining marks.
func latexCluster(cluster string) string {
	cluster = norm.NFC.String(cluster)
	first, size := utf8.DecodeRuneInString(cluster)
	if size == len(cluster) {
		if s, ok := latexRune(first); ok {
			return s
		}
	}
	d := norm.NFD.String(cluster)
	base, size := utf8.DecodeRuneInString(d)
	mark, n := utf8.DecodeRuneInString(d[size:])
	if accent, ok := latexAccents[mark]; ok && size+n == len(d) && letter(base) {
		return accent + "{" + string(base) + "}"
	}
	var b strings.Builder
	for _, r := range cluster {
		if s, ok := latexRune(r); ok {
			b.WriteString(s)
		} else {
			fmt.Fprintf(&b, "[U+%04X]", r)
		}
	}
	return b.String()
}

// latexRune writes a character without combining marks, if it can be written.
func latexRune(r rune) (string, bool) {
	if s, ok := latexSpecials[r]; ok {
		return s, true
	}
	if r >= '₀' && r <= '₉' {
		return fmt.Sprintf("\\textsubscript{%d}", r-'₀'), true
	}
	return string(r), ' ' <= r && r <= '~'
}

func letter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// unjoin keeps fonts from joining equal characters into another one, as -- into
// a dash.
func unjoin(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if i > 0 && s[i] == s[i-1] && strings.IndexByte("-',", s[i]) >= 0 {
			b.WriteString("{}")
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// latexAccents are the accents that OT1 has, by combining character.
var latexAccents = map[rune]string{
	0x0300: "\\`", 0x0301: "\\'", 0x0302: "\\^", 0x0303: "\\~", 0x0304: "\\=", 0x0306: "\\u", 0x0307: "\\.",
	0x0308: "\\\"", 0x030A: "\\r", 0x030B: "\\H", 0x030C: "\\v", 0x0323: "\\d", 0x0327: "\\c", 0x0331: "\\b",
}

// latexSpecials are single characters with their commands. Signs of the encoding TS1 are upright:
// styles that set captions in small capitals have no others.
var latexSpecials = map[rune]string{
	'\\': "\\textbackslash{}", '{': "\\{", '}': "\\}", '$': "\\textup{\\$}", '&': "\\&", '#': "\\#", '_': "\\_",
	'%': "\\%",
	'^': "\\textasciicircum{}", '~': "\\textasciitilde{}", '<': "\\textless{}", '>': "\\textgreater{}",
	'|': "\\textbar{}", '"': "\\textquotedblright{}", '`': "\\textquoteleft{}",
	'\u00a0': "~", '‘': "\\textquoteleft{}", '’': "\\textquoteright{}", '“': "\\textquotedblleft{}",
	'”': "\\textquotedblright{}",
	'–': "\\textendash{}", '—': "\\textemdash{}", '…': "\\dots{}", '·': "$\\cdot$", '•': "$\\bullet$", '°': "$^\\circ$",
	'ß': "\\ss{}", 'æ': "\\ae{}", 'Æ': "\\AE{}", 'œ': "\\oe{}", 'Œ': "\\OE{}", 'ø': "\\o{}", 'Ø': "\\O{}",
	'ł': "\\l{}", 'Ł': "\\L{}", 'ı': "\\i{}", '¡': "!`{}", '¿': "?`{}", '€': "EUR", '§': "\\textup{\\S}",
	'¶': "\\textup{\\P}",
	'£': "\\textup{\\pounds}", '©': "\\textup{\\copyright}",
	'«': "$\\ll$", '»': "$\\gg$", '±': "$\\pm$", '×': "$\\times$", '÷': "$\\div$", '−': "$-$", '¬': "$\\neg$",
	'≤': "$\\leq$", '≥': "$\\geq$", '≠': "$\\neq$", '≈': "$\\approx$", '∞': "$\\infty$", '∈': "$\\in$",
	'→': "$\\rightarrow$", '←': "$\\leftarrow$", '↔': "$\\leftrightarrow$", '√': "$\\surd$", '²': "$^2$", '³': "$^3$",
	'¹': "$^1$", 'µ': "$\\mu$",
	'α': "$\\alpha$", 'β': "$\\beta$", 'γ': "$\\gamma$", 'δ': "$\\delta$", 'ε': "$\\varepsilon$", 'θ': "$\\theta$",
	'λ': "$\\lambda$",
	'μ': "$\\mu$", 'ξ': "$\\xi$", 'π': "$\\pi$", 'ρ': "$\\rho$", 'σ': "$\\sigma$", 'τ': "$\\tau$", 'φ': "$\\varphi$",
	'χ': "$\\chi$",
	'ω': "$\\omega$", 'Δ': "$\\Delta$", 'Σ': "$\\Sigma$", 'Ω': "$\\Omega$",
}

// inCaps reports whether a name is set in small capitals: fonts have few symbols of that shape.
func inCaps(s string) bool {
	return strings.IndexFunc(cleanPart(s), func(r rune) bool {
		return !(r >= '0' && r <= '9' || r < utf8.RuneSelf && letter(r) || strings.ContainsRune(" -._/+:", r))
	}) < 0
}
