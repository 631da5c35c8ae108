package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/accept"
)

// Part is a part of what a comparison says. Every form of it, a terminal's as that of a CI, has the same parts.
type Part struct {
	Title string
	Lines []string
}

// Head says what was compared: below the summary and before the parts.
func (c *Comparison) Head() []string { return []string{"old: " + c.Old.side(), "new: " + c.New.side()} }

// side describes a run.
func (s Side) side() string {
	text := s.Name
	if s.Accepted != "" {
		text += ", accepted on " + s.Accepted
	}
	if s.Because != "" {
		text += ": " + s.Because
	}
	return text
}

// Parts say what was found, the first lines of each.
func (c *Comparison) Parts() (parts []Part) {
	const most = 20
	var causes, quantities, moved []string
	for _, x := range c.Causes {
		causes = append(causes, fmt.Sprintf("%s: %s: %s → %s", x.Kind, x.Name, said(x.Old), said(x.New)))
	}
	for _, q := range c.Gravest() {
		quantities = append(quantities, q.Line())
	}
	for _, m := range c.Moved {
		names := strings.Join(m.First, ", ")
		if m.Count > len(m.First) {
			names += ", …"
		}
		moved = append(moved, fmt.Sprintf("%s, %s: %d %s → %s: %s", m.Dataset, m.Who, m.Count, m.From, m.To, names))
	}
	for _, p := range []Part{{"Causes, in the order in which they act", causes}, {"Quantities", quantities},
		{"Test records that moved", moved}, {"Remarks", c.Remarks}} {
		if more := len(p.Lines) - most; more > 0 {
			p.Lines = append(p.Lines[:most:most], fmt.Sprintf("and %d more; --json writes them", more))
		}
		if len(p.Lines) > 0 {
			parts = append(parts, p)
		}
	}
	return parts
}

// said is an input as a sentence has it.
func said(value string) string {
	const long = 60
	if value == "" {
		return "(none)"
	}
	if r := []rune(value); len(r) > long {
		value = string(r[:long]) + "…"
	}
	return strconv.Quote(value)
}

// Gravest lists the quantities that differ, the gravest first.
func (c *Comparison) Gravest() (out []*Quantity) {
	for i := range c.Quantities {
		if q := &c.Quantities[i]; q.Verdict != Same || q.Old != q.New || q.Tested {
			out = append(out, q)
		}
	}
	slices.SortStableFunc(out, func(x, y *Quantity) int {
		return slices.Index(verdicts, x.Verdict) - slices.Index(verdicts, y.Verdict)
	})
	return out
}

// name is a quantity's.
func (q *Quantity) name() string {
	return fmt.Sprintf("%s of %s on %s (%s)", q.Metric, cmp.Or(q.Title, q.Policy), q.Dataset, q.Cascade)
}

// Line says one quantity: its verdict, how it changed, and what the verdict rests on.
func (q *Quantity) Line() string {
	text := fmt.Sprintf("%s: %s: %s → %s", q.Verdict, q.name(), q.number(q.Old), q.number(q.New))
	if q.AtAccepted != nil && *q.AtAccepted != q.New {
		text += fmt.Sprintf(", %s at the accepted thresholds", q.number(*q.AtAccepted))
	}
	if !q.Tested {
		return text
	}
	d := q.Difference
	text += fmt.Sprintf(" (difference %s, interval %s to %s); p = %.2g, %.2g for all", q.number(d.Value), q.number(d.Low),
		q.number(d.High), q.P, q.Adjusted)
	if q.Worsened+q.Improved > 0 {
		text += fmt.Sprintf("; of %d records %d worse and %d better", d.N, q.Worsened, q.Improved)
	}
	return text
}

// number is a value of a quantity with its unit: errors in percent.
func (q *Quantity) number(v float64) string {
	if q.Metric == accept.Error {
		return strconv.FormatFloat(100*v, 'f', 2, 64) + " %"
	}
	return strings.TrimRight(strconv.FormatFloat(v, 'g', 5, 64)+" "+q.Unit, " ")
}

// summary is the verdict in one sentence.
func (c *Comparison) summary() string {
	all, equal := len(c.Quantities), 0
	for _, q := range c.Quantities {
		equal += tell(q.Old == q.New && !q.Tested)
	}
	if equal == all && c.Verdict == Same {
		return fmt.Sprintf("same: all %d quantities are the same numbers", all)
	}
	var parts []string
	for _, v := range verdicts {
		if n := c.Count(v); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return fmt.Sprintf("%s: of %d quantities %s", c.Verdict, all, strings.Join(parts, ", "))
}

// say adds a remark: what a reader must know.
func (c *comparing) say(format string, args ...any) {
	c.out.Remarks = append(c.out.Remarks, fmt.Sprintf(format, args...))
}
