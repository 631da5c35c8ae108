package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/accept"
)

// words are a number's name in a sentence, and its place among those of its verdict: errors come first, then
// performance, and what follows from others last.
var words = map[string]struct {
	name  string
	place int
}{accept.Error: {"error", -1}, accept.PerQuery: {"cost saved per query", 1}, costs: {"cost per query", 2},
	accept.Deferred: {"deferrals", 3}, accept.Saved: {"cost saved", 4}}

// Words are its number's name in a sentence.
func (q *Quantity) Words() string { return cmp.Or(words[q.Metric].name, q.Metric) }

// alones are the rows that ask one model.
var alones = map[string]string{accept.None: "the student alone", accept.All: "the master alone"}

// title names a quantity, with its cascade where several have its dataset.
func (c *Comparison) title(q *Quantity) string {
	return fmt.Sprintf("%s of %s on %s%s", q.Words(), cmp.Or(alones[q.Policy], q.Title, q.Policy), q.Dataset,
		c.cascadeOf(q.Cascade, q.Dataset))
}

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

// who decides or answers otherwise: a model, or a policy.
func (c *Comparison) who(m *Moved) string {
	if m.Policy == "" {
		return m.Model
	}
	return c.PolicyTitle(m.Policy) + c.cascadeOf(m.Cascade, m.Dataset)
}

// String names a place.
func (p Place) String() string {
	names := []string{p.Cascade, p.Dataset, p.Policy}
	return strings.Join(slices.DeleteFunc(names, func(s string) bool { return s == "" }), ", ")
}

// Line says one quantity: its verdict, how it changed, and what the verdict rests on.
func (c *Comparison) Line(q *Quantity) string {
	text := fmt.Sprintf("%s: %s: %s", q.Verdict, c.title(q), q.change())
	add := func(is bool, format string, args ...any) {
		if is {
			text += "; " + fmt.Sprintf(format, args...)
		}
	}
	add(q.Tested, "p = %.2g, %.2g for all", q.P, q.Adjusted)
	add(q.Tested && q.Worsened+q.Improved > 0, "of %d records %d worse and %d better", q.Difference.N, q.Worsened,
		q.Improved)
	if q.Verdict == Undecided {
		add(q.Few, "a few records carry the difference, so that no test knows its mean")
		add(!q.Few && q.Detectable > 0, "a difference of %s would be seen with probability 0.8", q.number(q.Detectable))
		add(!q.Few && !(q.Detectable > 0), "no difference would be seen on so few records")
		add(q.Needed > 0, "this one would take %d test records", q.Needed)
	}
	for i, k := range q.Causes {
		text += []string{"; cause: ", ", "}[min(i, 1)] + string(k)
	}
	return text
}

// change says how a quantity changed, in as many digits as it takes to tell its values apart.
func (q *Quantity) change() string {
	if q.Old.Value == q.New.Value && !q.Tested {
		return q.number(q.New.Value)
	}
	old, now, n := "", "", 1
	for ; n <= 17; n++ {
		if old, now = q.digits(q.Old.Value, n), q.digits(q.New.Value, n); old != now || q.Old.Value == q.New.Value {
			break
		}
	}
	text := old + " → " + now + q.unit()
	if q.AtAccepted != nil && *q.AtAccepted != q.New.Value {
		text += fmt.Sprintf(", %s%s at the accepted thresholds", q.digits(*q.AtAccepted, n), q.unit())
	}
	if !q.Tested {
		return text
	}
	signed := func(x float64) string {
		if x > 0 {
			return "+" + q.digits(x, n)
		}
		return q.digits(x, n)
	}
	points := ""
	if q.unit() == " %" {
		points = " points"
	}
	d := q.Difference
	return fmt.Sprintf("%s (%s%s, interval %s to %s)", text, signed(d.Value), points, signed(d.Low), signed(d.High))
}

// number is a value of a quantity with its unit.
func (q *Quantity) number(v float64) string { return q.digits(v, 1) + q.unit() }

