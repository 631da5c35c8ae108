package reports

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/calc"
	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/sufficiency"
)

// changes are what would change the sentences of a headline, in a line for each.
type changes struct {
	models []string // cheapest first
	tested int      // test records
	units  int      // or groups of them
	lines  []string
}

// flips says, for each sentence of the headline, the smallest changes that would change it, in one line.
func (o *outcome) flips(h *Headline) []string {
	v := o.ours.Rival
	c := &changes{models: o.c.Models, tested: o.d.Counts.Test, units: o.d.Counts.Test}
	if v != nil && v.Units > 0 {
		c.units = v.Units
	}
	if v != nil && h.Verdict == verdictOf(v) {
		c.add("Ours would ", v.Flips, func(to string) string { return verdictBecomes[to] })
	}
	c.add("The saving would ", append(o.savedFlips(), c.recordsFor(o.ours.Saved, 0, "not be shown", "be shown")...), as)
	if allowed, ok := o.allowed(); ok {
		c.target(allowed, o.ours.Error, o.d.Budget.Flips)
	}
	o.remarkFlips(c, h.Verdict)
	if line := o.sufficiencyFlip(); line != "" {
		c.lines = append(c.lines, line)
	}
	if v != nil && (h.Verdict == NotWorthIt || h.Verdict == NotShown) {
		c.add("Without a cascade one would ", v.RivalFlips, func(to string) string {
			if first, second, mixed := strings.Cut(to, " + "); mixed {
				return "mix " + short(first) + " and " + short(second)
			}
			return "ask " + short(to) + " alone"
		})
	}
	return c.lines
}

var verdictBecomes = map[string]string{"worth it": "be worth it", "not worth it": "not be worth it",
	"errs more": "err more", "errs less": "err less, at a higher cost,", "same": "be a single model",
	"not shown": "not be shown to be worth it"}

func as(to string) string { return to }

// savedFlips are what changes the sign of the saving.
func (o *outcome) savedFlips() (out []result.Flip) {
	sign := map[bool]string{true: "be positive", false: "be negative"}
	if now, even, ok := o.evenRatio(); ok {
		out = append(out, result.Flip{Change: result.FlipRatio, Now: now, To: even, Verdict: sign[o.ours.Saved.Value < 0]})
	}
	if o.ours.Rival == nil {
		return out
	}
	for _, f := range o.ours.Rival.SavedFlips {
		if f.Verdict != "" {
			f.Verdict = sign[f.Verdict == "saves"]
			out = append(out, f)
		}
	}
	return out
}

// target adds what changes the word on the error that the study allows.
func (c *changes) target(allowed float64, e infer.Interval, flips []result.Flip) {
	to, word := e.Low, "exceeded"
	switch {
	case e.Low > allowed:
		word = "open"
	case e.High <= allowed:
		to, word = e.High, "open"
	case e.High-allowed < allowed-e.Low:
		to, word = e.High, "kept"
	}
	shown := "kept"
	if e.Value > allowed {
		shown = "exceeded"
	}
	change := result.Flip{Change: result.FlipAllowed, Now: 100 * allowed, To: 100 * to, Verdict: word}
	c.add("The allowed error would ", slices.Concat(flips, []result.Flip{change},
		c.recordsFor(e, allowed, "open", shown)), func(to string) string { return "be " + to })
}

