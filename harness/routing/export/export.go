// Package export writes a fitted policy as ten lines of Python, or as an expression of CEL, for a program that applies
// it. It owns the languages and what each can express. It refuses a policy that it would decide otherwise, and says
// why.
//
// Its opinion: a calibration is inverted once here, and not computed again there, as an exponential has other last bits
// in every language.
package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"infnet/harness/choice"
	"infnet/harness/confidence"
	"infnet/harness/routing"
)

// Target is a language that a policy is written in.
type Target string

// The targets.
const (
	Python Target = "python"
	CEL    Target = "cel" // Common Expression Language, which gateways evaluate
)

// UnmarshalText accepts a target's name.
func (t *Target) UnmarshalText(b []byte) error {
	return choice.Decode(t, b, "target", []Target{Python, CEL})
}

// language is how a function of bars is written: with the bar below which nobody answers, and that of the student's
// answer. 2 is above all confidences.
type language struct {
	comment string
	one     string // of every class: the two bars
	many    string // the bars, as entry writes them
	entry   string // class and the two bars
}

// languages are the targets. Each defers NaN, what is outside [0,1], and a class that the policy does not know.
var languages = map[Target]language{
	Python: {comment: "# ", entry: "%[1]s: (%[2]s, %[3]s), ",
		one: "def decide(confidence):\n    low, high = %s, %s\n" + pythonBody,
		many: "BARS = {%s}\n\n\ndef decide(confidence, label):\n" +
			"    low, high = BARS.get(label, (0.0, 2.0))\n" + pythonBody},
	CEL: {comment: "// ", entry: "label == %[1]s ? (confidence < %[2]s ? \"abstain\" : " +
		"confidence >= %[3]s ? \"accept\" : \"defer\") : ",
		one: "!(confidence >= 0.0 && confidence <= 1.0) ? \"defer\" : " +
			"confidence < %s ? \"abstain\" : confidence >= %s ? \"accept\" : \"defer\"\n",
		many: "!(confidence >= 0.0 && confidence <= 1.0) ? \"defer\" : %s\"defer\"\n"},
}

// pythonBody is that of a function of three decisions.
const pythonBody = "    if not 0.0 <= confidence <= 1.0:\n        return \"defer\"\n    if confidence < low:\n" +
	"        return \"abstain\"\n    return \"accept\" if confidence >= high else \"defer\"\n"

// Write writes a rule as a function, or an expression, of the confidence and the class, with a test vector; or says
// what cannot be expressed.
func Write(r *routing.Rule, to Target) (string, error) {
	bars, err := r.Bars()
	if err != nil {
		return "", fmt.Errorf("%s cannot express this policy: %w", to, err)
	}
	l := languages[to]
	var b, entries strings.Builder
	b.WriteString(header(r, l.comment))
	for _, v := range vector(r, bars) {
		b.WriteString(l.comment + v + "\n")
	}
	for _, bar := range bars {
		fmt.Fprintf(&entries, l.entry, quote(bar.Class), decimal(bar.Low), decimal(bar.Least))
	}
	if r.Classed() {
		fmt.Fprintf(&b, l.many, strings.TrimSuffix(entries.String(), ", "))
	} else {
		fmt.Fprintf(&b, l.one, decimal(bars[0].Low), decimal(bars[0].Least))
	}
	return b.String(), nil
}

// vector is a test vector: at every bar and just below it, as the rule decides, and what it does not know.
func vector(r *routing.Rule, bars []routing.Bar) []string {
	lines := []string{"Test vector:"}
	say := func(class string, beta float64) {
		d, _ := r.Decide(class, beta, 0)
		of := ""
		if r.Classed() {
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

// header says in comments what the policy is, and where it comes from.
func header(r *routing.Rule, mark string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, mark+format+"\n", args...) }
	line("Policy %+q of infnet's thresholds file %s:", r.Policy, r.Hash)
	if r.Student.Name == r.Master.Name { // the second half of a policy that abstains
		line("an answer of %+q is kept, or dropped where it does not reach its bar: nobody else is asked.", r.Master.Name)
	} else {
		line("%+q answers, %+q is asked where it does not reach its bar.", r.Student.Name, r.Master.Name)
	}
	over, numbers, fitted := "", "", ""
	if r.Confidence.Over != "" {
		over = fmt.Sprintf(" over %+q", r.Confidence.Over)
	}
	if len(r.Confidence.Parameters) > 0 {
		numbers = fmt.Sprintf(" with %v", r.Confidence.Parameters)
	}
	if c := r.Calibration; r.Method() != string(confidence.NoCalibration) {
		if fitted = fmt.Sprintf(" %v", c.Parameters); len(c.Curves) > 0 {
			fitted = fmt.Sprintf(" (%d curves)", len(c.Curves))
		}
	}
	line("Confidence: %+q%s%s, in [0,1].", r.Confidence.Score, over, numbers)
	line("Calibration: %s%s; the bars below are before it, the thresholds after it.", r.Method(), fitted)
	for _, t := range r.Thresholds {
		of := ""
		if t.Class != "" {
			of = fmt.Sprintf(" of class %+q", t.Class)
		}
		line("  accept iff calibrated confidence%s >= %v", of, t.Theta)
		if t.Abstain > 0 {
			line("  no answer from anyone iff it is < %v", t.Abstain)
		}
	}
	return b.String()
}

// decimal writes a bar so that the same bits are read back, and as a floating-point number in every language.
func decimal(x float64) string {
	x = min(x, 2) // +Inf: above all confidences
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
