package reports

import (
	"fmt"
	"math"

	"infnet/harness/result"
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

// rivalWords says in a line whether a policy is cheaper than the best single model
// of no more error, and at which price ratio that changes.
func rivalWords(r note.Rival) string {
	text := "Worth it? "
	switch {
	case !r.Found:
		return text + "No single model, and no coin between two, errs so rarely on the fit part: there is nothing to " +
			"compare with."
	case !r.Priced:
		text += "That depends on the prices, which are not known."
	case r.Free:
		text += fmt.Sprintf("No: %s costs nothing and errs no more on the fit part.", asking(r))
	case r.Verdict == "equal":
		return text + fmt.Sprintf("It does and costs the same as %s.", asking(r))
	case r.Verdict == "costlier":
		text += fmt.Sprintf("No: %s is cheaper. This policy costs %s of that on the %s and errs %s.",
			asking(r), shareWords(r.Cost), r.Part, moreErrors(r))
	case r.Verdict == "cheaper":
		text += fmt.Sprintf("Yes: it costs %s of what %s costs on the %s, the cheapest way to err no more without a "+
			"cascade, "+
			"and errs %s.", shareWords(r.Cost), asking(r), r.Part, moreErrors(r))
	default:
		text += fmt.Sprintf("Not shown: it costs %s of what %s costs on the %s, and errs %s.",
			shareWords(r.Cost), asking(r), r.Part, moreErrors(r))
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
	return fmt.Sprintf("tossing a coin between %s and %s (%.3g to %.3g)", short(r.First), short(r.Second), 1-r.P, r.P)
}

// turnWords says at which price ratio the comparison changes.
func turnWords(r note.Rival) string {
	t := r.Turn
	switch {
	case t == nil:
		return ""
	case t.BreakEven.High == 0 && t.BreakEven.Method == byDefinition:
		return fmt.Sprintf("No price changes that: %s alone errs no more on the fit part.", short(t.Student))
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

// moreErrors is a difference of errors in words.
func moreErrors(r note.Rival) string { return pointsWords(r.Error) }

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

// rivalCells are the data of a comparison with a single model; empty where there is none.
func rivalCells(r *result.Rival) []table.Cell {
	nan := math.NaN()
	name, share, ratio, turn := "", infer.Interval{Value: nan, Low: nan, High: nan}, nan, infer.Interval{Value: nan,
		Low: nan, High: nan}
	if r != nil {
		name = r.First
		if r.P > 0 {
			name = fmt.Sprintf("%s %.4g, %s %.4g", r.First, 1-r.P, r.Second, r.P)
		}
		if r.Cost != nil {
			share = *r.Cost
		}
		if r.BreakEven != nil {
			ratio, turn = r.Ratio, *r.BreakEven
		}
	}
	return []table.Cell{
		table.Of(table.Plain(name)), table.Of(table.Num(table.Estimated(share.Value, share.Low, share.High, 4))),
		table.Of(table.Num(table.Exactly(ratio, 4))),
		table.Of(table.Num(table.Estimated(turn.Value, turn.Low, turn.High, 4))),
	}
}
