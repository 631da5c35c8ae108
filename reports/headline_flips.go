package reports

import (
	"fmt"
	"math"
	"strings"

	"infnet/harness/calc"
	"infnet/harness/result"
	"infnet/sufficiency"
)

// flips says, for each sentence of the headline, the smallest changes that would change it, in one line.
func (o *outcome) flips(h *Headline) (out []string) {
	add := func(subject string, flips []result.Flip, words func(to string) string) {
		out = o.flipLine(out, subject, flips, words)
	}
	v := o.ours.Rival
	if v != nil && h.Verdict == Verdict(strings.ReplaceAll(v.Verdict, " ", "-")) {
		add("Ours would ", v.Flips, func(to string) string { return verdictBecomes[to] })
	}
	add("The saving would ", o.savedFlips(), as)
	if allowed, ok := o.allowed(); ok {
		add("The allowed error would ", o.targetFlips(allowed), func(to string) string { return "be " + to })
	}
	out = o.remarkFlips(out, h.Verdict)
	if line := o.sufficiencyFlip(); line != "" {
		out = append(out, line)
	}
	if v != nil && (h.Verdict == NotWorthIt || h.Verdict == NotShown) {
		add("Without a cascade one would ", v.RivalFlips, func(to string) string {
			if first, second, mixed := strings.Cut(to, " + "); mixed {
				return "mix " + short(first) + " and " + short(second)
			}
			return "ask " + short(to) + " alone"
		})
	}
	return out
}

// verdictBecomes is what ours would do if the verdict were another.
var verdictBecomes = map[string]string{"worth it": "be worth it", "not worth it": "not be worth it",
	"errs more": "err more", "errs less": "err less, at a higher cost,", "same": "be a single model",
	"not shown": "not be shown to be worth it"}

func as(to string) string { return to }

// savedFlips are what changes the sign of the saving, and whether its interval holds it.
func (o *outcome) savedFlips() (out []result.Flip) {
	sign := map[bool]string{true: "be positive", false: "be negative"}
	saves := o.ours.Saved.Value >= 0
	if now, even, ok := o.evenRatio(); ok {
		out = append(out, result.Flip{Change: result.FlipRatio, Now: now, To: even, Verdict: sign[!saves]})
	}
	if v := o.ours.Rival; v != nil {
		for _, f := range v.SavedFlips {
			if f.Verdict != "" {
				f.Verdict = sign[f.Verdict == "saves"]
				out = append(out, f)
			}
		}
	}
	return append(out, o.recordsFor(o.ours.Saved, 0, "not be shown", "be shown")...)
}

// targetFlips are what changes the word on the error that the study allows.
func (o *outcome) targetFlips(allowed float64) []result.Flip {
	e, to, word := o.ours.Error, o.ours.Error.Low, "exceeded"
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
	out := append([]result.Flip(nil), o.d.Budget.Flips...)
	out = append(out, result.Flip{Change: result.FlipAllowed, Now: 100 * allowed, To: 100 * to, Verdict: word})
	return append(out, o.recordsFor(e, allowed, "open", shown)...)
}

// remarkFlips are the lines of the remarks: one threshold, a guarantee, a chain's other model, a better baseline.
func (o *outcome) remarkFlips(out []string, verdict Verdict) []string {
	if r := o.row(ourSingle); r != nil && len(o.single(verdict)) > 0 {
		out = o.flipLine(out, "One threshold's saving would ", o.recordsFor(r.Saved, 0, "not be shown", "be shown"), as)
	}
	if own, _ := o.promises(); own != nil {
		var flips []result.Flip
		for _, f := range own.Promise.Flips {
			if f.Change == result.FlipAllowed {
				f.Now, f.To = 100*f.Now, 100*f.To
			}
			flips = append(flips, f)
		}
		out = o.flipLine(out, "The guarantee would ", flips, func(to string) string {
			return map[string]string{"given": "be given", "not given": "not be given"}[to]
		})
	}
	if x := o.d.Extra; x != nil {
		flips := append(append([]result.Flip(nil), x.Flips...), o.recordsFor(x.Saved, 0, "unclear",
			map[bool]string{true: "yes", false: "no"}[x.Saved.Value > 0])...)
		out = o.flipLine(out, "Asking "+short(x.Model)+" too would ", flips, func(to string) string {
			return map[string]string{"yes": "pay", "no": "not pay", "unclear": "not be clear to pay"}[to]
		})
	}
	if o.beaten() != "" {
		m := o.strongest()
		f, r := m.Error.Fitted, o.row(m.Baseline)
		flips := o.recordsFor(f.DiffSaved, 0, "not be shown", "")
		// A router spares the student on what it defers: the lead goes with the student's price.
		even := 1 - o.ours.Deferred.Value/f.Deferred.Value
		if now, _, ok := o.evenRatio(); ok && r.Charge == "router" && even > 0 {
			flips = append(flips, result.Flip{Change: result.FlipRatio, Now: now, To: even, Verdict: "be gone"})
		}
		out = o.flipLine(out, short(curveTitle(o.d, m.Baseline))+"'s lead would ", flips, as)
	}
	return out
}

// sufficiencyFlip is the level, and the number of fit records at the same effect, at which a test finds something, or
// nothing any more: its statistic is normal, and goes with the root of their number.
func (o *outcome) sufficiencyFlip() string {
	q := o.d.Sufficiency
	if q == nil {
		return ""
	}
	family, open, best := 0, false, (*sufficiency.Row)(nil)
	for _, c := range o.s.Cascades {
		for _, d := range c.Datasets {
			if d.Sufficiency == nil {
				continue
			}
			for k := range d.Sufficiency.Rows {
				if d.Sufficiency.Rows[k].Measured() {
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
	steps, found := float64(family), best.Holm <= q.Alpha
	if best.Holm < 1 && best.P > 0 {
		steps = best.Holm / best.P // what Holm's method multiplies it by
	}
	words := short(best.Set) + " would be found to tell more"
	if found {
		words = short(best.Set) + " would not be found to tell more"
	}
	var said []string
	switch {
	case found:
		said = append(said, fmt.Sprintf("below a level of %s (now %g)", three(best.Holm), q.Alpha))
	case best.Holm < 1:
		said = append(said, fmt.Sprintf("at a level of %s (now %g)", three(best.Holm), q.Alpha))
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
	return words + " " + strings.Join(said, ", or ") + "."
}

// evenRatio is the price ratio of a pair, and the one at which it costs what its master does: a query pays the student,
// and the master where it is deferred.
func (o *outcome) evenRatio() (now, even float64, ok bool) {
	even = 1 - o.ours.Deferred.Value
	now = even - o.ours.Saved.Value/100
	return now, even, o.ours.Rival != nil && len(o.ours.Rival.Flips) > 1 && len(o.c.Models) == 2 &&
		finite(o.ours.Deferred) && now > 0 && even > 0
}
