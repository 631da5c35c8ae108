package ci

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
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
// worse, is an error where answers are missing, and is skipped where there is nothing to compare with. The suite's
// output has a line for each quantity. A comparison without quantities is a suite with one case, its verdict.
func JUnit(w io.Writer, n *Night) error {
	var out junitSuites
	at := map[compare.Place]int{}
	suite := func(cascade, dataset string) *junitSuite {
		place := compare.Place{Cascade: cascade, Dataset: dataset}
		if _, ok := at[place]; !ok {
			at[place] = len(out.Suites)
			out.Suites = append(out.Suites, n.suite(len(out.Suites), cascade, dataset))
		}
		return &out.Suites[at[place]]
	}
	c := n.Comparison
	for i := range c.Quantities {
		q := &c.Quantities[i]
		suite(q.Cascade, q.Dataset).add(cmp.Or(q.Title, q.Policy)+": "+q.Words(), c.Line(q), q.Verdict)
	}
	for _, of := range c.Places() {
		for _, p := range of.List {
			if of.Verdict == compare.Incomplete && slices.ContainsFunc(c.Quantities, func(q compare.Quantity) bool {
				return q.Verdict == compare.Incomplete && q.Cascade == p.Cascade
			}) {
				continue // its cases say so
			}
			name := of.Name
			if p.Policy != "" {
				name = c.PolicyTitle(p.Policy) + ": " + name
			}
			suite(p.Cascade, p.Dataset).add(name, of.Title+": "+p.String(), of.Verdict)
		}
	}
	if len(out.Suites) == 0 {
		suite("", "").add("comparison", c.Summary, c.Verdict)
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
	name := cmp.Or(dataset, cascade, n.Comparison.Study)
	s := junitSuite{Name: token(name), Package: token(n.Comparison.Study), ID: id, Timestamp: n.Date + "T00:00:00",
		Hostname: "localhost", Time: "0"}
	if s.class = s.Package + "." + s.Name; cascade != "" { // two cascades of one dataset are told apart
		s.class = strings.ReplaceAll(s.Package, ".", "-") + "." + strings.ReplaceAll(cascade+" on "+s.Name, ".", "-")
	}
	return s
}

// add appends a case with its line of output. Jenkins shows the class as package and class.
func (s *junitSuite) add(name, text string, v compare.Verdict) {
	text = table.Clean(text)
	c := junitCase{Name: table.Clean(name), Time: "0", Class: token(s.class)}
	switch why := (&junitFailure{Message: text, Type: string(v), Text: text}); v {
	case compare.Worse:
		c.Failure = why
		s.Failures++
	case compare.Incomplete:
		c.Error = why
		s.Errors++
	case compare.Skipped:
		c.Skipped = &junitSkipped{text}
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
	s.Tests++
	s.Out += text + "\n"
}

// token is a name that is not empty.
func token(s string) string { return cmp.Or(table.Clean(s), "unnamed") }
