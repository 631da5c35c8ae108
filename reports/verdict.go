package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/pool"
	"infnet/harness/result"
	"infnet/harness/result/note"
)

func (o *outcome) conclude(h *Headline) {
	if o.stop(h) {
		return
	}
	o.judge(h)
	o.target(h)
	h.Result = strings.TrimSpace(opening[h.Verdict] + h.Result)
	h.Remarks = slices.Concat(h.Remarks, o.single(h.Verdict), o.promise(), o.extra(), priced(o.c, o.d))
	if better := o.beaten(); better != "" {
		h.Remarks = append(h.Remarks, better)
		if h.Verdict == WorthIt || h.Verdict == ErrsLess {
			h.Action = "Look at that baseline first."
		}
	}
	if said := notTheirs(o.s, o.c.Models); said != "" {
		h.Action = said
	}
	h.Sufficiency = sufficiencyWords(o.d.Sufficiency)
}

// incomplete: no conclusion is drawn from what is there.
func (h *Headline) incomplete(n result.Counts) {
	h.Verdict = Incomplete
	h.Result = fmt.Sprintf("INCOMPLETE: %d of %s lack an answer%s, and the study allows fewer.", n.Records-n.Used,
		Plural(n.Records, "record"), causes(n.Missing))
	h.Action = "No conclusion until they are there."
}

// stop draws no conclusion: answers are missing; there are no numbers of ours; the models cannot do the task; no
// thresholds meet the budget; there are hardly any test records, or groups of them.
func (o *outcome) stop(h *Headline) bool {
	if o.c.Incomplete && o.d.Counts.Used != o.d.Counts.Records {
		h.incomplete(o.d.Counts)
		return true
	}
	if len(o.c.Models) == 0 || o.ours == nil || !finite(o.ours.Error) || !finite(o.ours.Saved) {
		h.Verdict, h.Result = Nothing, "No result: our policy has no numbers on this dataset."
		h.Action = "See the table of records for what is missing."
		return true
	}
	for _, n := range o.d.Notes {
		if n.Kind == "near-zero" || n.Kind == "chance" {
			h.Verdict, h.Result = NoSignal, n.Text
			h.Action = "Check labels and prompt, or take other models."
			return true
		}
	}
	if p := fittedFor(o.d, o.ours.Policy); p != nil && infeasible(p) { // the rows show thresholds of least error
		fewest := errorCount(p.MinErrors)
		h.Verdict = Infeasible
		h.Result = fmt.Sprintf("The budget cannot be met: target %s allows %s errors on the %s of the fit part, and the "+
			"fewest that any thresholds make are %s.", o.c.Target, errorCount(p.Budget),
			Plural(o.d.Budget.Records, "record"), fewest)
		h.Action = fmt.Sprintf("Allow more errors, or take another master; the rows show the thresholds of fewest errors, "+
			"with %s %s on the test part.", o.word(), share(o.ours.Error))
		h.Remarks = priced(o.c, o.d)
		return true
	}
	n, what := o.d.Counts.Test, "record"
	if v := o.ours.Rival; v != nil && v.Units > 0 && v.Units < n {
		n, what = v.Units, "group"
	}
	if n >= pool.LeastUnits {
		return false
	}
	h.Verdict = TooFew
	h.Result = fmt.Sprintf("The test part has only %s: too few for a conclusion.", Plural(n, what))
	h.Action = "Use more records."
	return true
}

// opening is how the sentence of a verdict begins.
var opening = map[Verdict]string{WorthIt: "Worth it. ", ErrsMore: "Errs more. ", ErrsLess: "Errs less. ",
	NotWorthIt: "Not worth it. ", SameAs: "A single model. ", NotShown: "Not shown to be worth it. "}

func verdictOf(v *result.Rival) Verdict { return Verdict(strings.ReplaceAll(v.Verdict, " ", "-")) }

