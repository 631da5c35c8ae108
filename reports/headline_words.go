package reports

import (
	"fmt"
	"math"
	"strings"

	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
	"infnet/sufficiency"
)

// word is what the correctness rule counts.
func (o *outcome) word() string {
	switch {
	case o.c.Setting == "oracle":
		return "disagreement with " + o.last()
	case o.d.Soft:
		return "mean error"
	}
	return "error"
}

// last names the master.
func (o *outcome) last() string { return short(o.c.Models[len(o.c.Models)-1]) }

// rivalName names the best single model or coin as something that costs and errs.
func (o *outcome) rivalName() string {
	v := o.ours.Rival
	if v.P == 0 {
		return short(v.First) + " alone"
	}
	return fmt.Sprintf("a coin between %s (%s %%) and %s (%s %%)", short(v.First), points(1-v.P), short(v.Second),
		points(v.P))
}

// alone is the advice to do without a cascade.
func (o *outcome) alone() string {
	v := o.ours.Rival
	if v.P == 0 {
		return fmt.Sprintf("Ask %s alone.", short(v.First))
	}
	return fmt.Sprintf("Without a cascade: ask %s for %s %% of the queries, drawn at random, and %s for the others.",
		short(v.First), points(1-v.P), short(v.Second))
}

// savedWords says what ours saves of the master's cost, by each query's own cost too where that matters.
func (o *outcome) savedWords() string {
	text := saves(o.ours.Saved, o.last()+"'s cost")
	if own := o.ours.SavedPerQuery; ownCostDiffers(o.ours) || o.ownDenies() && o.ours.Saved.Low > 0 {
		text += fmt.Sprintf(" at mean costs, %s by each query's own cost,", percentWords(own))
	}
	return text
}

// saves words a saving in percent of something.
func saves(iv infer.Interval, of string) string {
	if iv.Value < 0 {
		return fmt.Sprintf("costs %s more than %s", percentWords(negative(iv)), strings.TrimSuffix(of, "'s cost")+" alone")
	}
	return fmt.Sprintf("saves %s of %s", percentWords(iv), of)
}

// errorWords sets the error of ours beside that of its rival, a single model with a row.
func (o *outcome) errorWords() string {
	v := o.ours.Rival
	of := o.row("all")
	if v.First == o.c.Models[0] && v.P == 0 {
		of = o.row("none")
	}
	if v.P != 0 || of == nil || !finite(of.Error) {
		return o.errorAlone()
	}
	if alike(v.Error) {
		return fmt.Sprintf(" with the same %s on every test record (%s)", o.word(), share(o.ours.Error))
	}
	return fmt.Sprintf(" with %s %s of %s %% against %s %%, %s", article(o.word()), o.word(), points(o.ours.Error.Value),
		points(of.Error.Value), differs(v.Error))
}

func article(word string) string {
	if strings.HasPrefix(word, "e") {
		return "an"
	}
	return "a"
}

// errorAlone is the error of ours.
func (o *outcome) errorAlone() string {
	return fmt.Sprintf(" with %s %s of %s", article(o.word()), o.word(), share(o.ours.Error))
}

// promise says what a guarantee came to, where the study asks for one.
func (o *outcome) promise() []string {
	var r *result.Row
	for i := range o.d.Rows {
		if o.d.Rows[i].Promise != nil {
			r = &o.d.Rows[i] // the last: thresholds per class come after the single one
		}
	}
	if r == nil {
		return nil
	}
	if !r.Certified {
		return []string{"The guarantee that the study asks for could not be given."}
	}
	what := fmt.Sprintf("%s at most %s %%", o.word(), points(r.Promise.Level))
	if r.Promise.Reference != "" {
		what += fmt.Sprintf(" above that of the %s", r.Promise.Reference)
	}
	if r.Promise.Delta > 0 {
		what += fmt.Sprintf(" with probability %s", shortest(1-r.Promise.Delta))
	} else {
		what += " on average"
	}
	return []string{fmt.Sprintf("With the guarantee (%s, on records drawn like these) it %s.", what,
		saves(r.Saved, o.last()+"'s cost"))}
}

