package grade

import (
	"regexp"
	"slices"
	"strings"
)

// Math compares mathematics in LaTeX or plain text: formulas as fractions of polynomials with exact coefficients and
// roots of numbers; tuples, intervals, sets, lists, unions and matrices of them; and words. A unit, a currency and a
// name before an equals sign that only one of the two has count for nothing; 0.333 is not 1/3. Functions are compared
// by how they are written: no value of a function is known. What is not read, as equations and inequalities are not, or
// cannot be told from the reference, is undecided.
func Math(answer string, references []string) Verdict {
	const longest = 1000 // bytes
	a := cleaned(answer)
	return among(references, func(reference string) Verdict {
		r := cleaned(reference)
		switch {
		case a == "" || r == "" || len(a) > longest || len(r) > longest:
			return Undecided
		case a == r:
			return Right
		}
		return compare(formOf(a), formOf(r))
	})
}

// The kinds of what a text is.
const (
	one   = "formula"
	set   = "set"   // in any order: {1, 2}, or a list without brackets
	union = "union" // of intervals
	said  = "words"
	// all others are tuples, by their brackets: (), [], (], [), matrix, row
)

type form struct {
	kind    string // "" = not read
	of      []form // of all but formulas and words
	depth   int    // of lists in it
	formula *formula
	words   string

	name    string // before an equals sign; "" = none
	unit    string
	percent bool
	grouped bool // 100,200: a number, or two
}

var (
	spacing = strings.NewReplacer(`\\`, `\\`, `\left`, "", `\right`, "", `\displaystyle`, "", `\!`, "", `\,`, " ", `\;`, " ", `\:`, " ",
		`\ `, " ", `\quad`, " ", "~", " ", `\dfrac`, `\frac`, `\tfrac`, `\frac`, `\cfrac`, `\frac`,
		"∪", `\cup`, "−", "-", `\$`, " ", `\%`, "%", `\degree`, "°",
		`^\circ`, "°", `^{\circ}`, "°")
	around    = regexp.MustCompile(`\s*([^\w\s\\,])\s*`)
	thousands = regexp.MustCompile(`(\d)(?:\{,\}|,\\! ?|\\,|\\!)(\d{3})`)
	// grouped is one number with commas, and what belongs to it: x = 1,000 km
	grouped = regexp.MustCompile(`^((?:\w+[=<>≤≥≠])?[-+]?)([1-9]\d{0,2}(?:,\d{3})+)((?:\.\d+)?(?:[^\d,.;&][^,;&]*)?)$`)
	// unclear are numbers of a list of which some may be the end of another: 1,000, 2 and 1, 2,000
	unclear  = regexp.MustCompile(`\d,0\d|^[^(\[]*(?:, .*\d,\d{3}\b|\d,\d{3}\b.*, )`)
	fromTo   = regexp.MustCompile(`\d ?– ?\d`)
	texts    = regexp.MustCompile(`\\(?:text|textbf|textit|textrm|textnormal|mathrm|mathbf|mbox)\s*\{([^{}]*)\}`)
	unitText = regexp.MustCompile(`^(.*[^\s^_])\s*\\(?:text|textbf|textrm|textnormal|mathrm|mbox)\{\s*([^{}]*?)\s*\}((?:\^\{?\d\}?)?)$`)
	unitName = regexp.MustCompile(`^(?:[mgsLlhJNWV]|[A-Za-z][A-Za-z .·/()-]+)$`)
	assigned = regexp.MustCompile(`^(?:\\?[A-Za-z]+(?:_\{?\w+\}?)?|[A-Za-z]?\([A-Za-z](?:, ?[A-Za-z])*\))$`)
	member   = regexp.MustCompile(`^\\?[A-Za-z]+\s*\\in(?:\s+|([(\[\\]))`)
	matrix   = regexp.MustCompile(`^(?:\\begin\{[pb]matrix\}|[(\[]\\begin\{array\}\{[clr]+\})(.*)` +
		`(?:\\end\{[pb]matrix\}|\\end\{array\}[)\]])$`)
	// wording has a word, as xy - z has none
	wording = regexp.MustCompile(`^(?:[Nn]o|[A-Za-z' -]*[A-Za-z]{3}[A-Za-z' -]*)$`)
	joining = regexp.MustCompile(`\s*(?:,?\s*\\(?:text|mbox)\{\s*,?\s*(?:and|or)\s*\}|,?\s(?:and|or)\b)\s*`)
	// parts are words that make another number, and no unit of one
	parts = regexp.MustCompile(`(?i)hundred|thousand|illion|\bb?n\b|dozen|score|gross|lakh|crore|pair|hal[fv]|third|quarter|fourth|` +
		`(?:fif|six|seven|eigh|nin|ten|eleven|twelf|teen|tie)ths?\b|squared|cubed|factorial|base|mod\b|percent|per cent|pct|` +
		`less|more|over|under|minus|plus|times|not\b|\bor\b`)
	percents = regexp.MustCompile(`(\d) ?(?:\\text\{ ?)?(?:percent|per cent|pct)\}?$`)
	decimals = regexp.MustCompile(`\d,\d`)
	comma    = regexp.MustCompile(`^-?\d+,\d+$`) // 1,5: a decimal, or two numbers
)

