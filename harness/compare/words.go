package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// written is a number in few digits.
func written(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// summary is the verdict in one sentence, with what was not compared.
func (c *Comparison) summary() string {
	text := c.said()
	for _, of := range []struct {
		word string
		list []Place
	}{{"gone", c.Gone}, {"new", c.Added}} {
		if n := len(of.list); n == 1 {
			text += fmt.Sprintf("; %s: %s", of.word, of.list[0])
		} else if n > 1 {
			text += fmt.Sprintf("; %s: %s and %d more", of.word, of.list[0], n-1)
		}
	}
	return text
}

// String names a place.
func (p Place) String() string {
	text := p.Cascade
	for _, s := range []string{p.Dataset, p.Policy} {
		if s != "" {
			text += ", " + s
		}
	}
	return text
}

// said is the verdict on what both runs have.
func (c *Comparison) said() string {
	var parts []string
	for _, v := range told {
		if n := c.Count(v); n > 0 && v != Same {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	switch {
	case c.Verdict == Incomplete:
	case c.Level == Bytes:
		return "same: results and records have the same bytes"
	case c.Level == Numbers && len(parts) == 0:
		return fmt.Sprintf("same: all %d quantities and all thresholds are the same numbers", len(c.Quantities))
	case len(parts) == 0:
		return fmt.Sprintf("same: all %d quantities are the same numbers", len(c.Quantities))
	}
	parts = append(parts, fmt.Sprintf("%d same", c.Count(Same)))
	return fmt.Sprintf("%s: of %d quantities %s", c.Verdict, len(c.Quantities), strings.Join(parts, ", "))
}

// remark adds what a reader must know.
func (c *comparing) remark() {
	say := func(format string, args ...any) { c.Remarks = append(c.Remarks, fmt.Sprintf(format, args...)) }
	for _, m := range c.now.Data {
		if m := c.matches[m.Name]; m != nil && m.unsure {
			say("%s: records are paired by id alone, since their contents are not known in both runs", m.now.Name)
		}
	}
	if slices.ContainsFunc(c.subjects, func(s *subject) bool { return s.measured() }) {
		say("costs are measured times: all records of a run share the load of its machines, so no cost and no saving is " +
			"tested")
	}
	if slices.ContainsFunc(c.subjects, func(s *subject) bool { return s.unknown }) {
		say("what the accepted thresholds make of the new answers is not known of every policy: confidences are on a " +
			"fitted " +
			"scale, the policy has no plain thresholds, or the new run is an accepted file; such a policy is compared by its " +
			"models alone")
	}
	if c.old.Pools != c.now.Pools {
		say("what the results say of pools differs; pools are not compared further")
	}
	if few := slices.ContainsFunc(c.Records, func(p Paired) bool { return 2*p.Both < max(p.Old, p.New) }); few {
		say("fewer than half of a dataset's test records are those of before: what differs there is called moved, unless a " +
			"test on the records of both says more")
	}
	if c.old.Level != c.now.Level {
		say("the intervals of the tables have level %v, and had %v", c.now.Level, c.old.Level)
	}
}
