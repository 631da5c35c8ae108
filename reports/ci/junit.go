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
		Name      string          `xml:"name,attr"`
		Package   string          `xml:"package,attr"`
		ID        int             `xml:"id,attr"`
		Timestamp string          `xml:"timestamp,attr"`
		Hostname  string          `xml:"hostname,attr"`
		Tests     int             `xml:"tests,attr"`
		Failures  int             `xml:"failures,attr"`
		Errors    int             `xml:"errors,attr"`
		Skipped   int             `xml:"skipped,attr"`
		Time      string          `xml:"time,attr"`
		Settings  []junitProperty `xml:"properties>property"`
		Cases     []junitCase     `xml:"testcase"`
		Out       string          `xml:"system-out"`
		Err       string          `xml:"system-err"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
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

// JUnit writes a suite for each dataset of a cascade, and a case for each quantity: it fails where
// the quantity is worse, is an error where answers are missing, and is skipped where there is
// nothing to compare with. The suite's output has a line for each quantity. A comparison without
// quantities is a suite with one case, its verdict.
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
		suite(q.Cascade, q.Dataset).add(cmp.Or(q.Title, q.Policy)+": "+q.Words(), n.sentence(q), q.Verdict)
	}
	for _, p := range c.Incomplete {
		if !slices.ContainsFunc(c.Quantities, func(q compare.Quantity) bool {
			return q.Cascade == p.Cascade && q.Dataset == p.Dataset && q.Verdict == compare.Incomplete
		}) { // else its cases say so
			suite(p.Cascade, p.Dataset).add(n.named("complete", p), "incomplete: more answers are missing than the study allows"+
				n.of(p), compare.Incomplete)
		}
	}
	for _, p := range c.Added {
		suite(p.Cascade, p.Dataset).add(n.named("new", p), "new, with nothing to compare with"+n.of(p), skipped)
	}
	for _, p := range c.Gone {
		suite(p.Cascade, p.Dataset).add(n.named("gone", p), gone+n.of(p), skipped)
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

// gone is said of what the old run has, and the new one not.
const gone = "no longer there, and so not compared"

// skipped stands for a verdict where there is nothing to compare.
const skipped compare.Verdict = "skipped"

// named is the name of a case of a place.
func (n *Night) named(name string, p compare.Place) string {
	if policy := table.Clean(n.Comparison.PolicyTitle(p.Policy)); policy != "" {
		return policy + ": " + name
	}
	return name
}

// of names a place in a sentence.
func (n *Night) of(p compare.Place) string {
	switch {
	case p.Policy != "":
		return fmt.Sprintf(": policy %s of cascade %s on %s", n.Comparison.PolicyTitle(p.Policy), p.Cascade, p.Dataset)
	case p.Dataset != "":
		return fmt.Sprintf(": dataset %s of cascade %s", p.Dataset, p.Cascade)
	}
	return ": cascade " + p.Cascade
}

// suite is an empty suite of a dataset.
func (n *Night) suite(id int, cascade, dataset string) junitSuite {
	name := cmp.Or(dataset, cascade, n.Comparison.Study)
	s := junitSuite{Name: token(name), Package: token(n.Comparison.Study), ID: id, Timestamp: n.Date + "T00:00:00",
		Hostname: "localhost", Time: "0"}
	for _, p := range []junitProperty{{"study", n.Comparison.Study}, {"cascade", cascade}, {"dataset", dataset},
		{"verdict", string(n.Comparison.Verdict)}, {"alpha", probability(n.Comparison.Alpha)},
		{"accepted", n.Comparison.Old.Accepted}, {"history", n.Place()}} {
		if p.Value = table.Clean(p.Value); p.Value != "" {
			s.Settings = append(s.Settings, p)
		}
	}
	return s
}

// add appends a case with its line of output. Two places of one dataset are told apart by the
// class, which Jenkins shows as package and class.
func (s *junitSuite) add(name, text string, v compare.Verdict) {
	text = table.Clean(text)
	c := junitCase{Name: table.Clean(name), Time: "0", Class: token(s.Package + "." + s.Name)}
	for _, p := range s.Settings {
		if p.Name == "cascade" {
			c.Class = token(strings.ReplaceAll(s.Package, ".", "-") + "." + strings.ReplaceAll(p.Value+" on "+s.Name, ".", "-"))
		}
	}
	switch why := (&junitFailure{Message: text, Type: string(v), Text: text}); v {
	case compare.Worse:
		c.Failure = why
		s.Failures++
	case compare.Incomplete:
		c.Error = why
		s.Errors++
	case skipped:
		c.Skipped = &junitSkipped{text}
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
	s.Tests++
	s.Out += text + "\n"
}

// token is a name that is not empty.
func token(s string) string {
	if s = table.Clean(s); s == "" {
		return "unnamed"
	}
	return s
}
