package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"infnet/harness/routing"
)

// language is how a function of bars is written: with the bar below which nobody answers, and that of the student's
// answer. 2 is above all confidences.
type language struct {
	comment string
	one     string // of every class: the two bars
	many    string // the bars, as entry writes them
	entry   string // class and the two bars
}

// languages are the code targets. Each defers NaN, what is outside [0,1], and a class that the policy does not know.
var languages = map[Target]language{
	Python: {comment: "# ", entry: "%[1]s: (%[2]s, %[3]s), ",
		one: "def decide(confidence):\n    low, high = %s, %s\n" + pythonBody,
		many: "BARS = {%s}\n\n\ndef decide(confidence, label):\n" +
			"    low, high = BARS.get(label, (0.0, 2.0))\n" + pythonBody},
	Go: {comment: "// ", entry: "%[1]s: {%[2]s, %[3]s}, ",
		one: "package policy\n\nfunc Decide(confidence float64) string {\n" +
			"\tbar, known := [2]float64{%s, %s}, true\n" + goBody,
		many: "package policy\n\nvar bars = map[string][2]float64{%s}\n\n" +
			"func Decide(confidence float64, class string) string {\n\tbar, known := bars[class]\n" + goBody},
	JavaScript: {comment: "// ", entry: "[%[1]s, [%[2]s, %[3]s]], ",
		one: "function decide(confidence) {\n  const [low, high] = [%s, %s];\n" + jsBody,
		many: "const bars = new Map([%s]);\n\nfunction decide(confidence, label) {\n" +
			"  const [low, high] = bars.get(label) ?? [0, 2];\n" + jsBody},
	CEL: {comment: "// ", entry: "label == %[1]s ? (confidence < %[2]s ? \"abstain\" : " +
		"confidence >= %[3]s ? \"accept\" : \"defer\") : ",
		one: "!(confidence >= 0.0 && confidence <= 1.0) ? \"defer\" : " +
			"confidence < %s ? \"abstain\" : confidence >= %s ? \"accept\" : \"defer\"\n",
		many: "!(confidence >= 0.0 && confidence <= 1.0) ? \"defer\" : %s\"defer\"\n"},
}

// The bodies of functions of three decisions.
const (
	pythonBody = "    if not 0.0 <= confidence <= 1.0:\n        return \"defer\"\n    if confidence < low:\n" +
		"        return \"abstain\"\n    return \"accept\" if confidence >= high else \"defer\"\n"
	goBody = "\tswitch {\n\tcase !known || !(confidence >= 0 && confidence <= 1):\n\t\treturn \"defer\"\n" +
		"\tcase confidence < bar[0]:\n\t\treturn \"abstain\"\n\tcase confidence >= bar[1]:\n\t\treturn \"accept\"\n" +
		"\t}\n\treturn \"defer\"\n}\n"
	jsBody = "  if (typeof confidence !== \"number\" || !(confidence >= 0 && confidence <= 1)) return \"defer\";\n" +
		"  return confidence < low ? \"abstain\" : confidence >= high ? \"accept\" : \"defer\";\n}\n"
)

// code writes a rule as a function, or an expression, of the confidence and the class, with a test vector.
func code(r *routing.Rule, to Target, bars []routing.Bar) string {
	l := languages[to]
	var b, entries strings.Builder
	b.WriteString(header(r, l.comment))
	for _, v := range vector(r, bars) {
		b.WriteString(l.comment + v + "\n")
	}
	for _, bar := range bars {
		fmt.Fprintf(&entries, l.entry, quote(bar.Class), decimal(bar.Low), decimal(bar.Least))
	}
	if r.ByClass() {
		fmt.Fprintf(&b, l.many, strings.TrimSuffix(entries.String(), ", "))
	} else {
		fmt.Fprintf(&b, l.one, decimal(bars[0].Low), decimal(bars[0].Least))
	}
	return b.String()
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
		if b.Low > 0 && b.Low <= 1 {
			say(b.Class, math.Nextafter(b.Low, 0))
		}
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
