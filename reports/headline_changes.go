package reports

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"infnet/harness/result"
	"infnet/metrics/infer"
)

// recordsFor is how many test records would move the nearer end of an interval to a limit, at the same estimate: its
// width goes with the root of their number. With fewer an interval that misses the limit would hold it; with more,
// one that holds it would miss it.
func (o *outcome) recordsFor(iv infer.Interval, limit float64, fewer, more string) []result.Flip {
	half, word := iv.High-iv.Value, more
	if limit < iv.Value {
		half = iv.Value - iv.Low
	}
	if limit < iv.Low || limit > iv.High {
		word = fewer
	}
	n := float64(o.d.Counts.Test)
	if u := o.ours.Rival; u != nil && u.Units > 0 {
		n = float64(u.Units)
	}
	root := half / (limit - iv.Value)
	factor := root * root
	if !finite(iv) || !(factor >= 0.01 && factor <= 100) || math.Round(factor*n) < 1 {
		return []result.Flip{{Change: result.FlipRecords, Now: n}}
	}
	return []result.Flip{{Change: result.FlipRecords, Now: n, To: math.Round(factor * n), Verdict: word}}
}

// flipOrder is the order in which changes are told.
var flipOrder = []string{result.FlipGrades, result.FlipRatio, result.FlipBudget, result.FlipAllowed, result.FlipDelta,
	result.FlipRecords, result.FlipTested}

// flipLine adds the changes that flip one sentence, in one line, those that lead to the same together.
func (o *outcome) flipLine(lines []string, subject string, flips []result.Flip, words func(to string) string) []string {
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
				said[to] = append(said[to], o.flipWords(f))
			}
		}
	}
	if len(order) == 0 {
		return lines
	}
	for k, to := range order {
		order[k] = to + " " + either(said[to], " or ")
	}
	text := subject + strings.Join(order, "; ")
	if len(none) > 0 {
		text += "; no other " + strings.Join(none, " or ") + " would change that"
	}
	return append(lines, text+".")
}

// either joins alternatives.
func either(list []string, or string) string {
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return strings.Join(list[:last], ", ") + or + list[last]
}

// flipWords is one change in words.
func (o *outcome) flipWords(f result.Flip) string {
	switch f.Change {
	case result.FlipGrades:
		from, to := "wrong", "right"
		if f.Wrong {
			from, to = to, from
		}
		return fmt.Sprintf("with %s of %s graded %s (of %.0f)", plural(int(f.To), from+" answer"), short(f.Model), to, f.Now)
	case result.FlipRatio:
		to, same := three(f.To), ""
		if v, err := strconv.ParseFloat(to, 64); err == nil && math.Abs(v-f.Now) < math.Abs(f.To-f.Now) {
			to = strconv.FormatFloat(f.To, 'g', 5, 64) // what is printed does flip it
		}
		switch {
		case f.Cascade != nil:
			same = fmt.Sprintf(" of %s to %s", short(f.Model), lastOf(f.Cascade))
		case f.Model != "":
			same = fmt.Sprintf(" of %s to %s", short(f.Model), o.last())
		case len(o.c.Models) > 2:
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
	if f.Now < float64(o.d.Counts.Test) {
		what = "groups"
	}
	return fmt.Sprintf("with about %s %s (now %.0f)", three(f.To), what, f.Now)
}

// three is a number to three significant digits.
func three(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
