package ci

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"infnet/harness/nights"
	"infnet/reports/table"
)

// longest is the most characters of a line of a summary: GitHub shows a megabyte, and a person reads less.
const longest = 480

// Summary writes the night as Markdown: the verdict, what was compared, the parts of the comparison, and the last
// nights.
func Summary(w io.Writer, n *Night) error {
	out := bufio.NewWriter(w)
	c := n.Comparison
	fmt.Fprintf(out, "## %s, %s: %s\n\n%s\n\n", mark(c.Study), n.Date, c.Verdict, mark(c.Summary))
	head := append(c.Head(time.Time{}), n.Place())
	if n.Look.Note != "" {
		head = append(head, strings.ToUpper(n.Look.Note[:1])+n.Look.Note[1:]+".")
	}
	bullets(out, head)
	for _, p := range c.Parts(false) {
		fmt.Fprintf(out, "\n**%s**\n\n", mark(p.Title))
		bullets(out, p.Lines)
	}
	if n.History != nil {
		n.lately(out)
	}
	return out.Flush()
}

// bullets writes a list.
func bullets(out *bufio.Writer, lines []string) {
	for _, line := range lines {
		if line != "" {
			fmt.Fprintf(out, "- %s\n", mark(line))
		}
	}
}

// lately is a row for each of the last nights.
func (n *Night) lately(out *bufio.Writer) {
	const most = 14
	list := n.History.Nights
	if list = list[max(0, len(list)-most):]; len(list) < 2 {
		return
	}
	fmt.Fprintf(out, "\n<details><summary>The last %d nights of %d</summary>\n\n| Night | Date | Verdict | Look | "+
		"Level |\n|--:|---|---|--:|--:|\n", len(list), len(n.History.Nights))
	for _, one := range list {
		look, level, verdict := "", "", mark(one.Verdict)
		if one.Look > 0 {
			look, level = fmt.Sprint(one.Look), probability(one.Level)
		}
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

// mark is a text as Markdown: no name becomes markup, and a very long one is cut.
func mark(s string) string {
	s = table.Clean(s)
	if runes := []rune(s); len(runes) > longest {
		s = string(runes[:longest]) + "…"
	}
	return table.Markdown(s)
}
