package reports

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"infnet/harness/result"
	"infnet/metrics/infer"
)

// flips says, for each sentence of the headline, the smallest changes that would change it. A sentence about a test of
// sufficiency has its own: the level that its p-value reaches.
func (o *outcome) flips(h *Headline) (out []string) {
	if v := o.ours.Rival; v != nil && h.Verdict == Verdict(strings.ReplaceAll(v.Verdict, " ", "-")) {
		out = o.flipLine(out, "the verdict", v.Flips)
	}
	if now, even, ok := o.evenRatio(); ok {
		out = o.flipLine(out, "the sign of the saving",
			[]result.Flip{{Change: result.FlipRatio, Now: now, To: even, Verdict: " "}})
	}
	if allowed, ok := o.allowed(); ok {
		flips := append([]result.Flip(nil), o.d.Budget.Flips...)
		e, to := o.ours.Error, o.ours.Error.High
		if e.Low > allowed || e.High > allowed && allowed-e.Low < e.High-allowed {
			to = e.Low
		}
		flips = append(flips, result.Flip{Change: flipAllowed, Now: 100 * allowed, To: 100 * to, Verdict: " "})
		out = o.flipLine(out, "the word on the allowed error", append(flips, o.recordsFor(e, allowed)...))
	}
	if o.beaten() != "" {
		out = o.flipLine(out, "the word on the baseline", o.recordsFor(o.strongest().Error.Fitted.DiffSaved, 0))
	}
	if x := o.d.Extra; x != nil {
		out = o.flipLine(out, "the word on "+short(x.Model), o.recordsFor(x.Saved, 0))
	}
	return out
}

// evenRatio is the price ratio of a pair, and the one at which it costs what its master does: a query pays the student,
// and the master where it is deferred.
func (o *outcome) evenRatio() (now, even float64, ok bool) {
	even = 1 - o.ours.Deferred.Value
	now = even - o.ours.Saved.Value/100
	return now, even, o.ours.Rival != nil && len(o.ours.Rival.Flips) > 1 && len(o.c.Models) == 2 &&
		finite(o.ours.Deferred) && now > 0 && even > 0
}

// flipAllowed is a change that results need not hold.
const flipAllowed = "allowed error"

// recordsFor is how many test records would move the nearer end of an interval to a limit, at the same estimate: its
// width goes with the root of their number.
func (o *outcome) recordsFor(iv infer.Interval, limit float64) []result.Flip {
	half := iv.High - iv.Value
	if limit < iv.Value {
		half = iv.Value - iv.Low
	}
	n := float64(o.d.Counts.Test)
	if u := o.ours.Rival; u != nil && u.Units > 0 {
		n = float64(u.Units)
	}
	root := half / (limit - iv.Value)
	factor := root * root
	if !finite(iv) || !(factor >= 0.01 && factor <= 100) {
		return []result.Flip{{Change: result.FlipRecords, Now: n}}
	}
	return []result.Flip{{Change: result.FlipRecords, Now: n, To: math.Round(factor * n), Verdict: " "}}
}

// flipOrder is the order in which changes are told.
var flipOrder = []string{result.FlipGrades, result.FlipRatio, result.FlipBudget, flipAllowed, result.FlipRecords}

// flipLine adds the changes that flip one sentence, in one line.
func (o *outcome) flipLine(lines []string, what string, flips []result.Flip) []string {
	var said, none []string
	for _, change := range flipOrder {
		for _, f := range flips {
			switch {
			case f.Change != change:
			case f.Verdict == "":
				none = append(none, change)
			default:
				text := o.flipWords(f)
				if v := strings.TrimSpace(f.Verdict); v != "" {
					text += " (" + flipVerdict(v) + ")"
				}
				said = append(said, text)
			}
		}
	}
	if len(none) > 0 {
		said = append(said, "no other "+strings.Join(none, " or "))
	}
	if len(said) == 0 {
		return lines
	}
	return append(lines, "What would change "+what+": "+strings.Join(said, "; ")+".")
}

// flipVerdict is what a verdict becomes, in the words of tables.
func flipVerdict(v string) string {
	if word := Verdict(strings.ReplaceAll(v, " ", "-")).Word(); word != "" {
		return word
	}
	return v
}

// flipWords is one change in words.
func (o *outcome) flipWords(f result.Flip) string {
	switch f.Change {
	case result.FlipGrades:
		from, to := "wrong", "right"
		if f.Wrong {
			from, to = to, from
		}
		whose := "ours"
		if f.Model != "" {
			whose = short(f.Model)
		}
		return fmt.Sprintf("%s of %s graded %s, of %.0f", plural(int(f.To), from+" answer"), whose, to, f.Now)
	case result.FlipRatio:
		to, same := three(f.To), ""
		if v, err := strconv.ParseFloat(to, 64); err == nil && math.Abs(v-f.Now) < math.Abs(f.To-f.Now) {
			to = strconv.FormatFloat(f.To, 'g', 5, 64) // what is printed does flip it
		}
		if len(o.c.Models) > 2 {
			same = " with the same thresholds"
		}
		return fmt.Sprintf("a price ratio of %s%s, now %s", to, same, three(f.Now))
	case result.FlipBudget:
		return fmt.Sprintf("a budget of %s errors on the fit part, now %s", errorCount(f.To), errorCount(f.Now))
	case flipAllowed:
		return fmt.Sprintf("an allowed error of %s %%, now %s %%", three(f.To), three(f.Now))
	}
	what := "test records"
	if f.Now < float64(o.d.Counts.Test) {
		what = "groups"
	}
	return fmt.Sprintf("about %s %s at the same estimates, now %.0f", three(f.To), what, f.Now)
}

// three is a number to three significant digits.
func three(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
