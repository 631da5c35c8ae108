package reports

import (
	"fmt"
	"strconv"

	"infnet/harness/result"
	"infnet/metrics/infer"
)

// leastTest is the number of test records below which a headline draws no conclusion: percentile
// intervals of so few are too narrow to rest on.
const leastTest = 20

// conclude fills in the verdict and the words.
func (o *outcome) conclude(h *Headline) {
	for _, stop := range []func(*Headline) bool{o.incomplete, o.nothing, o.cannot, o.infeasible, o.few} {
		if stop(h) {
			return
		}
	}
	switch v := o.ours.Rival; {
	case v == nil:
		o.uncompared(h)
	case v.Verdict == "unrivaled":
		o.unrivalled(h)
	case v.Free || v.Verdict == "costlier":
		o.notWorth(h)
	case v.Verdict == "equal":
		o.same(h)
	case v.Verdict == "cheaper" && !o.ownDenies():
		o.worth(h)
	default:
		o.notShown(h)
	}
	o.target(h)
	h.Remarks = append(h.Remarks, o.single(h.Verdict)...)
	h.Remarks = append(h.Remarks, o.promise()...)
	h.Remarks = append(h.Remarks, o.extra()...)
	if better := o.beaten(); better != "" {
		h.Remarks = append(h.Remarks, better)
		if h.Verdict == WorthIt || h.Verdict == Unrivalled {
			h.Action = "Look at that baseline first."
		}
	}
	h.Sufficiency = sufficiencyWords(o.d.Sufficiency)
	if said := o.notTheirs(); said != "" {
		h.Action = said
	}
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
		h.Action = fmt.Sprintf("Allow more errors, or take another master; the rows show the thresholds of fewest errors, "+
			"with %s %s on the test part.", o.word(), share(o.ours.Error))
		return true
	}
	return false
}

// few: hardly any test records.
func (o *outcome) few(h *Headline) bool {
	n := o.d.Counts.Test
	if n >= leastTest {
		return false
	}
	h.Verdict = TooFew
	h.Result = fmt.Sprintf("The test part has only %s: too few for a conclusion.", plural(n, "record"))
	h.Action = "Use more records."
	return true
}

// ownDenies reports whether what ours saves by each query's own cost is not shown to be above zero, where
// its rival is the master, of whose cost the saving is a share.
func (o *outcome) ownDenies() bool {
	own := o.ours.SavedPerQuery
	return o.againstMaster() && own.N > 0 && !(own.Low > 0)
}

// againstMaster reports whether the rival is the master alone.
func (o *outcome) againstMaster() bool {
	v := o.ours.Rival
	return v != nil && v.P == 0 && short(v.First) == lastOf(o.c.Models)
}

// worth: ours is cheaper than any single model that errs no more on the fit part.
func (o *outcome) worth(h *Headline) {
	v := o.ours.Rival
	h.Verdict = WorthIt
	h.Result = "Ours " + o.savedWords() + o.errorWords() + "."
	if !o.againstMaster() {
		h.Result = fmt.Sprintf("Ours %s%s. It costs %s of what %s costs, the cheapest way without a cascade to err "+
			"no more on the fit part, and its %s is %s.", o.savedWords(), o.errorAlone(), costShare(v.Cost), o.rivalName(),
			o.word(),
			differs(v.Error))
	}
	margin := o.margin(v.Error)
	switch {
	case v.Error.Low > 0:
		h.Verdict = ErrsMore
		h.Action = "Ours errs more: use it only if that is worth the saving."
	case margin > 0:
		h.Action = fmt.Sprintf("Use it if %s up to %s points above that of %s is acceptable: the data do not exclude it.",
			article(o.word())+" "+o.word(), points(margin), o.rivalName())
	default:
		h.Action = "Use it."
	}
}

// notWorth: a single model, or a coin, is cheaper.
func (o *outcome) notWorth(h *Headline) {
	v := o.ours.Rival
	h.Verdict = NotWorthIt
	if v.Free {
		h.Result = fmt.Sprintf("Not worth it: %s costs nothing and errs no more on the fit part.", o.rivalName())
	} else {
		h.Result = fmt.Sprintf("Not worth it: ours costs %s of what %s costs, which errs no more on the fit part.",
			costShare(v.Cost), o.rivalName())
	}
	h.Result += fmt.Sprintf(" On the test part the %s of ours is %s (%s).", o.word(), differs(v.Error),
		share(o.ours.Error))
	h.Action = o.alone()
	if v.Error.High < 0 {
		h.Action += " Ours only if the fewer errors are worth its price."
	}
}

// same: ours does what its rival does.
func (o *outcome) same(h *Headline) {
	h.Verdict = SameAs
	h.Result = fmt.Sprintf("At this target ours costs what %s costs (%s %s): a cascade has nothing to add.",
		o.rivalName(), o.word(), share(o.ours.Error))
	h.Action = o.alone()
}

