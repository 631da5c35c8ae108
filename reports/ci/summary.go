package ci

import (
	"bufio"
	"cmp"
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
	}{{"Incomplete, and so neither better nor worse", c.Incomplete}, {"New, with nothing to compare them with", c.Added},
		{capital(gone), c.Gone}} {
		if len(part.places) > 0 {
			fmt.Fprintf(out, "\n**%s**\n\n", part.title)
			listed(out, len(part.places), mostPlaces, func(i int) string {
				return mark(strings.TrimPrefix(n.of(part.places[i]), ": "))
			})
		}
	}
	if len(c.Moved) > 0 {
		fmt.Fprintf(out, "\n**Records that moved: %d**\n\n", len(c.Moved))
		listed(out, len(c.Moved), mostMoved, func(i int) string {
			m := &c.Moved[i]
			return mark(fmt.Sprintf("%s, record %s: %s, %s → %s", m.Dataset, m.ID, c.Who(m), m.From, m.To))
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
	var rows []*compare.Quantity
	said, same, others := 0, 0, 0
	for _, q := range all {
		switch {
		case q.Verdict == compare.Same:
			same++
		case repeats(q):
			said++
		case q.Baseline && q.Verdict == compare.Shifted:
			others++
		default:
			rows = append(rows, q)
		}
	}
	if len(rows) > 0 {
		n.table(out, rows)
	}
	if same > 0 && same == len(all) {
		fmt.Fprintf(out, "\n%s, none of which differs.\n", compare.Plural(same, "quantity", "quantities"))
		return
	}
	for _, x := range []struct {
		count     int
		one, many string
	}{
		{said, "further quantity says what others in the table say, such as accuracy and error",
			"further quantities say what others in the table say, such as accuracy and error"},
		{others, "quantity of competing policies moved, which is not tested",
			"quantities of competing policies moved, which is not tested"},
		{same, "further quantity is the same", "further quantities are the same"},
	} {
		if x.count > 0 {
			fmt.Fprintf(out, "\n%s.\n", compare.Plural(x.count, x.one, x.many))
		}
	}
}

// table is a row for each of some quantities.
func (n *Night) table(out *bufio.Writer, rows []*compare.Quantity) {
	before := "Before"
	if n.Comparison.Old.Accepted != "" {
		before = "Accepted"
	}
	fmt.Fprintf(out, "\n| Verdict | Dataset | Policy | Quantity | %s | Tonight | Difference | Rests on |\n"+
		"|---|---|---|---|--:|--:|--:|---|\n", before)
	several := false
	for _, q := range n.Comparison.Quantities {
		several = several || q.Cascade != rows[0].Cascade
	}
	for i, q := range rows {
		if i == mostRows {
			fmt.Fprintf(out, "\n%s: see the JSON file.\n", compare.Plural(len(rows)-mostRows, "further quantity differs",
				"further quantities differ"))
			break
		}
		dataset := mark(q.Dataset)
		if several {
			dataset += " (" + mark(q.Cascade) + ")"
		}
		verdict := string(q.Verdict)
		if q.Verdict == compare.Worse {
			verdict = "**" + verdict + "**"
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", verdict, dataset, mark(cmp.Or(q.Title, q.Policy)),
			mark(q.Words()), mark(number(q, q.Old.Value)), mark(now(q)), change(q), mark(n.evidence(q)))
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

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