// extra says whether the models that a chain has beyond its best pair pay.
func (o *outcome) extra() []string {
	x := o.d.Extra
	if x == nil {
		return nil
	}
	pair := x.Pair
	if r := o.row(x.Pair); r != nil {
		pair = strings.TrimPrefix(r.Title, "Ours, ")
	}
	verdict := "Whether asking %s too pays is not clear"
	switch x.Pays {
	case "yes":
		verdict = "Asking %s too pays"
	case "no":
		verdict = "Asking %s too does not pay"
	}
	return []string{fmt.Sprintf(verdict, short(x.Model)) + fmt.Sprintf(": %s points more saved than by %s.",
		bare(x.Saved), short(pair))}
}

// beaten names the baseline that saves clearly more than ours where both are fitted to the same error.
func (o *outcome) beaten() string {
	m := o.strongest()
	if m == nil || !(m.Error.Fitted.DiffSaved.High < 0) {
		return ""
	}
	f := m.Error.Fitted
	text := fmt.Sprintf("But %s, fitted to the same error, saves %s points more", short(curveTitle(o.d, m.Baseline)),
		bare(negative(f.DiffSaved)))
	if finite(f.DiffError) && (f.DiffError.Value != 0) {
		text += fmt.Sprintf(" (its error is %s)", differs(negative(f.DiffError)))
	}
	return text + "."
}

// notTheirs says what to make of answers that are not those of the models in question.
func (o *outcome) notTheirs() string {
	if list := o.s.StandInModels(); len(list) > 0 {
		var names []string
		for _, x := range list {
			names = append(names, x.Model+" for "+x.For)
		}
		return "Stand-in models (" + short(strings.Join(unrepeated(names), ", ")) +
			"): this says nothing of the models that the study is about."
	}
	for _, name := range o.c.Models {
		for _, m := range o.s.Models {
			if m.Name == name && m.Backend == "simulated" {
				return "The answers are simulated: this says nothing of any model."
			}
		}
	}
	return ""
}

func unrepeated(list []string) (out []string) {
	seen := map[string]bool{}
	for _, x := range list {
		if !seen[x] {
			out = append(out, x)
		}
		seen[x] = true
	}
	return out
}

// sufficiencyWords says what the tests of sufficiency found; empty where there were none. A test that finds
// nothing is no proof that there is nothing.
func sufficiencyWords(q *result.Sufficiency) string {
	if q == nil || len(q.Rows) == 0 {
		return ""
	}
	least, hint := math.Inf(1), (*sufficiency.Row)(nil)
	var open int
	for i := range q.Rows {
		r := &q.Rows[i]
		switch {
		case r.State == sufficiency.Undecided:
			open++
		case r.State != sufficiency.Tested:
		case r.Finding && (hint == nil || r.Holm < hint.Holm):
			hint, least = r, min(least, r.Holm)
		default:
			least = min(least, r.Holm)
		}
	}
	switch {
	case hint != nil && hint.Holm <= q.Alpha:
		return fmt.Sprintf("The confidence is not sufficient: %s helps to tell where to defer (adjusted p %s).",
			short(hint.Set), pWords(hint.Holm))
	case hint != nil:
		return fmt.Sprintf("There is a hint that %s tells more than the confidence (p %s; adjusted for all tests p %s).",
			short(hint.Set), pWords(hint.P), pWords(hint.Holm))
	case open > 0:
		return "Whether the confidence is sufficient cannot be decided here."
	case math.IsInf(least, 1):
		return "Whether the confidence is sufficient could not be tested."
	}
	return fmt.Sprintf("No sign that more than the confidence is needed (smallest adjusted p %s).", pWords(least))
}

// pWords is a p-value with its sign: "= 0.012".
func pWords(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return "= " + shortest(math.Round(1000*p)/1000)
}