// cleaned is a text without its delimiters, spaces that mean nothing, and a full stop at its end.
func cleaned(text string) string {
	text = undelimited(text)
	if !fromTo.MatchString(text) {
		text = strings.ReplaceAll(text, "–", "-")
	}
	for thousands.MatchString(text) {
		text = thousands.ReplaceAllString(text, "$1$2")
	}
	text = percents.ReplaceAllString(strings.Join(strings.Fields(spacing.Replace(text)), " "), "$1%")
	text = strings.Trim(around.ReplaceAllString(text, "$1"), "$")
	if !decimals.MatchString(text) && min(len(apart(text, ";")), len(apart(text, ","))) < 2 {
		return strings.ReplaceAll(text, ";", ", ") // (1;2), but not a=1,b=2;a=3
	}
	return text
}

// undelimited is a text without what marks it as a formula or as the answer, and without a full stop.
func undelimited(text string) string {
	text = strings.TrimSuffix(strings.TrimSpace(text), ".")
	for _, d := range [][2]string{{"$$", "$$"}, {"$", "$"}, {`\(`, `\)`}, {`\[`, `\]`}, {`\boxed{`, "}"}} {
		inner, begins := strings.CutPrefix(text, d[0])
		inner, ends := strings.CutSuffix(inner, d[1])
		if begins && ends && !strings.Contains(inner, d[0]) && apart(inner, ",") != nil {
			text = strings.TrimSuffix(strings.TrimSpace(inner), ".")
		}
	}
	return text
}

// apart splits a text at a separator outside of all brackets; nil where brackets do not match.
func apart(text, separator string) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i < len(text); i++ {
		switch {
		case depth == 0 && strings.HasPrefix(text[i:], separator):
			out = append(out, strings.TrimSpace(text[start:i]))
			i += len(separator) - 1
			start = i + 1
		case strings.IndexByte("([{", text[i]) >= 0:
			depth++
		case strings.IndexByte(")]}", text[i]) >= 0:
			if depth--; depth < 0 {
				return nil
			}
		}
	}
	if depth != 0 {
		return nil
	}
	return append(out, strings.TrimSpace(text[start:]))
}

// members splits a list; where its commas may be those of numbers too, the one member is not read.
func members(text string) []string {
	if unclear.MatchString(text) {
		return []string{"?"}
	}
	return apart(text, ",")
}

// listOf reads the members of a list. Comparing takes the square of their number, and doubles with each level.
func listOf(kind string, parts []string) form {
	const most, deepest = 50, 4
	out := form{kind: kind}
	for _, p := range parts {
		m := formOf(p)
		if out.of, out.depth = append(out.of, m), max(out.depth, m.depth+1); len(out.of) > most || out.depth > deepest {
			return form{}
		}
	}
	if kind == set || kind == union {
		out.takeName()
	}
	return out
}

