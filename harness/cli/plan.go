package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"infnet/backends"
	"infnet/harness/pipeline"
)

// planCommand says what a run would do.
type planCommand struct {
	Specs []string `arg:"" name:"spec" help:"The study's TOML file, or \"quickstart\". Of several studies a line each, and the sum."`
	askedFlags
	RetryFailed bool `help:"Count what failed in an earlier run as to be asked."`
	Commands    bool `help:"Print the commands by which a run starts the servers of models, ready to paste, and nothing else."`
	Show        int  `help:"Print N rendered prompts of each dataset." placeholder:"N"`
	budgetFlags
}

func (c *planCommand) Run(ctx context.Context, s *streams) error {
	c.askedFlags.Spending = c.limits()
	if c.Commands {
		return c.commands(ctx, s)
	}
	if len(c.Specs) > 1 {
		return c.several(ctx, s)
	}
	st, err := c.open(ctx, s, c.Specs[0])
	if err != nil {
		return err
	}
	p, err := st.Plan(ctx, pipeline.PlanOptions{RetryFailed: c.RetryFailed})
	if err != nil {
		return err
	}
	if err := printColumns(s.out, planLines(p)); err != nil {
		return err
	}
	showSamples(s.out, st)
	showRatios(s.out, pipeline.Ratios(st.Study, p))
	if err := showMissing(s.out, st.Missing()); err != nil {
		return err
	}
	if r := st.Spec.Reach(); len(r.Programs)+len(r.Files)+len(r.Sends) > 0 {
		fmt.Fprintln(s.out, "\nOn this machine (docs/threat-model.md):")
		showReach(s.out, r)
	}
	calls := p.Bill().Calls
	if calls > 0 || len(st.Missing()) == 0 {
		showBases(s.out, p, calls)
	}
	if calls == 0 && len(st.Missing()) > 0 {
		return nil
	}
	if p.Over != "" {
		prose(s.out, "\nWarning: the calls take more than the budget: %s.\nA run stops before that, with exit code "+
			"%d; running again goes on.\n", p.Over, ExitBudget)
	}
	for _, d := range st.Datasets {
		showPrompts(s.out, st.Study, d, c.Show)
	}
	return nil
}

// open opens a study with only what is on this machine, which is enough for a plan.
func (c *planCommand) open(ctx context.Context, s *streams, name string) (*study, error) {
	return (&studyFlags{Spec: name, askedFlags: c.askedFlags}).open(ctx, s,
		pipeline.Hub{Access: pipeline.Optional, Why: asksNobody})
}

// planLines are a plan's table.
func planLines(p pipeline.Plan) [][]string {
	lines := [][]string{{"MODEL", "DATASET", "RECORDS", "ON DISK", "CALLS", "TOKENS IN", "OUT", "TFLOPS", "PRICE",
		"TIME"}}
	for _, j := range p.Jobs {
		work, lasts := unknown, unknown
		if tflops, ok := j.TFLOPs(); ok {
			work = fmt.Sprintf("%.4g", tflops)
		}
		if j.Latency > 0 && j.Calls > 0 {
			lasts = (time.Duration(j.Calls) * j.Latency).Round(time.Second).String()
		}
		lines = append(lines, []string{j.Model, j.Of(), strconv.Itoa(j.Total), strconv.Itoa(j.OnDisk),
			strconv.Itoa(j.Calls), strconv.Itoa(j.PromptTokens), strconv.Itoa(j.CompletionTokens), work,
			plannedPrice(j.Price()), lasts})
	}
	for _, u := range p.Unknown {
		lines = append(lines, unknownLine(u.Model, u.Dataset))
	}
	for _, d := range p.Derived {
		line := unknownLine(d.Model, d.What)
		if !d.Unknown {
			line[2], line[3], line[4] = strconv.Itoa(d.Missing+d.OnDisk), strconv.Itoa(d.OnDisk), strconv.Itoa(d.Missing)
		}
		lines = append(lines, line)
	}
	sum := p.Bill()
	return append(lines, []string{"total", "", strconv.Itoa(sum.Total), strconv.Itoa(sum.OnDisk), strconv.Itoa(sum.Calls),
		strconv.Itoa(sum.PromptTokens), strconv.Itoa(sum.CompletionTokens), "", "", ""})
}

// unknownLine is a line of a plan in which only the names are known.
func unknownLine(model, of string) []string {
	return append([]string{model, of}, slices.Repeat([]string{unknown}, 8)...)
}

// showRatios says how much each cascade may defer before its master alone is cheaper.
func showRatios(w io.Writer, list []pipeline.PlannedRatio) {
	for i, r := range list {
		if i == 0 {
			fmt.Fprintln(w, "\nWorth it? Every query pays the student, and a deferred one pays the master too:")
		}
		head := fmt.Sprintf("  %s: %s costs %.3g %% of %s", clean(r.Dataset), clean(r.Student), 100*r.Ratio, clean(r.Master))
		if r.Ratio >= 1 {
			fmt.Fprintf(w, "%s. The master alone is cheaper, whatever is deferred.\n", head)
			continue
		}
		prose(w, "%s. The cascade is cheaper than the master alone if it defers less than %.3g %%.\n", head,
			100*(1-r.Ratio))
	}
}

