package reports

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/metrics/infer"
	"infnet/reports/table"
	"infnet/sufficiency"
)

// percentWords is a saving with its interval: "16.4 % [10.4, 22.4]".
func percentWords(iv infer.Interval) string {
	if !finite(iv) {
		return "n/a"
	}
	d := digits(iv)
	return table.Exactly(iv.Value, d).String() + " %" + brackets(iv, d)
}

func share(iv infer.Interval) string { return percentWords(times100(iv)) }

// differs words a difference of error rates: "0.5 points [-1.0, 2.0] higher".
func differs(d infer.Interval) string {
	d = times100(d)
	switch {
	case !finite(d):
		return "not known to differ"
	case d.Value == 0:
		return "the same" + brackets(d, digits(d))
	case d.Value < 0:
		return pointsWords(note.Negative(d)) + " lower"
	}
	return pointsWords(d) + " higher"
}

func pointsWords(d infer.Interval) string {
	return table.Exactly(d.Value, digits(d)).String() + " points" + brackets(d, digits(d))
}

// relative sets an error beside that of a model.
func relative(d infer.Interval, model string) string {
	if d.Value != 0 || !finite(d) {
		return fmt.Sprintf("%s than %s alone", differs(d), short(model))
	}
	d = times100(d)
	return fmt.Sprintf("the same as %s alone (difference in points:%s)", short(model), brackets(d, digits(d)))
}

func bare(iv infer.Interval) string {
	n := digits(iv)
	return table.Exactly(iv.Value, n).String() + brackets(iv, n)
}

func brackets(iv infer.Interval, decimals int) string {
	if iv.High-iv.Low < 1e-9 {
		return ""
	}
	return fmt.Sprintf(" [%s, %s]", table.Exactly(iv.Low, decimals).String(), table.Exactly(iv.High, decimals).String())
}

// digits is how many decimals an interval is written with.
func digits(iv infer.Interval) int { return note.Digits(iv.Value, iv.Low, iv.High) }

func times100(iv infer.Interval) infer.Interval {
	iv.Value, iv.Low, iv.High = 100*iv.Value, 100*iv.Low, 100*iv.High
	return iv
}

// errorCount is a number of errors, whole or with two decimals where errors are soft.
func errorCount(v float64) string {
	if v == math.Trunc(v) {
		return table.Exactly(v, 0).String()
	}
	return table.Exactly(v, 2).String()
}