// formOf reads a cleaned text. Every part of it is shorter, so it ends.
func formOf(text string) form {
	text = member.ReplaceAllString(text, "$1")
	if m := matrix.FindStringSubmatch(text); m != nil && !strings.Contains(m[1], `\begin`) {
		out := form{kind: "matrix"}
		for _, row := range apart(strings.TrimSuffix(m[1], `\\`), `\\`) {
			out.of = append(out.of, listOf("row", apart(row, "&")))
		}
		return out
	}
	if parts := apart(text, `\cup`); len(parts) > 1 {
		return listOf(union, parts)
	}
	if m := grouped.FindStringSubmatch(text); m != nil {
		out := formOf(m[1] + strings.ReplaceAll(m[2], ",", "") + m[3])
		out.grouped = true
		return out
	}
	if inner, ok := strings.CutPrefix(text, `\{`); ok && strings.HasSuffix(inner, `\}`) && len(inner) > 2 {
		if parts := members(strings.TrimSuffix(inner, `\}`)); parts != nil {
			return listOf(set, parts)
		}
	}
	if n := len(text) - 1; n > 0 && strings.IndexByte("([", text[0]) >= 0 && strings.IndexByte(")]", text[n]) >= 0 {
		if parts := members(text[1:n]); len(parts) > 1 {
			return listOf(text[:1]+text[n:], parts)
		}
	}
	if n := len(text) - 1; n > 0 && text[0] == '{' && text[n] == '}' {
		if parts := apart(text[1:n], ","); parts != nil {
			return formOf(text[1:n]) // a group of LaTeX
		}
	}
	if parts := members(joining.ReplaceAllString(text, ", ")); len(parts) > 1 {
		out := listOf(set, parts)
		out.grouped = comma.MatchString(text)
		return out
	}
	if strings.Count(text, `\pm`) == 1 {
		return listOf(set, []string{strings.NewReplacer(`\pm`, "+", `\mp`, "-").Replace(text),
			strings.NewReplacer(`\pm`, "-", `\mp`, "+").Replace(text)})
	}
	return item(text)
}

// item reads a text that is no list.
func item(text string) (out form) {
	if name, right, ok := strings.Cut(text, "="); ok {
		if strings.Contains(right, "=") {
			return form{}
		}
		switch order := strings.Split(strings.ReplaceAll(strings.Trim(name, "()"), " ", ""), ","); {
		case !assigned.MatchString(name):
			return form{} // an equation
		case name[0] == '(' && !slices.IsSorted(order):
			return form{} // (y, x) = (1, 2)
		}
		out = formOf(right)
		out.name = name
		return out
	}
	if w := strings.TrimSpace(texts.ReplaceAllString(text, "$1")); wording.MatchString(w) && !slices.Contains(bare, w) {
		return form{kind: said, words: strings.Join(smallFirst(strings.Fields(w)), " ")}
	}
	if m := unitText.FindStringSubmatch(text); m != nil {
		is := unitName.MatchString(m[2]) || strings.HasSuffix(m[1], "°")
		switch {
		case is && !parts.MatchString(m[2]):
			text, out.unit = m[1], m[2]+m[3]
		case len(m[2]) != 1: // 5\mathrm{i} has no unit
			return form{}
		}
	}
	if rest, ok := strings.CutSuffix(text, "°"); ok {
		text, out.unit = rest, "°"+out.unit
	}
	text, out.percent = strings.CutSuffix(text, "%")
	text = texts.ReplaceAllStringFunc(text, func(t string) string {
		if in := texts.FindStringSubmatch(t)[1]; len(strings.TrimSpace(in)) == 1 {
			return in
		}
		return t // which no formula has
	})
	if out.formula = formulaOf(text); out.formula == nil {
		return form{}
	}
	out.kind = one
	return out
}

// takeName gives a list the name of its members, where they have the same: x = 1 or x = 2 is x = 1, 2.
func (f *form) takeName() {
	if !slices.ContainsFunc(f.of, func(m form) bool { return m.name != f.of[0].name }) && len(f.of) > 0 {
		f.name = f.of[0].name
		for i := range f.of {
			f.of[i].name = ""
		}
	}
}
