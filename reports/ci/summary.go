package ci

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"infnet/harness/compare"
	"infnet/harness/nights"
	"infnet/reports/table"
)

// Limits of a summary: GitHub shows a megabyte, and a person reads less.
const (
	mostRows    = 40
	mostMoved   = 10
	mostCauses  = 12
	mostPlaces  = 20
	longestName = 120 // characters
)

// Summary writes the night as Markdown: the verdict and why, the quantities that differ, what is new or missing, the
// records that moved, and the last nights.
func Summary(w io.Writer, n *Night) error {
	out := bufio.NewWriter(w)
	c := n.Comparison
	fmt.Fprintf(out, "## %s, %s: %s\n\n", mark(c.Study), n.Date, n.Comparison.Verdict)
	if c.Summary != "" {
		fmt.Fprintf(out, "%s\n\n", mark(c.Summary))
	}
	against := "Compared with " + mark(c.Old.Name)
	if c.Old.Accepted != "" {
		against += ", accepted on " + mark(c.Old.Accepted)
		if c.Old.Because != "" {
			against += " (" + mark(c.Old.Because) + ")"
		}
	}
	fmt.Fprintf(out, "%s.\n", against)
	if text := n.Place(); text != "" {
		fmt.Fprintf(out, "%s\n", mark(text))
	}
	if n.Look.Note != "" {
		fmt.Fprintf(out, "%s\n", mark(capital(n.Look.Note)+"."))
	}
	if len(c.Causes) > 0 {
		fmt.Fprintf(out, "\n**What changed**\n\n")
		listed(out, len(c.Causes), mostCauses, func(i int) string { return mark(c.Causes[i].Text) })
	}
	n.quantities(out)
	for _, part := range []struct {
		title  string
		places []compare.Place
	}{{"Incomplete, and so neither better nor worse", c.Incomplete}, {"New: not in the accepted run", c.Added},
		{"Only in the accepted run", c.Gone}} {
		if len(part.places) > 0 {
			fmt.Fprintf(out, "\n**%s**\n\n", part.title)
			listed(out, len(part.places), mostPlaces, func(i int) string {
				return mark(strings.TrimPrefix(of(part.places[i]), ": "))
			})
		}
	}
	if len(c.Moved) > 0 {
		fmt.Fprintf(out, "\n**Records that moved: %d**\n\n", len(c.Moved))
		listed(out, len(c.Moved), mostMoved, func(i int) string {
			m := c.Moved[i]
			who := m.Policy
			if who == "" {
				who = m.Model
			}
			return mark(fmt.Sprintf("%s, record %s: %s, %s → %s", m.Dataset, m.ID, who, m.From, m.To))
		})
	}
	if len(c.Remarks) > 0 {
		fmt.Fprintln(out)
		listed(out, len(c.Remarks), mostCauses, func(i int) string { return mark(c.Remarks[i]) })
	}
	if n.History != nil {
		n.lately(out)
	}
	return out.Flush()
}

// quantities is the table of what differs.
func (n *Night) quantities(out *bufio.Writer) {
	all := n.sorted()
	differ := 0
	for _, q := range all {
		if q.Verdict != compare.Same {
			differ++
		}
	}
	switch {
	case len(all) == 0:
		return
	case differ == 0:
		fmt.Fprintf(out, "\n%s, none of which differs.\n", plural(len(all), "quantity", "quantities"))
		return
	}
	fmt.Fprintf(out, "\n| | Dataset | Policy | | Accepted | Tonight | Difference | Rests on |\n"+
		"|---|---|---|---|--:|--:|--:|---|\n")
	several := false
	for _, q := range all {
		several = several || q.Cascade != all[0].Cascade
	}
	for i, q := range all[:differ] { // the same ones come last
		if i == mostRows {
			fmt.Fprintf(out, "\n%s: see the JSON file.\n",
				plural(differ-mostRows, "further quantity differs", "further quantities differ"))
			break
		}
		dataset := mark(q.Dataset)
		if several {
			dataset += " (" + mark(q.Cascade) + ")"
		}
		verdict := string(q.Verdict)
		if verdict == string(compare.Worse) {
			verdict = "**" + verdict + "**"
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", verdict, dataset, mark(q.Policy),
			mark(metric(q.Metric)),
			number(q, q.Old.Value), number(q, q.New.Value), change(q), mark(n.evidence(q)))
	}
	if same := len(all) - differ; same > 0 {
		fmt.Fprintf(out, "\n%s.\n", plural(same, "further quantity is the same", "further quantities are the same"))
	}
}

// lately is a row for each of the last nights.
func (n *Night) lately(out *bufio.Writer) {
	const most = 14
	list := n.History.Nights
	if len(list) > most {
		list = list[len(list)-most:]
	}
	if len(list) < 2 {
		return
	}
	fmt.Fprintf(out, "\n<details><summary>The last %d nights of %d</summary>\n\n| Night | Date | Verdict | Look | "+
		"Level |\n"+
		"|--:|---|---|--:|--:|\n", len(list), len(n.History.Nights))
	for _, one := range list {
		look, level := "", ""
		if one.Look > 0 {
			look, level = fmt.Sprint(one.Look), probability(one.Level)
		}
		verdict := mark(one.Verdict)
		if one.Alarm {
			verdict = "**" + verdict + "**"
		}
		if one.Verdict == nights.Incomplete && one.Why != "" {
			verdict += ": " + mark(one.Why)
		}
		fmt.Fprintf(out, "| %d | %s | %s | %s | %s |\n", one.Number, mark(one.Date), verdict, look, level)
	}
	fmt.Fprint(out, "\n</details>\n")
}

// listed writes a list, cut where it is long.
func listed(out *bufio.Writer, count, most int, line func(i int) string) {
	for i := range min(count, most) {
		fmt.Fprintf(out, "- %s\n", line(i))
	}
	if count > most {
		fmt.Fprintf(out, "- and %d more\n", count-most)
	}
}

// mark is a text as Markdown: no name becomes markup, and a very long one is cut.
func mark(s string) string {
	s = table.Clean(s)
	if runes := []rune(s); len(runes) > 4*longestName {
		s = string(runes[:4*longestName]) + "…"
	}
	return table.Markdown(s)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