// showBases prints how a plan's tokens were counted, or that nothing is to be asked.
func showBases(w io.Writer, p pipeline.Plan, calls int) {
	failed := p.Bill().Earlier
	if calls == 0 {
		if failed == 0 {
			fmt.Fprintln(w, "\nNothing to ask: every answer is on disk.")
		} else {
			fmt.Fprintf(w, "\nNothing to ask: every answer is on disk, or failed before. %s\n", failedBefore(failed))
		}
		for _, d := range p.Derived {
			if d.Missing > 0 {
				fmt.Fprintf(w, "%d %s by %s.\n", d.Missing, d.What, d.Model)
			}
		}
		return
	}
	bases := map[string]bool{}
	for _, j := range p.Jobs {
		if j.Calls > 0 {
			bases[fmt.Sprintf("%s, %s: prompt tokens by %s; new tokens: %s", j.Model, j.Of(), j.PromptBasis,
				j.CompletionBasis)] = true
		}
	}
	for _, d := range p.Derived {
		if d.Missing > 0 {
			bases[fmt.Sprintf("%s: %s, at most: every answer that is not on disk counts as a new text", d.Model, d.What)] = true
		}
	}
	fmt.Fprintln(w, "\nHow the tokens were counted:")
	for _, line := range slices.Sorted(maps.Keys(bases)) {
		prose(w, "  %s", line)
	}
	fmt.Fprintln(w, "TIME is calls × mean latency of the answers on disk; – means nothing is known,\nand so does a "+
		"column that is not there.")
	if failed > 0 {
		fmt.Fprintln(w, failedBefore(failed))
	}
}

// failedBefore says what a plan leaves out.
func failedBefore(n int) string {
	return counted(n, "request") + " failed before and would not be asked again; --retry-failed includes what failed."
}

// showMissing says what a run would download.
func showMissing(w io.Writer, missing []pipeline.Missing) error {
	if len(missing) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nA run downloads first, into the cache of the Hugging Face hub:")
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, m := range missing {
		fmt.Fprintf(t, "  %s\t%s\n", m.What, m.Ref)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "What depends on them is not known yet, and not in the total.")
	return err
}

// printColumns prints lines in columns, numbers to the right, and leaves out
// columns in which nothing is known: with few of them a plan fits a terminal.
func printColumns(w io.Writer, lines [][]string) error {
	widths := make([]int, len(lines[0]))
	for c := range widths {
		known := false
		for i, line := range lines {
			widths[c] = max(widths[c], utf8.RuneCountInString(line[c]))
			known = known || i > 0 && line[c] != "" && line[c] != unknown
		}
		if !known {
			widths[c] = 0
		}
	}
	var b strings.Builder
	for _, line := range lines {
		for c, cell := range line {
			switch {
			case widths[c] == 0:
			case c < 2: // names
				fmt.Fprintf(&b, "%-*s  ", widths[c], cell)
			default:
				fmt.Fprintf(&b, "%*s  ", widths[c], cell)
			}
		}
		text := strings.TrimRight(b.String(), " ")
		b.Reset()
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}

// unknown is printed for unknown values of a plan.
const unknown = "–"

func plannedPrice(price *backends.Money) string {
	if price == nil {
		return unknown
	}
	return fmt.Sprintf("%.4f %s", price.Amount, price.Currency)
}

// showPrompts prints the first n rendered prompts of a dataset, with what stands before them, for each model that gets
// another text than the models before it.
func showPrompts(w io.Writer, st *pipeline.Study, d *pipeline.Dataset, n int) {
	if d.Sheet == nil {
		return // not on this machine
	}
	for i := range min(n, d.Sheet.Len()) {
		var r backends.Request
		var shown []string
		for _, m := range st.Spec.Models {
			r = d.Sheet.Request(i, backends.ModelID{}, &m)
			if text := r.Shown(); !m.Config.Traits().Answers || slices.Contains(shown, text) {
				continue
			} else if shown = append(shown, text); len(shown) == 1 {
				fmt.Fprintf(w, "\n%s, record %s\n%s\n", d.Name, d.Sheet.Set.Examples[i].ID, indent(clean(text)))
			} else {
				fmt.Fprintf(w, "\nand to %s\n%s\n", m.Name, indent(clean(text)))
			}
		}
		if len(r.Labels) > 0 {
			fmt.Fprintf(w, "  → one of %s\n", strings.Join(d.Continuations(), " |"))
		} else {
			fmt.Fprintf(w, "  → at most %d tokens\n", r.MaxTokens)
		}
	}
}

// indent puts two spaces before every line.
func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if begin, y := strings.CutSuffix(what, "y"); y {
		return fmt.Sprintf("%d %sies", n, begin)
	}
	return fmt.Sprintf("%d %ss", n, what)
}