// remarkFlips are the lines of the remarks: one threshold, a guarantee, a chain's other model, a better baseline.
func (o *outcome) remarkFlips(c *changes, verdict Verdict) {
	if r := o.d.Row(ourSingle); r != nil && len(o.single(verdict)) > 0 {
		c.add("One threshold's saving would ", c.recordsFor(r.Saved, 0, "not be shown", "be shown"), as)
	}
	if own, _ := o.promises(); own != nil {
		flips := slices.Clone(own.Promise.Flips)
		for i, f := range flips {
			if f.Change == result.FlipAllowed {
				flips[i].Now, flips[i].To = 100*f.Now, 100*f.To
			}
		}
		c.add("The guarantee would ", flips, func(to string) string {
			return map[string]string{"given": "be given", "not given": "not be given"}[to]
		})
	}
	if x := o.d.Extra; x != nil {
		shown := "no"
		if x.Saved.Value > 0 {
			shown = "yes"
		}
		c.add("Asking "+short(x.Model)+" too would ", slices.Concat(x.Flips, c.recordsFor(x.Saved, 0, "unclear", shown)),
			func(to string) string {
				return map[string]string{"yes": "pay", "no": "not pay", "unclear": "not be clear to pay"}[to]
			})
	}
	if o.beaten() != "" {
		m := o.strongest()
		f, r := m.Error.Fitted, o.d.Row(m.Baseline)
		flips := c.recordsFor(f.DiffSaved, 0, "not be shown", "")
		// A router spares the student on what it defers: the lead goes with the student's price.
		even := 1 - o.ours.Deferred.Value/f.Deferred.Value
		if now, _, ok := o.evenRatio(); ok && r.Charge == "router" && even > 0 {
			flips = append(flips, result.Flip{Change: result.FlipRatio, Now: now, To: even, Verdict: "be gone"})
		}
		c.add(short(curveTitle(o.d, m.Baseline))+"'s lead would ", flips, as)
	}
}

// sufficiencyFlip is the level, and the number of fit records at the same effect, at which a test finds something, or
// nothing any more: its statistic is normal, and goes with the root of their number.
func (o *outcome) sufficiencyFlip() string {
	q := o.d.Sufficiency
	if q == nil {
		return ""
	}
	family, open, best := 0.0, false, (*sufficiency.Row)(nil)
	for _, p := range places(o.s) {
		if p.d.Sufficiency != nil {
			for k := range p.d.Sufficiency.Rows {
				if p.d.Sufficiency.Rows[k].Measured() {
					family++
				}
			}
		}
	}
	for k := range q.Rows {
		r := &q.Rows[k]
		open = open || r.State == sufficiency.Undecided
		if r.State == sufficiency.Tested && (best == nil || r.Holm < best.Holm || r.Holm == best.Holm && r.P < best.P) {
			best = r
		}
	}
	if best == nil || open && !best.Finding {
		return ""
	}
	steps := family
	if best.Holm < 1 && best.P > 0 {
		steps = best.Holm / best.P // what Holm's method multiplies it by
	}
	words, level := " would be found to tell more ", "at"
	if best.Holm <= q.Alpha {
		words, level = " would not be found to tell more ", "below"
	}
	var said []string
	if best.Holm < 1 || best.Holm <= q.Alpha {
		said = append(said, fmt.Sprintf("%s a level of %s (now %g)", level, three(best.Holm), q.Alpha))
	}
	now, needed := -calc.NormalQuantile(best.P), -calc.NormalQuantile(q.Alpha/steps)
	root := needed / now
	if factor := root * root; now > 0 && factor >= 0.01 && factor <= 100 {
		said = append(said, fmt.Sprintf("with about %s fit records at the same effect (now %d)",
			three(math.Round(factor*float64(q.Records))), q.Records))
	}
	if len(said) == 0 {
		return ""
	}
	return short(best.Set) + words + strings.Join(said, ", or ") + "."
}

// evenRatio is the price ratio of a pair, and the one at which it costs what its master does: a query pays the student,
// and the master where it is deferred.
func (o *outcome) evenRatio() (now, even float64, ok bool) {
	even = 1 - o.ours.Deferred.Value
	now = even - o.ours.Saved.Value/100
	return now, even, o.ours.Rival != nil && len(o.ours.Rival.Flips) > 1 && len(o.c.Models) == 2 &&
		finite(o.ours.Deferred) && now > 0 && even > 0
}

