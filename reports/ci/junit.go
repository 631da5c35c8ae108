package ci

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"infnet/harness/compare"
	"infnet/reports/table"
)

// The XML that Jenkins, GitLab, GitHub's actions and Ant's JUnitReport read. It is the part that their schemas have in
// common; Ant's asks for most.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name      string      `xml:"name,attr"`
		Package   string      `xml:"package,attr"`
		ID        int         `xml:"id,attr"`
		Timestamp string      `xml:"timestamp,attr"`
		Hostname  string      `xml:"hostname,attr"`
		Tests     int         `xml:"tests,attr"`
		Failures  int         `xml:"failures,attr"`
		Errors    int         `xml:"errors,attr"`
		Skipped   int         `xml:"skipped,attr"`
		Time      string      `xml:"time,attr"`
		Settings  struct{}    `xml:"properties"`
		Cases     []junitCase `xml:"testcase"`
		Out       string      `xml:"system-out"`
		Err       string      `xml:"system-err"`

		class string // of its cases
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Skipped *junitSkipped `xml:"skipped"`
		Error   *junitFailure `xml:"error"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
)

// JUnit writes a suite for each dataset of a cascade, and a case for each quantity: it fails where the quantity is
// worse, and is skipped where it cannot be compared. The suite's output has a line for each quantity. A comparison
// without quantities, or of incomplete runs, is a case more: its verdict.
func JUnit(w io.Writer, n *Night) error {
	var out junitSuites
	at := map[[2]string]int{}
	suite := func(cascade, dataset string) *junitSuite {
		place := [2]string{cascade, dataset}
		if _, ok := at[place]; !ok {
			at[place] = len(out.Suites)
			out.Suites = append(out.Suites, n.suite(len(out.Suites), cascade, dataset))
		}
		return &out.Suites[at[place]]
	}
	for i := range n.Quantities {
		q := &n.Quantities[i]
		suite(q.Cascade, q.Dataset).add(cmp.Or(q.Title, q.Policy)+": "+q.Metric, q.Line(), q.Verdict, false)
	}
	if len(out.Suites) == 0 || n.Incomplete {
		suite("", "").add("comparison", n.Comparison.Summary, n.Verdict, n.Incomplete)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(&out); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (n *Night) suite(id int, cascade, dataset string) junitSuite {
	name := cmp.Or(dataset, cascade, n.Study)
	s := junitSuite{Name: token(name), Package: token(n.Study), ID: id, Timestamp: n.Date + "T00:00:00",
		Hostname: "localhost", Time: "0"}
	if s.class = s.Package + "." + s.Name; cascade != "" { // two cascades of one dataset are told apart
		s.class = strings.ReplaceAll(s.Package, ".", "-") + "." + strings.ReplaceAll(cascade+" on "+s.Name, ".", "-")
	}
	return s
}

// add appends a case with its line of output; failed says that there was nothing to test. Jenkins shows the class as
// package and class.
func (s *junitSuite) add(name, text string, v compare.Verdict, failed bool) {
	text = table.Clean(text)
	c := junitCase{Name: table.Clean(name), Time: "0", Class: token(s.class)}
	switch why := (&junitFailure{Message: text, Type: string(v), Text: text}); {
	case v == compare.Worse:
		c.Failure = why
		s.Failures++
	case failed:
		c.Error = why
		s.Errors++
	case v == compare.Uncomparable:
		c.Skipped = &junitSkipped{text}
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
	s.Tests++
	s.Out += text + "\n"
}

// token is a name that is not empty.
func token(s string) string { return cmp.Or(table.Clean(s), "unnamed") }