func either(list []string) string {
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

func lastOf(models []string) string {
	if len(models) == 0 {
		return ""
	}
	return short(models[len(models)-1])
}

func (o *outcome) word() string {
	switch {
	case o.c.Setting == "oracle":
		return "disagreement with " + lastOf(o.c.Models)
	case o.d.Soft:
		return "mean error"
	}
	return "error"
}

// saves words a saving in percent of the master's cost.
func (o *outcome) saves(iv infer.Interval) string {
	if iv.Value < 0 {
		return fmt.Sprintf("costs %s more than %s alone", percentWords(note.Negative(iv)), lastOf(o.c.Models))
	}
	return fmt.Sprintf("saves %s of %s's cost", percentWords(iv), lastOf(o.c.Models))
}

// single says what one threshold does where a threshold per class errs more than its rival.
func (o *outcome) single(v Verdict) []string {
	r := o.d.Row(ourSingle)
	if v != ErrsMore || o.ours.Policy != ourMulti || r == nil || r.Rival == nil || !finite(r.Saved) ||
		o.ours.Rival == nil {
		return nil
	}
	return []string{fmt.Sprintf("One threshold for all classes %s; its %s is %s.", o.saves(r.Saved), o.word(),
		relative(r.Rival.Error, r.Rival.Than))}
}

// promise says what a guarantee came to, where the study asks for one: that of the form of ours, or else
// that of another form which could be given.
func (o *outcome) promise() []string {
	own, given := o.promises()
	promised := func(r *result.Row) string {
		what := fmt.Sprintf("%s at most %s %%", o.word(), note.Percent(r.Promise.Level))
		if r.Promise.Reference != "" {
			what += fmt.Sprintf(" above that of the %s", r.Promise.Reference)
		}
		how := " on average"
		if r.Promise.Delta > 0 {
			how = " with probability " + strconv.FormatFloat(1-r.Promise.Delta, 'g', -1, 64)
		}
		what += how + ", on records drawn like these"
		if r.Promise.Largest > 0 {
			what += fmt.Sprintf(", in groups of at most %d", r.Promise.Largest)
		}
		return what
	}
	switch {
	case own == nil:
		return nil
	case own.Certified:
		return []string{"With the guarantee (" + promised(own) + ") it " + o.saves(own.Saved) + "."}
	case given == nil:
		return []string{"The guarantee that the study asks for could not be given."}
	}
	return []string{"The guarantee could not be given for this form; " + short(given.Title) + " has it (" +
		promised(given) + ") and " + o.saves(given.Saved) + "."}
}

func (o *outcome) promises() (own, given *result.Row) {
	for i := range o.d.Rows {
		r := &o.d.Rows[i]
		if r.Promise == nil {
			continue
		}
		if own == nil || strings.HasPrefix(r.Policy, o.ours.Policy+"-") {
			own = r
		}
		if r.Certified {
			given = r
		}
	}
	return own, given
}

// extra says whether the models that a chain has beyond its best pair pay.
func (o *outcome) extra() []string {
	x := o.d.Extra
	if x == nil {
		return nil
	}
	pair := x.Pair
	if r := o.d.Row(x.Pair); r != nil {
		pair = strings.TrimPrefix(r.Title, "Ours, ")
	}
	verdict := "Whether asking %s too pays is not clear"
	switch x.Pays {
	case "yes":
		verdict = "Asking %s too pays"
	case "no":
		verdict = "Asking %s too does not pay"
	}
	return []string{fmt.Sprintf(verdict+": %s points more saved than by %s.", short(x.Model), bare(x.Saved), short(pair))}
}

// beaten names the baseline that saves clearly more than ours where both are fitted to the same error.
func (o *outcome) beaten() string {
	m := o.strongest()
	if m == nil || !(m.Error.Fitted.DiffSaved.High < 0) {
		return ""
	}
	f := m.Error.Fitted
	text := fmt.Sprintf("But %s, fitted to the same error, saves %s points more", short(curveTitle(o.d, m.Baseline)),
		bare(note.Negative(f.DiffSaved)))
	if finite(f.DiffError) && f.DiffError.Value != 0 {
		text += fmt.Sprintf(" (its error is %s)", differs(note.Negative(f.DiffError)))
	}
	return text + "."
}

// notTheirs says what to make of answers that are not those of the models in question.
func notTheirs(s *result.Results, models []string) string {
	var names []string
	for _, x := range s.StandInModels() {
		if name := x.Model + " for " + x.For; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if names != nil {
		return "Stand-in models (" + short(strings.Join(names, ", ")) +
			"): this says nothing of the models that the study is about."
	}
	for _, m := range s.Models {
		if m.Backend == "simulated" && slices.Contains(models, m.Name) {
			return "The answers are simulated: this says nothing of any model."
		}
	}
	return ""
}

// sufficiencyWords says what a test of sufficiency found; "" = nothing, which is no proof that there is nothing.
func sufficiencyWords(q *result.Sufficiency) string {
	var hint *sufficiency.Row
	for i := 0; q != nil && i < len(q.Rows); i++ {
		r := &q.Rows[i]
		if r.State == sufficiency.Tested && r.Finding && (hint == nil || r.Holm < hint.Holm) {
			hint = r
		}
	}
	switch {
	case hint == nil:
		return ""
	case hint.Holm > q.Alpha:
		return fmt.Sprintf("There is a hint that %s tells more than the confidence (p %s; adjusted for all tests p %s).",
			short(hint.Set), pWords(hint.P), pWords(hint.Holm))
	case hint.Gain.Value <= 0:
		return fmt.Sprintf("The confidence is not sufficient: %s tells more (adjusted p %s), but trees predict no better "+
			"with it here.", short(hint.Set), pWords(hint.Holm))
	}
	return fmt.Sprintf("The confidence is not sufficient: %s helps to tell where to defer (adjusted p %s).",
		short(hint.Set), pWords(hint.Holm))
}

// pWords is a p-value with its sign: "= 0.012".
func pWords(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return "= " + fmt.Sprint(math.Round(1000*p)/1000)
}