// poolHeadline is a pool on one dataset.
func poolHeadline(s *result.Results, p *result.Pool, d *result.PoolDataset) Headline {
	h := Headline{Cascade: p.Name, Dataset: d.Name, Models: p.Models, Pool: true, Verdict: NotWorthIt}
	o := &outcome{s: s, c: &result.Cascade{Models: p.Models}}
	if lost := d.Counts.Records - d.Counts.Used; p.Incomplete && lost > 0 {
		h.Verdict = Incomplete
		h.Result = fmt.Sprintf("INCOMPLETE: %d of %s lack an answer%s, and the study allows fewer.", lost,
			plural(d.Counts.Records, "record"), causes(d.Counts.Missing))
		h.Action = "No conclusion until they are there."
		return h
	}
	for _, x := range d.Savings {
		if x.Verdict == "saves" {
			h.Verdict = WorthIt
		}
	}
	h.Result = sentence(poolVerdict(d))
	h.Action = o.notTheirs()
	h.Caveats = weigh(d.Notes, d.Counts)
	return h
}

// percentWords is a saving with its interval: "16.4 % [10.4, 22.4]".
func percentWords(iv infer.Interval) string {
	if !finite(iv) {
		return "n/a"
	}
	d := digits(iv)
	return table.Exactly(iv.Value, d).String() + " %" + brackets(iv, d)
}

// share is a rate in percent with its interval.
func share(iv infer.Interval) string { return percentWords(times100(iv)) }

// costShare is a share of a cost; nil = not defined.
func costShare(iv *infer.Interval) string {
	if iv == nil {
		return "an unknown share"
	}
	return shareWords(*iv)
}

// points is a difference of rates, in percentage points, or a rate in percent without its sign.
func points(v float64) string {
	return table.Exactly(100*v, digits(infer.Interval{Value: 100 * v, Low: 100 * v, High: 100 * v})).String()
}

// differs words a difference of error rates: "0.5 points higher [-1.0, 2.0]".
func differs(d infer.Interval) string {
	d = times100(d)
	if !finite(d) {
		return "not known to differ"
	}
	n, word := digits(d), "higher"
	switch {
	case alike(d):
		return "the same"
	case table.Exactly(math.Abs(d.Value), n) == table.Exactly(0, n):
		word = "different"
	case d.Value < 0:
		word, d = "lower", negative(d)
	}
	return fmt.Sprintf("%s points %s%s", table.Exactly(d.Value, n).String(), word, brackets(d, n))
}

// bare is an interval without a unit.
func bare(iv infer.Interval) string {
	n := digits(iv)
	return table.Exactly(iv.Value, n).String() + brackets(iv, n)
}

// brackets is the interval; nothing where it is a point by definition.
func brackets(iv infer.Interval, decimals int) string {
	if iv.High-iv.Low < 1e-9 {
		return ""
	}
	return fmt.Sprintf(" [%s, %s]", table.Exactly(iv.Low, decimals).String(), table.Exactly(iv.High, decimals).String())
}

// alike reports a difference that is 0 on every record: no resample has another.
func alike(d infer.Interval) bool { return d.Value == 0 && d.Low == 0 && d.High == 0 }

// digits is one decimal, or as many more as it takes, up to three, for no number but zero to print as zero.
func digits(iv infer.Interval) int {
	n := 1
	for ; n < 3; n++ {
		lost := false
		for _, v := range []float64{iv.Value, iv.Low, iv.High} {
			lost = lost || math.Abs(v) > 1e-9 && math.Abs(v) < 0.5*math.Pow10(-n)
		}
		if !lost {
			break
		}
	}
	return n
}

func times100(iv infer.Interval) infer.Interval {
	iv.Value, iv.Low, iv.High = 100*iv.Value, 100*iv.Low, 100*iv.High
	return iv
}

// negative is the same difference the other way round.
func negative(iv infer.Interval) infer.Interval {
	iv.Value, iv.Low, iv.High = -iv.Value, -iv.High, -iv.Low
	return iv
}

// errorCount is a number of errors, whole or with two decimals where errors are soft.
func errorCount(v float64) string {
	if v == math.Trunc(v) {
		return table.Exactly(v, 0).String()
	}
	return table.Exactly(v, 2).String()
}
