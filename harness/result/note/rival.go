package note

import (
	"fmt"

	"infnet/harness/pool"
	"infnet/harness/result"
)

// SingleModel is the kind of the comparison with a single model.
const SingleModel Kind = "single-model"

// Worth says in a line whether a policy is worth it, and at which ratio of the student's price to the master's that
// changes. nil = no rows were held out; a comparison without a verdict is one whose costs are not known.
func Worth(r *result.Rival, student, master string) Note {
	if r == nil {
		return Say(SingleModel, "Worth it? That cannot be said: no rows were held out, and those that fit thresholds "+
			"flatter them.")
	}
	n := Say(SingleModel, "Worth it? %s", verdict(r))
	if r.BreakEven != nil && r.Verdict != string(pool.Same) {
		n.Text += " " + turn(r, name(student), name(master))
	}
	return n
}

func verdict(r *result.Rival) string {
	than := fmt.Sprintf("it errs %s than %s alone", Points(r.Error), name(r.Than))
	word, saved := "less", r.Saved
	if saved.Value < 0 {
		word, saved = "more", Negative(saved)
	}
	answer := "Not shown"
	switch r.Verdict {
	case string(pool.Same):
		return fmt.Sprintf("It is %s alone.", name(r.Single))
	case "":
		return "That depends on the prices, which are not known."
	case string(pool.NotWorthIt):
		return fmt.Sprintf("No: %s; %s.", Cheaper(r), than)
	case string(pool.WorthIt):
		return fmt.Sprintf("Yes: it costs %s less than %s, the cheapest way without a cascade to err %s, and %s.",
			ShareOfCost(r.Saved), asking(r), AtMost(r.Margin), than)
	case string(pool.ErrsLess):
		return fmt.Sprintf("No single model errs so rarely: %s.", than)
	case string(pool.ErrsMore):
		answer = "It errs more"
	}
	return fmt.Sprintf("%s: it costs %s %s than %s, which errs %s; %s.", answer, ShareOfCost(saved), word, asking(r),
		AtMost(r.Margin), than)
}

// Cheaper says how a rival beats a policy that is not worth it.
func Cheaper(r *result.Rival) string {
	return fmt.Sprintf("%s costs %s less and errs %s", asking(r), ShareOfCost(Negative(r.Saved)), AtMost(r.Margin))
}

// asking names a rival as an activity.
func asking(r *result.Rival) string {
	if r.P == 0 {
		return fmt.Sprintf("asking %s alone", name(r.First))
	}
	return fmt.Sprintf("asking %s for %s %% of the queries at random and %s for the rest", name(r.First), Percent(1-r.P),
		name(r.Second))
}

// turn says at which price ratio the comparison changes.
func turn(r *result.Rival, student, master string) string {
	switch even := r.BreakEven; {
	case even.High == 0 && even.Method == ByDefinition:
		return fmt.Sprintf("No price changes that: %s alone errs %s.", student, AtMost(r.Margin))
	case even.High == 0:
		return fmt.Sprintf("No price changes that: too many queries are asked of %s.", master)
	}
	text := fmt.Sprintf("The cascade is cheaper while %s costs less than %s of %s", student, ShareOfCost(*r.BreakEven),
		master)
	if r.Verdict != "" {
		text += fmt.Sprintf("; here it costs %.1f %%", 100*r.Ratio)
	}
	return text + "."
}

// name shortens names beyond reason.
func name(s string) string {
	const limit = 120
	if r := []rune(s); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}