// digits are a value of a quantity: shares in percent with so many decimals, others with three digits more.
func (q *Quantity) digits(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'g', 3+decimals, 64)
	switch q.Metric {
	case accept.Error, accept.Deferred:
		text = strconv.FormatFloat(100*v, 'f', decimals, 64)
	case accept.Saved, accept.PerQuery:
		text = strconv.FormatFloat(v, 'f', decimals, 64)
	}
	rest, negative := strings.CutPrefix(text, "-")
	if !negative || strings.Trim(rest, "0.") == "" {
		return rest
	}
	return "−" + rest // a minus sign, which is no hyphen
}

func (q *Quantity) unit() string {
	if q.Metric == accept.Error || q.Metric == accept.Deferred {
		return " %"
	}
	return strings.TrimRight(" "+q.Unit, " ")
}

// Plural writes a number with its noun.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// summary is the verdict in one sentence, with what was not compared.
func (c *Comparison) summary() string {
	var parts []string
	for _, v := range told {
		if n := c.Count(v); n > 0 && v != Same {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	all := len(c.Quantities)
	text := fmt.Sprintf("same: all %d quantities are the same numbers", all)
	switch {
	case c.Verdict == Incomplete || c.Level != Bytes && len(parts) > 0:
		parts = append(parts, fmt.Sprintf("%d same", c.Count(Same)))
		text = fmt.Sprintf("%s: of %d quantities %s", c.Verdict, all, strings.Join(parts, ", "))
	case c.Level == Bytes:
		text = "same: results and records have the same bytes"
	case c.Level == Numbers:
		text = fmt.Sprintf("same: all %d quantities and all thresholds are the same numbers", all)
	}
	lack := func(word string, list []Place) {
		if n := len(list); n == 1 {
			text += fmt.Sprintf("; %s: %s", word, list[0])
		} else if n > 1 {
			text += fmt.Sprintf("; %s: %s and %d more", word, list[0], n-1)
		}
	}
	lack("gone", c.Gone)
	lack("new", c.Added)
	return text
}

// side describes a run.
func (s Side) side() string {
	text := s.Name
	if s.Accepted != "" {
		text += ", accepted on " + s.Accepted
		if s.Because != "" {
			text += ": " + s.Because
		}
	}
	if s.Program != "" {
		text += ", infnet " + s.Program
	}
	return text
}

// say adds a remark: what a reader must know.
func (c *comparing) say(format string, args ...any) {
	c.out.Remarks = append(c.out.Remarks, fmt.Sprintf(format, args...))
}

// budgets says where a budget can no longer be met, or again.
func (c *comparing) budgets() {
	for _, s := range c.subjects {
		for _, now := range s.now.m.Policies {
			old := policyOf(s.old.m, now.Policy)
			if old == nil || old.Feasible == now.Feasible {
				continue
			}
			text := "can be met again"
			if !now.Feasible {
				text = fmt.Sprintf("can no longer be met: the fewest possible are %.6g, and the thresholds are those",
					now.MinErrors)
			}
			c.say("%s on %s: its budget of %.6g errors on the fit part %s", c.out.PolicyTitle(now.Policy), s.now.m.Dataset,
				now.Budget, text)
		}
	}
}

// remark adds what a reader must know of how the runs were compared.
func (c *comparing) remark() {
	for _, d := range c.now.Data {
		if m := c.matches[d.Name]; m != nil && m.unsure {
			c.say("%s: records are paired by id alone, since their contents are not known in both runs", d.Name)
		}
	}
	if slices.ContainsFunc(c.subjects, (*subject).timed) {
		c.say("costs are measured times: all records of a run share the load of its machines, so no cost and no saving is " +
			"tested")
	}
	if slices.ContainsFunc(c.subjects, func(s *subject) bool { return s.unknown }) {
		c.say("what the accepted thresholds make of the new answers is not known of every policy: confidences are on a " +
			"fitted scale, the policy has no plain thresholds, or the new run is an accepted file; such a policy is compared " +
			"by its models alone")
	}
	if c.old.Pools != c.now.Pools {
		c.say("what the results say of pools differs; pools are not compared further")
	}
	if few := slices.ContainsFunc(c.out.Records, func(p Paired) bool { return 2*p.Both < max(p.Old, p.New) }); few {
		c.say("fewer than half of a dataset's test records are those of before: what differs there is called moved, " +
			"unless a test on the records of both says more")
	}
	if c.old.Level != c.now.Level {
		c.say("the intervals of the tables have level %v, and had %v", c.now.Level, c.old.Level)
	}
}
