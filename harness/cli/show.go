package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/fault"
	"infnet/harness/result"
	"infnet/reports"
)

// show prints one record, once for every cascade.
func (c *viewCommand) show(s *streams, dir string) error {
	found, err := c.find(dir)
	if err != nil {
		return err
	}
	for i, r := range found {
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		reports.WriteRecord(s.out, r)
	}
	return nil
}

// find returns the record asked for, once for every cascade. An id goes before a row of the same number.
func (c *viewCommand) find(dir string) (found []result.Record, err error) {
	var byRow []result.Record
	for r, err := range result.Records(dir) {
		if err != nil {
			return nil, err
		}
		switch c.Record {
		case r.ID, r.Dataset + "/" + r.ID:
			found = append(found, r)
		case strconv.Itoa(r.Row), r.Dataset + "/" + strconv.Itoa(r.Row):
			byRow = append(byRow, r)
		}
	}
	if len(found) == 0 {
		found = byRow
	}
	if len(found) == 0 {
		return nil, fault.Usage.Wrap(fmt.Errorf("no record %q in %s: name its id or its row, such as reviews/17",
			c.Record, dir))
	}
	datasets := map[string]bool{}
	for _, r := range found {
		datasets[r.Dataset] = true
	}
	if len(datasets) > 1 {
		var names []string
		for _, d := range sorted(datasets) {
			names = append(names, d+"/"+c.Record)
		}
		return nil, fault.Usage.Wrap(fmt.Errorf("record %q is in %d datasets: name one of %s", c.Record, len(datasets),
			strings.Join(names, ", ")))
	}
	return found, nil
}

// sorted returns the members of a set in order.
func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
