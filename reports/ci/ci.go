// Package ci says what a comparison came to where a continuous integration reads it: JUnit XML, a Markdown summary, and
// an annotation of GitHub Actions.
//
// It owns these forms. It refuses to compare, to decide what is worse, to word what was found and to choose exit codes:
// the numbers and the lines are those of package compare. Its opinion: the first line has the verdict, names of studies
// and records are never markup or commands, and a file for a machine says the same as the page for a person.
package ci

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"infnet/harness/compare"
	"infnet/reports/table"
)

// Night is a comparison and its place in the history.
type Night struct {
	*compare.Comparison
	Date  string // 2006-01-02
	Place string // where it is in the history, in words; "" = none is kept
}

// Files of a report folder.
const (
	JUnitFile   = "junit.xml"
	SummaryFile = "summary.md"
)

// longest is the most characters of a line of a summary: GitHub shows a megabyte, and a person reads less.
const longest = 480

// Summary writes the night as Markdown: the verdict, what was compared, and the parts of the comparison.
func Summary(w io.Writer, n *Night) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## %s, %s: %s\n\n%s\n\n", mark(n.Study), n.Date, n.Verdict, mark(n.Comparison.Summary))
	for _, line := range append(n.Head(), n.Place) {
		bullet(out, line)
	}
	for _, p := range n.Parts() {
		fmt.Fprintf(out, "\n**%s**\n\n", mark(p.Title))
		for _, line := range p.Lines {
			bullet(out, line)
		}
	}
	return out.Flush()
}

func bullet(out *bufio.Writer, line string) {
	if line != "" {
		fmt.Fprintf(out, "- %s\n", mark(line))
	}
}

// mark is a text as Markdown: no name becomes markup, and a very long one is cut.
func mark(s string) string { return table.Markdown(table.Cut(table.Clean(s), longest)) }

// Annotation writes a command of GitHub Actions where something is worse, or nothing can be said: nothing for other
// nights.
func Annotation(w io.Writer, n *Night) error {
	command, line := "error", n.Comparison.Summary
	switch n.Verdict {
	case compare.Worse:
		if list := n.Gravest(); len(list) > 0 {
			line += "; " + list[0].Line()
		}
	case compare.Uncomparable:
		command = "warning"
	default:
		return nil
	}
	_, err := io.WriteString(w, Command(command, "infnet: "+n.Study, line))
	return err
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