func (o *outcome) judge(h *Headline) {
	v := o.ours.Rival
	if v == nil {
		h.Verdict = NotShown
		h.Action = "Whether a single model would do as well was not compared: analyse the study again."
		return
	}
	why := ""
	switch h.Verdict = verdictOf(v); h.Verdict {
	case WorthIt:
		why, h.Action = saving(v), "Use it."
	case ErrsMore:
		why, h.Action = saving(v), "Use ours only if the saving is worth the errors."
	case ErrsLess:
		why, h.Action = "No single model errs so rarely.", "Use ours if the fewer errors are worth its cost."
	case NotWorthIt:
		why, h.Action = cheaper(v), alone(v)
	case SameAs:
		h.Result = fmt.Sprintf("At this target ours asks %s on every test record: a cascade adds nothing.",
			short(v.Single))
		h.Action = fmt.Sprintf("Ask %s alone.", short(v.Single))
		return
	default:
		h.Verdict = NotShown
		why, h.Action = saving(v), alone(v)+" More test records may decide."
		if v.Saved.Low > 0 {
			why += fmt.Sprintf(" But it is not shown that the %s of ours is within %s points of %s alone.", o.word(),
				note.Percent(v.Margin), short(v.Than))
		}
	}
	h.Result = fmt.Sprintf("The %s of ours is %s. %s", o.word(), relative(v.Error, v.Than), why)
}

func saving(v *result.Rival) string {
	switch {
	case v.Saved.Value < 0:
		return cheaper(v)
	case v.P == 0 && v.First == v.Than:
		return fmt.Sprintf("Ours costs %s less than %s alone.", share(v.Saved), short(v.First))
	case v.P == 0:
		return fmt.Sprintf("Ours costs %s less than %s alone, which errs %s.", share(v.Saved), short(v.First),
			note.AtMost(v.Margin))
	}
	return fmt.Sprintf("Ours costs %s less than t%s.", share(v.Saved), mix(v))
}

func cheaper(v *result.Rival) string {
	less := share(note.Negative(v.Saved))
	switch {
	case v.P == 0 && v.First == v.Than:
		return fmt.Sprintf("%s alone costs %s less.", short(v.First), less)
	case v.P == 0:
		return fmt.Sprintf("%s alone costs %s less, and errs %s.", short(v.First), less, note.AtMost(v.Margin))
	}
	return fmt.Sprintf("T%s costs %s less.", mix(v), less)
}

// mix is the cheapest mix of two models that errs no more than the margin allows, without its first letter.
func mix(v *result.Rival) string {
	return fmt.Sprintf("he cheapest random mix that errs %s (%s %% %s, the rest %s)", note.AtMost(v.Margin),
		note.Percent(1-v.P), short(v.First), short(v.Second))
}

func alone(v *result.Rival) string {
	if v.P == 0 {
		return fmt.Sprintf("Ask %s alone.", short(v.First))
	}
	return fmt.Sprintf("Without a cascade: ask %s for %s %% of the queries at random, %s for the rest.", short(v.First),
		note.Percent(1-v.P), short(v.Second))
}

// target says whether ours keeps a target that is a number. One that is missed is more than a remark.
func (o *outcome) target(h *Headline) {
	allowed, ok := o.allowed()
	if !ok {
		return
	}
	says := "is within the interval of ours: whether it is kept is open."
	switch e := o.ours.Error; {
	case e.Low > allowed:
		says = "is exceeded on the test part."
		if h.Verdict == WorthIt || h.Verdict == ErrsLess {
			h.Verdict, h.Action = ErrsMore, "It errs more than you allow: set a stricter target, or fit on more records."
		}
	case e.High <= allowed:
		says = "is kept on the test part."
	}
	h.Remarks = append(h.Remarks, fmt.Sprintf("The allowed %s of %s %% %s", o.word(), note.Percent(allowed), says))
}

// allowed is the error that a target allows which is a number.
func (o *outcome) allowed() (rate float64, ok bool) {
	_, err := strconv.ParseFloat(o.c.Target, 64)
	return o.d.Budget.Errors / float64(o.d.Budget.Records), err == nil && o.d.Budget.Records > 0
}
