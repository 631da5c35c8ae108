// Package ci says what a night came to where a continuous integration reads it: JUnit XML, a Markdown summary,
// annotations of GitHub Actions, JSON, and the figure of the trend.
//
// It owns these forms and their words. It refuses to compare, to decide what is worse and to choose exit codes; the
// numbers are those of package compare and the place among the nights is that of package nights. Its opinion: the first
// line has the verdict, names of studies and records are never markup or commands, and a file for a
// machine says the same as the page for a person.
package ci

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/accept"
	"infnet/harness/compare"
	"infnet/harness/nights"
)

// Night is a comparison and its place in the history.
type Night struct {
	Comparison *compare.Comparison
	Date       string          // 2006-01-02
	History    *nights.History // with tonight; nil = none is kept
	Look       nights.Look     // of tonight; the zero value where no history is kept
}

// sorted are the quantities, the gravest first, and in their order among equals.
func (n *Night) sorted() []*compare.Quantity {
	out := make([]*compare.Quantity, len(n.Comparison.Quantities))
	for i := range out {
		out[i] = &n.Comparison.Quantities[i]
	}
	slices.SortStableFunc(out, func(a, b *compare.Quantity) int {
		return slices.Index(compare.Gravity, a.Verdict) - slices.Index(compare.Gravity, b.Verdict)
	})
	return out
}

// repeats reports a quantity that says the same as another one: their differences are proportional on every record, as
// those of accuracy and error are.
func repeats(q *compare.Quantity) bool { return q.SameAs != "" && q.Tested }

// number prints a value of a quantity: shares in percent, others to four digits.
func number(q *compare.Quantity, v float64) string {
	switch q.Metric {
	case accept.Error, accept.Deferred:
		return minus(strconv.FormatFloat(100*v, 'f', 1, 64)) + " %"
	case accept.Saved, accept.PerQuery:
		return minus(strconv.FormatFloat(v, 'f', 1, 64)) + " %"
	}
	text := minus(strconv.FormatFloat(v, 'g', 4, 64))
	if q.Unit != "" && q.Unit != "%" {
		text += " " + q.Unit
	}
	return text
}

// minus is a number with a minus sign, which is no hyphen.
func minus(number string) string {
	if rest, negative := strings.CutPrefix(number, "-"); negative {
		return "−" + rest
	}
	return number
}

// now prints the new value, and what it is at the accepted thresholds where that is what was tested.
func now(q *compare.Quantity) string {
	text := number(q, q.New.Value)
	if q.AtAccepted != nil {
		if at := number(q, *q.AtAccepted); at != text {
			text += ", at the accepted thresholds " + at
		}
	}
	return text
}

// change prints a difference with its interval, in points where the values are shares.
func change(q *compare.Quantity) string {
	one := func(v float64) string {
		text := ""
		switch q.Metric {
		case accept.Error, accept.Deferred:
			text = strconv.FormatFloat(100*v, 'f', 1, 64)
		case accept.Saved, accept.PerQuery:
			text = strconv.FormatFloat(v, 'f', 1, 64)
		default:
			text = strconv.FormatFloat(v, 'g', 3, 64)
		}
		if v > 0 {
			text = "+" + text
		}
		return minus(text)
	}
	text := one(q.New.Value - q.Old.Value)
	if q.Tested {
		text = fmt.Sprintf("%s [%s, %s]", one(q.Difference.Value), one(q.Difference.Low), one(q.Difference.High))
	}
	switch q.Metric {
	case accept.Error, accept.Deferred, accept.Saved, accept.PerQuery:
		text += " points"
	}
	return text
}

// evidence says on what a verdict rests.
func (n *Night) evidence(q *compare.Quantity) string {
	switch {
	case q.Tested:
		text := fmt.Sprintf("adjusted p %s, level %s", probability(q.Adjusted), probability(n.Comparison.Alpha))
		if q.Worsened > 0 || q.Improved > 0 {
			up, down := "worse", "better"
			if q.Direction == compare.Neither {
				up, down = "more", "less"
			}
			text += fmt.Sprintf("; on these records %d %s, %d %s", q.Worsened, up, q.Improved, down)
		}
		return text
	case q.Verdict == compare.Same:
		return "the same number"
	}
	return "not tested"
}

// probability prints a probability to two digits, and a very small one as a power.
func probability(p float64) string {
	if p > 0 && p < 0.001 {
		return strconv.FormatFloat(p, 'e', 1, 64)
	}
	return strconv.FormatFloat(p, 'g', 2, 64)
}

// sentence says one quantity in a line.
func (n *Night) sentence(q *compare.Quantity) string {
	return fmt.Sprintf("%s is %s: %s, before %s (%s); %s; cascade %s", q.What(), q.Verdict, now(q),
		number(q, q.Old.Value), change(q), n.evidence(q), q.Cascade)
}

// Place says where tonight is in the history; "" where none is kept.
func (n *Night) Place() string {
	h := n.History
	if h == nil || len(h.Nights) == 0 {
		return ""
	}
	last := n.line()
	var text string
	switch {
	case last.Verdict == nights.Incomplete:
		text = fmt.Sprintf("Night %d of the history: incomplete, so it is no look.", last.Number)
	case last.Look == 0:
		same := "every record is as in the accepted run"
		if len(n.Comparison.Gone) > 0 {
			same = "what both runs have is the same"
		}
		text = fmt.Sprintf("Night %d of the history: %s, so there was nothing to test.", last.Number, same)
	default:
		text = fmt.Sprintf("Night %d of the history, look %d at these records, tested at %s. The probability of ever "+
			"alarming "+
			"while no night's answers are worse is at most %s.", last.Number, last.Look, probability(last.Level),
			probability(last.Alpha))
	}
	if first := n.since(); first != "" && first != last.Date {
		text += " The alarm has lasted since " + first + "."
	}
	return text
}

// line is tonight's line of the history: the last one, unless the same run was there already.
func (n *Night) line() *nights.Night {
	if n.Look.Again != nil {
		return n.Look.Again
	}
	return &n.History.Nights[len(n.History.Nights)-1]
}

// since is the day on which the present alarm began; "" without one.
func (n *Night) since() (day string) {
	for _, night := range n.History.Nights {
		switch {
		case night.Alarm && day == "":
			day = night.Date
		case !night.Alarm && night.Verdict != nights.Incomplete:
			day = ""
		}
	}
	return day
}