// recordsFor is how many test records would move the nearer end of an interval to a limit, at the same estimate: its
// width goes with the root of their number. With fewer an interval that misses the limit would hold it; with more,
// one that holds it would miss it.
func (c *changes) recordsFor(iv infer.Interval, limit float64, fewer, more string) []result.Flip {
	half, word := iv.High-iv.Value, more
	if limit < iv.Value {
		half = iv.Value - iv.Low
	}
	if limit < iv.Low || limit > iv.High {
		word = fewer
	}
	n := float64(c.units)
	root := half / (limit - iv.Value)
	factor := root * root
	if !finite(iv) || !(factor >= 0.01 && factor <= 100) || math.Round(factor*n) < 1 {
		return []result.Flip{{Change: result.FlipRecords, Now: n}}
	}
	return []result.Flip{{Change: result.FlipRecords, Now: n, To: math.Round(factor * n), Verdict: word}}
}

var flipOrder = []string{result.FlipGrades, result.FlipRatio, result.FlipBudget, result.FlipAllowed, result.FlipDelta,
	result.FlipRecords, result.FlipTested}

// add adds the changes that flip one sentence, in one line, those that lead to the same together.
func (c *changes) add(subject string, flips []result.Flip, words func(to string) string) {
	var order, none []string
	said := map[string][]string{}
	for _, change := range flipOrder {
		for _, f := range flips {
			switch {
			case f.Change != change:
			case f.Verdict == "":
				none = append(none, change)
			default:
				to := words(f.Verdict)
				if f.Cascade != nil {
					to = short(strings.Join(f.Cascade, " → ")) + to
				}
				if said[to] == nil {
					order = append(order, to)
				}
				said[to] = append(said[to], c.words(f))
			}
		}
	}
	if len(order) == 0 {
		return
	}
	for k, to := range order {
		order[k] = to + " " + either(said[to])
	}
	text := subject + strings.Join(order, "; ")
	if len(none) > 0 {
		text += "; no other " + strings.Join(none, " or ") + " would change that"
	}
	c.lines = append(c.lines, text+".")
}

func (c *changes) words(f result.Flip) string {
	switch f.Change {
	case result.FlipGrades:
		from, to := "wrong", "right"
		if f.Wrong {
			from, to = to, from
		}
		return fmt.Sprintf("with %s of %s graded %s (of %.0f)", Plural(int(f.To), from+" answer"), short(f.Model), to, f.Now)
	case result.FlipRatio:
		to, same := three(f.To), ""
		if v, err := strconv.ParseFloat(to, 64); err == nil && math.Abs(v-f.Now) < math.Abs(f.To-f.Now) {
			to = strconv.FormatFloat(f.To, 'g', 5, 64) // what is printed does flip it
		}
		switch {
		case f.Cascade != nil:
			same = fmt.Sprintf(" of %s to %s", short(f.Model), lastOf(f.Cascade))
		case f.Model != "":
			same = fmt.Sprintf(" of %s to %s", short(f.Model), lastOf(c.models))
		case len(c.models) > 2:
			to += " with the same thresholds"
		}
		return fmt.Sprintf("at a price ratio%s of %s (now %s)", same, to, three(f.Now))
	case result.FlipBudget:
		return fmt.Sprintf("with a budget of %s errors (now %s)", errorCount(f.To), errorCount(f.Now))
	case result.FlipAllowed:
		return fmt.Sprintf("at an allowed error of %s %% (now %s %%)", three(f.To), three(f.Now))
	case result.FlipDelta:
		return fmt.Sprintf("with probability %s (now %s)", three(1-f.To), three(1-f.Now))
	case result.FlipTested:
		return fmt.Sprintf("with about %s tested records (now %.0f)", three(f.To), f.Now)
	}
	what := "test records"
	if f.Now < float64(c.tested) {
		what = "groups"
	}
	return fmt.Sprintf("with about %s %s (now %.0f)", three(f.To), what, f.Now)
}

func three(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
