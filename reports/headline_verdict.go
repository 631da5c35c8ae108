package reports

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"infnet/harness/pool"
	"infnet/harness/result/note"
)

// conclude fills in the verdict and the words.
func (o *outcome) conclude(h *Headline) {
	for _, stop := range []func(*Headline) bool{o.incomplete, o.nothing, o.cannot, o.infeasible, o.few} {
		if stop(h) {
			switch h.Verdict {
			case Infeasible:
				h.Remarks = append(h.Remarks, o.priced()...)
			case TooFew:
				h.Flips = []string{fmt.Sprintf("It would be judged from %d of them on.", pool.LeastUnits)}
			}
			return
		}
	}
	o.judge(h)
	o.target(h)
	h.Result = opening[h.Verdict] + h.Result
	h.Remarks = append(h.Remarks, o.single(h.Verdict)...)
	h.Remarks = append(h.Remarks, o.promise()...)
	h.Remarks = append(h.Remarks, o.extra()...)
	h.Remarks = append(h.Remarks, o.priced()...)
	if better := o.beaten(); better != "" {
		h.Remarks = append(h.Remarks, better)
		if h.Verdict == WorthIt || h.Verdict == ErrsLess {
			h.Action = "Look at that baseline first."
		}
	}
	if said := o.notTheirs(); said != "" {
		h.Action = said
	}
	tested, found := sufficiencyWords(o.d.Sufficiency)
	h.Sufficiency = tested
	h.Flips = o.flips(h)
	if h.why == "" {
		return
	}
	if !found {
		tested = ""
	}
	h.brief = h.with(opening[h.Verdict]+h.why, tested, h.Action)
}

// nothing: there are no numbers of ours.
func (o *outcome) nothing(h *Headline) bool {
	if len(o.c.Models) > 0 && o.ours != nil && finite(o.ours.Error) && finite(o.ours.Saved) {
		return false
	}
	h.Verdict, h.Result = Nothing, "No result: our policy has no numbers on this dataset."
	h.Action = "See the table of records for what is missing."
	return true
}

// incomplete: no conclusion is drawn from what is there.
func (o *outcome) incomplete(h *Headline) bool {
	n := o.d.Counts
	lost := n.Records - n.Used
	if !o.c.Incomplete || lost == 0 {
		return false
	}
	h.Verdict = Incomplete
	h.Result = fmt.Sprintf("INCOMPLETE: %d of %s lack an answer%s, and the study allows fewer.", lost,
		plural(n.Records, "record"), causes(n.Missing))
	h.Action = "No conclusion until they are there."
	return true
}

// cannot: the models cannot do the task.
func (o *outcome) cannot(h *Headline) bool {
	for _, n := range o.d.Notes {
		if n.Kind == "near-zero" || n.Kind == "chance" {
			h.Verdict, h.Result = NoSignal, n.Text
			h.Action = "Check labels and prompt, or take other models."
			return true
		}
	}
	return false
}

// infeasible: the rows show thresholds of least error, which miss the budget.
func (o *outcome) infeasible(h *Headline) bool {
	for _, p := range o.d.Policies {
		if p.Policy != o.ours.Policy || !infeasible(&p) {
			continue
		}
		h.Verdict = Infeasible
		h.Result = fmt.Sprintf("The budget cannot be met: target %s allows %s errors on the %s of the fit part, and the "+
			"fewest that any thresholds make are %s.", o.c.Target, errorCount(p.Budget),
			plural(o.d.Budget.Records, "record"), errorCount(p.MinErrors))
		h.Flips = []string{fmt.Sprintf("The budget could be met from a target of %s down (%s errors).",
			three(math.Floor(1000*(1-p.MinErrors/float64(o.d.Budget.Records)))/1000), errorCount(p.MinErrors))}
		h.Action = fmt.Sprintf("Allow more errors, or take another master; the rows show the thresholds of fewest errors, "+
			"with %s %s on the test part.", o.word(), share(o.ours.Error))
		return true
	}
	return false
}

// few: hardly any test records, or groups of them.
func (o *outcome) few(h *Headline) bool {
	n, what := o.d.Counts.Test, "record"
	if v := o.ours.Rival; v != nil && v.Units > 0 && v.Units < n {
		n, what = v.Units, "group"
	}
	if n >= pool.LeastUnits {
		return false
	}
	h.Verdict = TooFew
	h.Result = fmt.Sprintf("The test part has only %s: too few for a conclusion.", plural(n, what))
	h.Action = "Use more records."
	return true
}

