package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"infnet/backends"
	"infnet/harness/fault"
	"infnet/harness/pipeline"
)

// several prints a line for each study by itself, and the sum, which counts a request shared by
// several studies once.
func (c *planCommand) several(ctx context.Context, s *streams) error {
	all := &pipeline.Joint{RetryFailed: c.RetryFailed, Seen: map[backends.Key]bool{}}
	lines := [][]string{{"STUDY", "", "REQUESTS", "ON DISK", "CALLS", "SHARED", "TOKENS IN", "OUT", "TFLOPS", "PRICE"}}
	var total pipeline.Plan
	var missing []pipeline.Missing
	bases := map[string]bool{}
	for _, name := range c.Specs {
		st, err := c.open(ctx, s, name)
		if err != nil {
			return err
		}
		own, fresh, err := all.Plan(ctx, st.Study)
		st.screen.wait()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		lines = append(lines, billLine(own, st.Spec.Name, own.Bill().Calls-fresh.Bill().Calls))
		total.Jobs, total.Unknown = append(total.Jobs, fresh.Jobs...), append(total.Unknown, fresh.Unknown...)
		for _, j := range own.Jobs {
			if j.Calls > 0 {
				bases[string(j.PromptBasis)], bases[string(j.CompletionBasis)] = true, true
			}
		}
		for _, a := range st.Missing() {
			if !slices.Contains(missing, a) {
				missing = append(missing, a)
			}
		}
	}
	last := billLine(total, "all of them", 0)
	last[5] = ""
	if err := printColumns(s.out, append(lines, last)); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "\nSHARED: calls of a study that one above it makes too; the last line counts them once.")
	if len(bases) > 0 {
		fmt.Fprintln(s.out, "Tokens by "+strings.Join(slices.Sorted(maps.Keys(bases)), "; ")+".")
	}
	if len(total.Unknown) > 0 {
		fmt.Fprintln(s.out, "≥: more, as something is not on this machine yet.")
	}
	return showMissing(s.out, missing)
}

// commands prints how a run would start the servers of each study's models.
func (c *planCommand) commands(ctx context.Context, s *streams) error {
	any := false
	for _, name := range c.Specs {
		st, err := c.open(ctx, s, name)
		if err != nil {
			return err
		}
		for _, start := range pipeline.Starts(st.Study) {
			any = true
			fmt.Fprintf(s.out, "# %s\n", clean(start.Model))
			for _, command := range start.Commands {
				fmt.Fprintln(s.out, clean(command))
			}
		}
	}
	if !any {
		return fault.Usage.Wrap(fmt.Errorf("no model of %s has servers that a run starts: their backends have no "+
			"launch table",
			c.Specs[0]))
	}
	return nil
}

// billLine is a plan's bill as a line of the table; again counts calls that a study above makes too.
func billLine(p pipeline.Plan, name string, again int) []string {
	b, more := p.Bill(), len(p.Unknown) > 0
	least := ""
	if more {
		least = "≥ "
	}
	count := func(n int) string {
		if n == 0 && more {
			return unknown
		}
		return least + strconv.Itoa(n)
	}
	work := unknown
	if !b.Unshaped && b.Calls > 0 {
		work = least + fmt.Sprintf("%.4g", b.TFLOPs)
	}
	sum := func(by map[string]float64) string {
		if b.Unpriced || b.Calls == 0 {
			return unknown
		}
		var parts []string
		for _, currency := range slices.Sorted(maps.Keys(by)) {
			parts = append(parts, fmt.Sprintf("%.4f %s", by[currency], currency))
		}
		return least + strings.Join(parts, " + ")
	}
	return []string{name, "", count(b.Total), strconv.Itoa(b.OnDisk), count(b.Calls), strconv.Itoa(again),
		count(b.PromptTokens), count(b.CompletionTokens), work, sum(b.Price)}
}
