package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"infnet/harness/routing"
)

// language is how a function of bars is written.
type language struct {
	comment string
	one     string // of every class: the bar
	many    string // the bars, as entry writes them
	entry   string // class and bar
	between string // two entries
	none    string // where no class is ever accepted
}

// languages are the code targets. Each compares bar ≤ β ≤ 1, which is false for NaN, and finds no bar for a class that
// the policy does not know: both are deferred.
var languages = map[Target]language{
	Python: {comment: "# ", entry: "%s: %s", between: ", ",
		one:  "def accept(confidence):\n    return %s <= confidence <= 1.0\n",
		many: "BARS = {%s}\n\n\ndef accept(confidence, label):\n    return BARS.get(label, 2.0) <= confidence <= 1.0\n",
		none: "def accept(confidence, label=None):\n    return False\n"},
	Go: {comment: "// ", entry: "%s: %s", between: ", ",
		one: "package policy\n\nfunc Accept(confidence float64) bool {\n" +
			"\treturn confidence >= %s && confidence <= 1\n}\n",
		many: "package policy\n\nvar bars = map[string]float64{%s}\n\n" +
			"func Accept(confidence float64, class string) bool {\n\tbar, known := bars[class]\n" +
			"\treturn known && confidence >= bar && confidence <= 1\n}\n",
		none: "package policy\n\nfunc Accept(confidence float64, class string) bool { return false }\n"},
	JavaScript: {comment: "// ", entry: "[%s, %s]", between: ", ",
		one: "function accept(confidence) {\n" +
			"  return typeof confidence === \"number\" && confidence >= %s && confidence <= 1;\n}\n",
		many: "const bars = new Map([%s]);\n\nfunction accept(confidence, label) {\n  const bar = bars.get(label) ?? 2;\n" +
			"  return typeof confidence === \"number\" && confidence >= bar && confidence <= 1;\n}\n",
		none: "function accept() {\n  return false;\n}\n"},
	CEL: {comment: "// ", entry: "label == %s && confidence >= %s", between: " || ",
		one:  "confidence >= %s && confidence <= 1.0\n",
		many: "confidence <= 1.0 && (%s)\n", none: "false\n"},
}

// code writes a rule as a function, or an expression, of the confidence and the class, with a test vector.
func code(r *routing.Rule, to Target, bars []routing.Bar) (string, error) {
	l := languages[to]
	var b strings.Builder
	b.WriteString(header(r, l.comment))
	for _, v := range vector(r, bars) {
		b.WriteString(l.comment + v + "\n")
	}
	var entries []string
	for _, bar := range bars {
		if !math.IsInf(bar.Least, 1) {
			entries = append(entries, fmt.Sprintf(l.entry, quote(bar.Class), decimal(bar.Least)))
		}
	}
	switch {
	case len(entries) == 0:
		b.WriteString(l.none)
	case r.ByClass():
		fmt.Fprintf(&b, l.many, strings.Join(entries, l.between))
	default:
		fmt.Fprintf(&b, l.one, decimal(bars[0].Least))
	}
	return b.String(), nil
}

// vector is a test vector: at every bar and just below it, as the rule decides, and what it does not know.
func vector(r *routing.Rule, bars []routing.Bar) []string {
	lines := []string{"Test vector:"}
	say := func(class string, beta float64) {
		d, _ := r.Decide(class, beta, 0)
		of := ""
		if r.ByClass() {
			of = fmt.Sprintf(" of %+q", class)
		}
		lines = append(lines, fmt.Sprintf("  %s%s: %s", decimal(beta), of, d.Decision))
	}
	for _, b := range bars {
		if math.IsInf(b.Least, 1) {
			say(b.Class, 1)
			continue
		}
		say(b.Class, b.Least)
		if b.Least > 0 {
			say(b.Class, math.Nextafter(b.Least, 0))
		}
	}
	return append(lines, "  NaN, and what is below 0 or above 1: defer (infnet route refuses it)")
}

// quote writes a text as JSON does, which every target reads as a string.
func quote(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil {
		panic("a text has no JSON") // it has: invalid UTF-8 is replaced
	}
	return strings.TrimSuffix(b.String(), "\n")
}
