package reports

import (
	"fmt"
	"strconv"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/metrics/infer"
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
func (o *outcome) last() string { return lastOf(o.c.Models) }

func lastOf(models []string) string {
	if len(models) == 0 {
		return ""
	}
	return short(models[len(models)-1])
}

// mix is the cheapest mix of two models that errs no more than the margin allows.
func (o *outcome) mix() string {
	v := o.ours.Rival
	return fmt.Sprintf("the cheapest random mix that errs %s (%s %% %s, the rest %s)", note.AtMost(v.Margin),
		note.Percent(1-v.P), short(v.First), short(v.Second))
}

// alone is the advice to do without a cascade.
func (o *outcome) alone() string {
	v := o.ours.Rival
	if v.P == 0 {
		return fmt.Sprintf("Ask %s alone.", short(v.First))
	}
	return fmt.Sprintf("Without a cascade: ask %s for %s %% of the queries at random, %s for the rest.", short(v.First),
		note.Percent(1-v.P), short(v.Second))
}

// savedWords says what ours saves of the master's cost, by each query's own cost too where that matters.
func (o *outcome) savedWords() string {
	text := saves(o.ours.Saved, o.last()+"'s cost")
	if own := o.ours.SavedPerQuery; ownCostDiffers(o.ours) {
		if o.ours.Saved.Value < 0 {
			own = note.Negative(own)
		}
		text += fmt.Sprintf(" (%s by each query's own cost)", percentWords(own))
	}
	return text
}

// saves words a saving in percent of something.
func saves(iv infer.Interval, of string) string {
	if iv.Value < 0 {
		return fmt.Sprintf("costs %s more than %s", percentWords(note.Negative(iv)),
			strings.TrimSuffix(of, "'s cost")+" alone")
	}
	return fmt.Sprintf("saves %s of %s", percentWords(iv), of)
}

// errorWords sets the error of ours beside that of the better single model.
func (o *outcome) errorWords() string {
	v := o.ours.Rival
	return o.errorAlone() + ", " + relative(v.Error, v.Than)
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

// single says what one threshold does where a threshold per class errs more than its rival.
func (o *outcome) single(v Verdict) []string {
	r := o.row(ourSingle)
	if v != ErrsMore || o.ours.Policy != ourMulti || r == nil || r.Rival == nil || !finite(r.Saved) ||
		o.ours.Rival == nil {
		return nil
	}
	return []string{fmt.Sprintf("One threshold for all classes %s; its %s is %s.",
		saves(r.Saved, o.last()+"'s cost"), o.word(), relative(r.Rival.Error, r.Rival.Than))}
}

// promise says what a guarantee came to, where the study asks for one: that of the form of ours, or else
// that of another form which could be given.
func (o *outcome) promise() []string {
	own, given := o.promises()
	switch {
	case own == nil:
		return nil
	case own.Certified:
		return []string{"With the guarantee (" + o.promised(own) + ") it " + saves(own.Saved, o.last()+"'s cost") + "."}
	case given == nil:
		return []string{"The guarantee that the study asks for could not be given."}
	}
	return []string{"The guarantee could not be given for this form; " + short(given.Title) + " has it (" +
		o.promised(given) + ") and " + saves(given.Saved, o.last()+"'s cost") + "."}
}

// promises are the rows with a guarantee: of the form of ours, or else of another; and one whose guarantee is given.
func (o *outcome) promises() (own, given *result.Row) {
	for i := range o.d.Rows {
		r := &o.d.Rows[i]
		if r.Promise == nil {
			continue
		}
		if strings.HasPrefix(r.Policy, o.ours.Policy+"-") {
			own = r
		}
		if r.Certified {
			given = r
		}
		if own == nil {
			own = r
		}
	}
	return own, given
}

// promised words a guarantee.
func (o *outcome) promised(r *result.Row) string {
	what := fmt.Sprintf("%s at most %s %%", o.word(), note.Percent(r.Promise.Level))
	if r.Promise.Reference != "" {
		what += fmt.Sprintf(" above that of the %s", r.Promise.Reference)
	}
	if r.Promise.Delta > 0 {
		what += fmt.Sprintf(" with probability %s", strconv.FormatFloat(1-r.Promise.Delta, 'g', -1, 64))
	} else {
		what += " on average"
	}
	what += ", on records drawn like these"
	if r.Promise.Largest > 0 {
		what += fmt.Sprintf(", in groups of at most %d", r.Promise.Largest)
	}
	return what
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
		bare(note.Negative(f.DiffSaved)))
	if finite(f.DiffError) && (f.DiffError.Value != 0) {
		text += fmt.Sprintf(" (its error is %s)", differs(note.Negative(f.DiffError)))
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
