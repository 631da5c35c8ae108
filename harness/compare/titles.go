package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/accept"
)

// title names a quantity, with its cascade where several have its dataset.
func (c *Comparison) title(q *Quantity) string { return q.What() + c.cascadeOf(q.Cascade, q.Dataset) }

// cascadeOf names a cascade behind a dataset that it shares with others.
func (c *Comparison) cascadeOf(cascade, dataset string) string {
	if slices.ContainsFunc(c.Records, func(p Paired) bool { return p.Dataset == dataset && p.Cascade != cascade }) {
		return " (" + cascade + ")"
	}
	return ""
}

// PolicyTitle is a policy's name in the tables.
func (c *Comparison) PolicyTitle(name string) string {
	if i := slices.IndexFunc(c.Quantities, func(q Quantity) bool { return q.Policy == name }); i >= 0 {
		return cmp.Or(c.Quantities[i].Title, name)
	}
	return name
}

// What names a quantity of its cascade.
func (q *Quantity) What() string {
	policy := cmp.Or(q.Title, q.Policy)
	switch q.Policy {
	case accept.None:
		policy = "the student alone"
	case accept.All:
		policy = "the master alone"
	}
	return fmt.Sprintf("%s of %s on %s", q.Words(), policy, q.Dataset)
}

// Words are its number's name in a sentence.
func (q *Quantity) Words() string { return cmp.Or(words[q.Metric].name, q.Metric) }

// words are a number's name in a sentence, and its place among those of its verdict: errors come first, then
// performance, and what follows from others last.
var words = map[string]struct {
	name  string
	place int
}{accept.Error: {"error", -1}, accept.PerQuery: {"cost saved per query", 1}, costs: {"cost per query", 2},
	accept.Deferred: {"deferrals", 3}, accept.Saved: {"cost saved", 4}}

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

// details say what the verdict rests on.
func (q *Quantity) details() string {
	var parts []string
	if q.Tested {
		parts = append(parts, fmt.Sprintf("p = %s, %s for all", brief(q.P), brief(q.Adjusted)))
		worse, better := "worse", "better"
		if q.Direction == Neither {
			worse, better = "more", "less"
		}
		if q.Worsened+q.Improved > 0 {
			parts = append(parts, fmt.Sprintf("of %d records %d %s and %d %s", q.Difference.N, q.Worsened, worse, q.Improved,
				better))
		}
	}
	if q.Verdict == Undecided {
		if q.Few {
			parts = append(parts, "a few records carry the difference, so that no test knows its mean")
		} else if q.Detectable > 0 {
			parts = append(parts, fmt.Sprintf("a difference of %s would be seen with probability 0.8", digits(q.Detectable)))
		} else {
			parts = append(parts, "no difference would be seen on so few records")
		}
		if q.Needed > 0 {
			parts = append(parts, fmt.Sprintf("this one would take %d test records", q.Needed))
		}
	}
	if len(q.Causes) > 0 {
		var kinds []string
		for _, k := range q.Causes {
			kinds = append(kinds, string(k))
		}
		parts = append(parts, "cause: "+strings.Join(kinds, ", "))
	}
	return strings.Join(parts, "; ")
}

// Who decides or answers otherwise: a model, or a policy.
func (c *Comparison) Who(m *Moved) string {
	if m.Policy == "" {
		return m.Model
	}
	return c.PolicyTitle(m.Policy) + c.cascadeOf(m.Cascade, m.Dataset)
}

// brief writes a p-value in two digits.
func brief(p float64) string { return strconv.FormatFloat(p, 'g', 2, 64) }

// tested counts the quantities that were tested, and the hypotheses that they come to.
func (c *Comparison) tested() (n, hypotheses int) {
	for _, q := range c.Quantities {
		n += tell(q.Tested)
		if q.Direction != Neither {
			hypotheses = max(hypotheses, q.Hypotheses)
		}
	}
	return n, hypotheses
}

// gravest lists the quantities, the gravest first; unless all are wanted, those that are not the same, each hypothesis
// once and no baselines.
func (c *Comparison) gravest(all bool) []Quantity {
	out := slices.DeleteFunc(slices.Clone(c.Quantities), func(q Quantity) bool {
		return (q.Verdict == Same || q.SameAs != "" || q.Baseline) && !all
	})
	slices.SortStableFunc(out, func(x, y Quantity) int {
		return cmp.Or(slices.Index(told, x.Verdict)-slices.Index(told, y.Verdict),
			words[x.Metric].place-words[y.Metric].place)
	})
	return out
}
