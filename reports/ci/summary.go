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

// longest is the most characters of a line of a summary: GitHub shows a megabyte, and a person reads less.
const longest = 480

// Summary writes the night as Markdown: the verdict, what was compared, the parts of the comparison, and the last
// nights.
func Summary(w io.Writer, n *Night) error {
	out := bufio.NewWriter(w)
	c := n.Comparison
	fmt.Fprintf(out, "## %s, %s: %s\n\n%s\n\n", mark(c.Study), n.Date, c.Verdict, mark(c.Summary))
	head := append(c.Head(), n.Place())
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

func bullets(out *bufio.Writer, lines []string) {
	for _, line := range lines {
		if line != "" {
			fmt.Fprintf(out, "- %s\n", mark(line))
		}
	}
}

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
func mark(s string) string { return table.Markdown(table.Cut(table.Clean(s), longest)) }

// mostAnnotations of a kind: GitHub shows ten of a step and drops the others.
const mostAnnotations = 10

// Annotations writes a command of GitHub Actions for each quantity that is worse, and for what a reader must know
// besides: ten errors and ten warnings at most, the last of which says how many more there are.
func Annotations(w io.Writer, n *Night) error {
	var errors, warnings []string
	c := n.Comparison
	for _, q := range c.Gravest(false) {
		if q.Verdict == compare.Worse {
			errors = append(errors, c.Line(q))
		}
	}
	for _, of := range c.Places() {
		for _, p := range of.List {
			if of.Warns { // no exit code says what is gone
				warnings = append(warnings, of.Title+": "+p.String())
			}
		}
	}
	if u := c.Count(compare.Undecided); u > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d quantities differ by what chance could explain: undecided", u,
			len(c.Quantities)))
	}
	switch {
	case c.Verdict == compare.Worse && len(errors) == 0:
		errors = append(errors, c.Summary)
	case c.Verdict == compare.Incomplete && len(c.Incomplete) == 0:
		warnings = append(warnings, c.Summary)
	}
	out := bufio.NewWriter(w)
	for _, kind := range []struct {
		command string
		lines   []string
	}{{"error", errors}, {"warning", warnings}} {
		if more := len(kind.lines) - mostAnnotations; more > 0 {
			kind.lines = append(kind.lines[:mostAnnotations-1], fmt.Sprintf("and %d more: see the summary", more+1))
		}
		for _, line := range kind.lines {
			out.WriteString(Command(kind.command, "infnet: "+c.Study, line))
		}
	}
	return out.Flush()
}

// Command is a workflow command with a title, as a line. Its texts cannot end it or begin another one.
func Command(command, title, message string) string {
	return fmt.Sprintf("::%s title=%s::%s\n", command, property.Replace(table.Clean(title)),
		data.Replace(table.Clean(message)))
}

// What GitHub's runner replaces back, in messages and in properties. The percent sign comes first, and a replacer reads
// its input once.
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
