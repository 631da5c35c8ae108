package reports

import (
	"fmt"

	"infnet/harness/pool"
	"infnet/harness/result/note"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// ofRival words the comparison with a single model; "" = it is another caveat.
func ofRival(c note.Caveat) string {
	switch c := c.(type) {
	case note.Rival:
		return rivalWords(c)
	case note.Slower:
		return fmt.Sprintf("It takes time: the median query %.2g times, and the 99th percentile %.2g times, as long as with "+
			"%s alone.", c.P50, c.P99, short(c.Than))
	case note.RouterPart:
		return fmt.Sprintf("The router learned from %d of the %d fit records, drawn at random.", c.Learned, c.Of)
	case note.NoTexts:
		return "No router: it reads the queries' texts, and there are none. The prompt of the dataset would name their " +
			"column."
	}
	return ""
}

// rivalWords says in a line whether a policy is worth it, and at which price ratio that changes.
func rivalWords(r note.Rival) string {
	than := fmt.Sprintf("it errs %s than %s alone", pointsWords(r.Error), short(r.Than))
	text := "Worth it? "
	switch {
	case r.Unheld:
		return text + "That cannot be said: no rows were held out, and those that fit thresholds flatter them."
	case r.Verdict == string(pool.Same):
		return text + fmt.Sprintf("It is %s alone.", short(r.Single))
	case !r.Priced:
		text += "That depends on the prices, which are not known."
	case r.Verdict == string(pool.NotWorthIt):
		text += fmt.Sprintf("No: %s costs %s less and errs %s; %s.", asking(r), shareWords(negative(r.Saved)),
			atMost(r.Margin), than)
	case r.Verdict == string(pool.WorthIt):
		text += fmt.Sprintf("Yes: it costs %s less than %s, the cheapest way without a cascade to err %s, and %s.",
			shareWords(r.Saved), asking(r), atMost(r.Margin), than)
	case r.Verdict == string(pool.ErrsLess):
		text += fmt.Sprintf("No single model errs so rarely: %s.", than)
	default:
		answer := "Not shown"
		if r.Verdict == string(pool.ErrsMore) {
			answer = "It errs more"
		}
		text += fmt.Sprintf(answer+": it saves %s of the cost of %s, which errs %s; %s.", shareWords(r.Saved), asking(r),
			atMost(r.Margin), than)
	}
	if turn := turnWords(r); turn != "" {
		text += " " + turn
	}
	return text
}

// asking names a rival as an activity.
func asking(r note.Rival) string {
	if r.P == 0 {
		return fmt.Sprintf("asking %s alone", short(r.First))
	}
	return fmt.Sprintf("asking %s for %s %% of the queries at random and %s for the rest", short(r.First), points(1-r.P),
		short(r.Second))
}

// turnWords says at which price ratio the comparison changes.
func turnWords(r note.Rival) string {
	t := r.Turn
	switch {
	case t == nil:
		return ""
	case t.BreakEven.High == 0 && t.BreakEven.Method == byDefinition:
		return fmt.Sprintf("No price changes that: %s alone errs %s.", short(t.Student), atMost(r.Margin))
	case t.BreakEven.High == 0:
		return fmt.Sprintf("No price changes that: too many queries are asked of %s.", short(t.Master))
	}
	text := fmt.Sprintf("The cascade is cheaper while %s costs less than %s of %s", short(t.Student),
		shareWords(t.BreakEven),
		short(t.Master))
	if r.Priced {
		return text + fmt.Sprintf("; here it costs %.1f %%.", 100*t.Ratio)
	}
	return text + "."
}

// byDefinition is the method of an interval that is no estimate.
const byDefinition = "by definition"

// pointsWords is a difference of errors, in percentage points.
func pointsWords(d infer.Interval) string {
	word := "more"
	if d.Value < 0 {
		word, d.Value, d.Low, d.High = "less", -d.Value, -d.High, -d.Low
	}
	points := func(v float64) string { return table.Exactly(v, 2).AsPercent().String() }
	return fmt.Sprintf("%s points %s [%s, %s]", points(d.Value), word, points(d.Low), points(d.High))
}

// shareWords is a share of a cost with its interval, in percent.
func shareWords(iv infer.Interval) string {
	if iv.High-iv.Low < 1e-9 { // by definition, but for the order of sums
		return fmt.Sprintf("%.1f %%", 100*iv.Value)
	}
	return fmt.Sprintf("%.1f %% [%.1f, %.1f]", 100*iv.Value, 100*iv.Low, 100*iv.High)
}
