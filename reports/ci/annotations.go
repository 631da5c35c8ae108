package ci

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"infnet/harness/compare"
	"infnet/reports/table"
)

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