// notShown: the interval of the cost holds both.
func (o *outcome) notShown(h *Headline) {
	v := o.ours.Rival
	h.Verdict = NotShown
	h.Result = "Not shown to be worth it: ours " + o.savedWords() + o.errorWords() + "."
	if !o.againstMaster() && v.Cost != nil {
		h.Result = fmt.Sprintf("Not shown to be worth it: ours costs %s of what %s costs, which errs no more on the "+
			"fit part; "+
			"its %s is %s.", costShare(v.Cost), o.rivalName(), o.word(), differs(v.Error))
	}
	h.Action = o.alone() + " More test records may decide."
}

// uncompared: the results hold no comparison with single models.
func (o *outcome) uncompared(h *Headline) {
	h.Verdict = NotShown
	h.Result = "Ours " + o.savedWords() + o.errorAlone() + "."
	h.Action = "Whether a single model would do as well was not compared: analyse the study again."
}

// unrivalled: no single model errs so rarely on the fit part, so ours is set beside the master.
func (o *outcome) unrivalled(h *Headline) {
	saved := o.shown()
	h.Verdict = Unrivalled
	h.Result = "Ours " + o.savedWords() + o.errorAlone()
	if o.master != nil && finite(o.master.Error) {
		h.Result += fmt.Sprintf(", against %s of %s alone", share(o.master.Error), o.last())
	}
	h.Result += "; no single model errs so rarely on the fit part."
	fewer, more := o.tested()
	switch {
	case more:
		h.Verdict = ErrsMore
		h.Action = "On the test part it errs more than " + o.last() + ": use it only if that is worth the saving."
	case saved.Low > 0 && fewer:
		h.Action = "It errs less than " + o.last() + " and costs less: use it."
	case saved.Low > 0:
		h.Action = fmt.Sprintf("Use it to save cost; that its %s differs from that of %s is not shown on the test part%s.",
			o.word(), o.last(), o.onlyRight())
	case fewer:
		h.Action = "Use it if the fewer errors are worth its cost."
	default:
		h.Verdict = NotShown
		h.Action = fmt.Sprintf("Neither a saving nor fewer errors than %s are shown: more test records may decide.", o.last())
	}
}

// pairedTest is the paired test of right and wrong between ours and the master; nil = there is none.
func (o *outcome) pairedTest() *result.Test {
	for i := range o.d.Tests {
		if t := &o.d.Tests[i]; t.Ours == o.ours.Policy && t.Baseline == "all" && t.What == "correct" {
			return t
		}
	}
	return nil
}

// tested says whether that test, adjusted over the datasets, tells ours from the master. Where errors are soft, right
// and wrong are not what the row counts, so the soft errors have to differ in the same direction.
func (o *outcome) tested() (fewer, more bool) {
	t := o.pairedTest()
	if t == nil || !(t.Holm <= 1-o.s.Level) {
		return false, false
	}
	fewer, more = t.Difference > 0, t.Difference < 0
	if o.d.Soft && o.master != nil {
		fewer = fewer && o.ours.Error.Value < o.master.Error.Value
		more = more && o.ours.Error.Value > o.master.Error.Value
	}
	return fewer, more
}

// onlyRight counts the records on which ours and the master are not both right or both wrong, so that a test that
// finds nothing among few records does not read as proof of equality.
func (o *outcome) onlyRight() string {
	t := o.pairedTest()
	if t == nil || t.Tossed || t.OnlyOurs+t.OnlyTheirs == 0 {
		return ""
	}
	return fmt.Sprintf(" (right where the other is wrong: ours on %d records, %s on %d)", t.OnlyOurs, o.last(),
		t.OnlyTheirs)
}

// target says whether ours keeps a target that is a number. One that is missed is more than a remark.
func (o *outcome) target(h *Headline) {
	if _, err := strconv.ParseFloat(o.c.Target, 64); err != nil || o.d.Budget.Records == 0 {
		return
	}
	allowed := o.d.Budget.Errors / float64(o.d.Budget.Records)
	e, what := o.ours.Error, fmt.Sprintf("The allowed %s of %s %%", o.word(), points(allowed))
	switch {
	case e.Low > allowed:
		h.Remarks = append(h.Remarks, what+" is exceeded on the test part.")
		if h.Verdict == WorthIt || h.Verdict == Unrivalled {
			h.Verdict, h.Action = ErrsMore, "It errs more than you allow: set a stricter target, or fit on more records."
		}
	case e.High <= allowed:
		h.Remarks = append(h.Remarks, what+" is kept on the test part.")
	default:
		h.Remarks = append(h.Remarks, what+" is within that interval: whether it is kept is open.")
	}
}

// margin is how much more than its rival ours may err: the upper end of the interval. Where the two are wrong
// on the same records the bootstrap has nothing to draw from, and the exact bound of a rate of 0 takes its place.
func (o *outcome) margin(d infer.Interval) float64 {
	if alike(d) && d.N > 0 {
		if exact, err := infer.ClopperPearson(0, d.N, o.s.Level); err == nil {
			return exact.High
		}
	}
	return d.High
}

// shown is the saving of which a conclusion may speak: by each query's own cost where that is known and lower.
func (o *outcome) shown() infer.Interval {
	if own := o.ours.SavedPerQuery; own.N > 0 && finite(own) && own.Low < o.ours.Saved.Low {
		return own
	}
	return o.ours.Saved
}
