package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"infnet/harness/accept"
)

// title names a quantity, with its cascade where several have its dataset.
func (c *Comparison) title(q *Quantity) string { return q.title() + c.cascadeOf(q.Cascade, q.Dataset) }

// cascadeOf names a cascade behind a dataset that it shares with others.
func (c *Comparison) cascadeOf(cascade, dataset string) string {
	if slices.ContainsFunc(c.Records, func(p Paired) bool { return p.Dataset == dataset && p.Cascade != cascade }) {
		return " (" + cascade + ")"
	}
	return ""
}

// policy is a policy's name in the tables.
func (c *Comparison) policy(name string) string {
	if i := slices.IndexFunc(c.Quantities, func(q Quantity) bool { return q.Policy == name }); i >= 0 {
		return cmp.Or(c.Quantities[i].Title, name)
	}
	return name
}

// title names a quantity of its cascade.
func (q *Quantity) title() string {
	policy := cmp.Or(q.Title, q.Policy)
	switch q.Policy {
	case accept.None:
		policy = "the student alone"
	case accept.All:
		policy = "the master alone"
	}
	return fmt.Sprintf("%s of %s on %s", metricWord(q.Metric), policy, q.Dataset)
}

// metricWord is a quantity's name in a sentence.
func metricWord(metric string) string {
	switch metric {
	case accept.Error:
		return "error"
	case accept.Deferred:
		return "deferrals"
	case costs:
		return "cost per query"
	case accept.Saved:
		return "cost saved"
	case accept.PerQuery:
		return "cost saved per query"
	}
	return metric
}

// change says how a quantity changed.
func (q *Quantity) change() string {
	unit := ""
	if q.Unit != "" {
		unit = " " + q.Unit
	}
	first, second := apart(q.Old.Value, q.New.Value)
	text := fmt.Sprintf("%s → %s%s", first, second, unit)
	if q.AtAccepted != nil {
		text += fmt.Sprintf("; %s at the accepted thresholds", digits(*q.AtAccepted))
	}
	if q.Tested {
		text += fmt.Sprintf(" (%s, interval %s to %s)", signed(q.Difference.Value), signed(q.Difference.Low),
			signed(q.Difference.High))
	}
	return text
}

func digits(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// apart writes two numbers in as many digits as it takes to tell them apart.
func apart(x, y float64) (first, second string) {
	for n := 4; n <= 17; n++ {
		first, second = strconv.FormatFloat(x, 'g', n, 64), strconv.FormatFloat(y, 'g', n, 64)
		if first != second || x == y {
			break
		}
	}
	return first, second
}

func signed(x float64) string {
	if x > 0 {
		return "+" + digits(x)
	}
	return digits(x)
}
