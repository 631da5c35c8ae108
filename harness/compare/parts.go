package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Part is a part of what a comparison says. Every form of it, a terminal's as that of a CI, has the same parts.
type Part struct {
	Title string
	Lines []string
}

// few is how many records, policies or places a part names unless all are wanted; there may be three times as many
// quantities.
const few = 10

// Head says what was compared, and how: below the summary and before the parts.
func (c *Comparison) Head() []string {
	lines := []string{"old: " + c.Old.side(), "new: " + c.New.side()}
	if c.Level == "" {
		return lines // there are no results
	}
	level := "level: " + string(c.Level)
	tested, hypotheses := 0, 0
	for _, q := range c.Quantities {
		tested, hypotheses = tested+tell(q.Tested), max(hypotheses, q.Hypotheses)
	}
	if tested > 0 {
		level += fmt.Sprintf(": %s, %s, level %.2g for all", Plural(tested, "quantity tested", "quantities tested"),
			Plural(hypotheses, "hypothesis", "hypotheses"), c.Alpha)
	}
	lines = append(lines, level)
	if len(c.Causes) == 0 && c.Level != Bytes && len(c.Gone)+len(c.Added) == 0 {
		lines = append(lines, "cause: none found: answers, data, study and program are the same by their hashes")
	}
	return lines
}

// Parts say what was found, the first lines of each unless all are wanted.
func (c *Comparison) Parts(all bool) (parts []Part) {
	add := func(title string, most int, lines []string) {
		if more := len(lines) - most; more > 0 && !all {
			lines = append(lines[:most:most], fmt.Sprintf("and %d more; --all prints them, --json writes them", more))
		}
		if len(lines) > 0 {
			parts = append(parts, Part{title, lines})
		}
	}
	var causes, moved []string
	for _, x := range c.Causes {
		causes = append(causes, string(x.Kind)+": "+x.Text)
	}
	for i := range c.Moved {
		m := &c.Moved[i]
		moved = append(moved, fmt.Sprintf("%s/%s (%s), %s: %s → %s", m.Dataset, m.ID, m.Part, c.who(m), m.From, m.To))
	}
	add("Causes, in the order in which they act", 2*few, causes)
	add("Quantities", 3*few, c.gravest(all))
	tallies := c.tallies()
	add(fmt.Sprintf("Records that moved: %d", len(c.Moved)), len(tallies)+few, append(tallies, moved...))
	for _, of := range c.Places() {
		var lines []string
		for _, p := range of.List {
			lines = append(lines, p.String())
		}
		add(of.Title, 2*few, lines)
	}
	add("Remarks", 2*few, c.Remarks)
	return parts
}

// Skipped stands for the verdict where there is nothing to compare.
const Skipped Verdict = "skipped"

// Uncompared are places of one kind that were not compared.
type Uncompared struct {
	Name, Title string
	List        []Place
	Verdict     Verdict
	Warns       bool // somebody should look at it, and no exit code of its own says so
}

// Places are those of which there is nothing to compare.
func (c *Comparison) Places() []Uncompared {
	return []Uncompared{{"gone", "Gone, and so not compared", c.Gone, Skipped, true},
		{"new", "New, with nothing to compare with", c.Added, Skipped, false},
		{"complete", "Incomplete: more answers are missing than the study allows", c.Incomplete, Incomplete, true}}
}

// Gravest lists the quantities that differ, the gravest first, each hypothesis once and no baselines; all = every one.
func (c *Comparison) Gravest(all bool) (out []*Quantity) {
	for i := range c.Quantities {
		if q := &c.Quantities[i]; all || q.Verdict != Same && q.SameAs == "" && !q.Baseline {
			out = append(out, q)
		}
	}
	slices.SortStableFunc(out, func(x, y *Quantity) int {
		return cmp.Or(slices.Index(told, x.Verdict)-slices.Index(told, y.Verdict),
			words[x.Metric].place-words[y.Metric].place)
	})
	return out
}

// gravest are the lines of the quantities, and what they leave out.
func (c *Comparison) gravest(all bool) (lines []string) {
	list := c.Gravest(all)
	for _, q := range list {
		lines = append(lines, c.Line(q))
	}
	baselines := 0
	for _, q := range c.Quantities {
		baselines += tell(q.Baseline && q.Verdict == Shifted)
	}
	if baselines > 0 && !all {
		lines = slices.Insert(lines, min(len(lines), 3*few-1), fmt.Sprintf(
			"moved, too: %s of baselines, which are not tested", Plural(baselines, "number", "numbers")))
	}
	return lines
}

// tallies count the records that moved, by who decides or answers otherwise.
func (c *Comparison) tallies() (lines []string) {
	of, order := map[string]map[string]int{}, []string(nil)
	for i := range c.Moved {
		m := &c.Moved[i]
		k := fmt.Sprintf("%s, %s part, %s", m.Dataset, m.Part, c.who(m))
		if of[k] == nil {
			of[k], order = map[string]int{}, append(order, k)
		}
		of[k][m.From+" → "+m.To]++
	}
	for _, k := range order {
		ways := slices.Sorted(maps.Keys(of[k]))
		for i, way := range ways {
			ways[i] = fmt.Sprintf("%d %s", of[k][way], way)
		}
		lines = append(lines, k+": "+strings.Join(ways, ", "))
	}
	return lines
}