// opening is how the sentence of a verdict begins.
var opening = map[Verdict]string{WorthIt: "Worth it. ", ErrsMore: "Errs more. ", ErrsLess: "Errs less. ",
	NotWorthIt: "Not worth it. ", SameAs: "A single model. ", NotShown: "Not shown to be worth it. "}

// judge words what became of the claim that ours is worth it.
func (o *outcome) judge(h *Headline) {
	v := o.ours.Rival
	if v == nil {
		h.Verdict = NotShown
		h.Result = "Ours " + o.savedWords() + o.errorAlone() + "."
		h.Action = "Whether a single model would do as well was not compared: analyse the study again."
		return
	}
	h.Verdict = Verdict(strings.ReplaceAll(v.Verdict, " ", "-"))
	switch h.Verdict {
	case WorthIt:
		h.why, h.Action = o.saving(), "Use it."
	case ErrsMore:
		h.why = o.saving()
		h.Action = "Use ours only if the saving is worth the errors."
	case ErrsLess:
		h.why = "No single model errs so rarely."
		h.Action = "Use ours if the fewer errors are worth its cost."
	case NotWorthIt:
		h.why, h.Action = o.cheaper(), o.alone()
	case SameAs:
		h.Result = fmt.Sprintf("At this target ours asks %s on every test record%s: a cascade adds nothing.",
			short(v.Single), o.errorAlone())
		h.Action = fmt.Sprintf("Ask %s alone.", short(v.Single))
		return
	default:
		h.Verdict = NotShown
		h.why, h.Action = o.lacking(), o.alone()+" More test records may decide."
	}
	h.Result = fmt.Sprintf("Ours %s%s. %s", o.savedWords(), o.errorWords(), h.why)
}

// lacking says what is not shown.
func (o *outcome) lacking() string {
	v := o.ours.Rival
	if v.Saved.Low > 0 {
		return fmt.Sprintf("%s But it is not shown that the %s of ours is within %s points of %s alone.", o.saving(),
			o.word(), note.Percent(v.Margin), short(v.Than))
	}
	return o.saving()
}

// saving sets the cost of ours beside that of its rival.
func (o *outcome) saving() string {
	v := o.ours.Rival
	switch {
	case v.Saved.Value < 0:
		return o.cheaper()
	case v.P == 0 && v.First == v.Than:
		return fmt.Sprintf("Ours costs %s less than %s alone.", share(v.Saved), short(v.First))
	case v.P == 0:
		return fmt.Sprintf("Ours costs %s less than %s alone, which errs %s.", share(v.Saved), short(v.First),
			note.AtMost(v.Margin))
	}
	return fmt.Sprintf("Ours costs %s less than %s.", share(v.Saved), o.mix())
}

// cheaper says what the rival costs less than ours.
func (o *outcome) cheaper() string {
	v := o.ours.Rival
	less := share(note.Negative(v.Saved))
	if v.P == 0 && v.First == v.Than {
		return fmt.Sprintf("%s alone costs %s less.", short(v.First), less)
	}
	if v.P == 0 {
		return fmt.Sprintf("%s alone costs %s less, and errs %s.", short(v.First), less, note.AtMost(v.Margin))
	}
	return fmt.Sprintf("%s costs %s less.", "T"+o.mix()[1:], less)
}

// target says whether ours keeps a target that is a number. One that is missed is more than a remark.
func (o *outcome) target(h *Headline) {
	allowed, ok := o.allowed()
	if !ok {
		return
	}
	e, what := o.ours.Error, fmt.Sprintf("The allowed %s of %s %%", o.word(), note.Percent(allowed))
	switch {
	case e.Low > allowed:
		h.Remarks = append(h.Remarks, what+" is exceeded on the test part.")
		if h.Verdict == WorthIt || h.Verdict == ErrsLess {
			h.Verdict, h.Action = ErrsMore, "It errs more than you allow: set a stricter target, or fit on more records."
		}
	case e.High <= allowed:
		h.Remarks = append(h.Remarks, what+" is kept on the test part.")
	default:
		h.Remarks = append(h.Remarks, what+" is within the interval of ours: whether it is kept is open.")
	}
}

// allowed is the error that a target allows which is a number.
func (o *outcome) allowed() (rate float64, ok bool) {
	_, err := strconv.ParseFloat(o.c.Target, 64)
	return o.d.Budget.Errors / float64(o.d.Budget.Records), err == nil && o.d.Budget.Records > 0
}
