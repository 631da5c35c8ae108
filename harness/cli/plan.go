package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/cost"
	"infnet/harness/spec"
)

// planCommand says what a run would do.
type planCommand struct {
	Specs []string `arg:"" name:"spec" help:"The study's TOML file, or \"quickstart\". Of several studies a line each, and the sum."`
	askedFlags
	RetryFailed bool `help:"Count what failed in an earlier run as to be asked."`
	Show        int  `help:"Print N rendered prompts of each dataset." placeholder:"N"`
	budgetFlags
}

func (c *planCommand) Run(ctx context.Context, s *streams) error {
	c.askedFlags.Budget = c.limits()
	if len(c.Specs) > 1 {
		return c.several(ctx, s)
	}
	st, err := (&studyFlags{Spec: c.Specs[0], askedFlags: c.askedFlags}).open(ctx, s, looked)
	if err != nil {
		return err
	}
	tuners := st.tuners(true)
	if err := tuners.check(ctx); err != nil {
		return err
	}
	jobs := st.jobs(ctx)
	planned, err := collect.Plan(ctx, st.store, jobs, collect.Options{RetryFailed: c.RetryFailed})
	if err != nil {
		return err
	}
	lines := [][]string{{"MODEL", "DATASET", "RECORDS", "ON DISK", "CALLS", "TOKENS IN", "OUT", "TFLOPS", "PRICE", "TIME"}}
	bases := map[string]bool{}
	var total struct{ records, disk, calls, prompt, completion int }
	for _, p := range planned {
		m, _ := st.spec.Model(p.Model)
		lines = append(lines, []string{p.Model, p.Dataset, strconv.Itoa(p.Total), strconv.Itoa(p.OnDisk), strconv.Itoa(p.Calls),
			strconv.Itoa(p.PromptTokens), strconv.Itoa(p.CompletionTokens), st.work(p), planPrice(m, p), duration(p)})
		if p.Calls > 0 {
			bases[fmt.Sprintf("%s, %s: prompt tokens by %s; new tokens: %s", p.Model, p.Dataset, p.PromptBasis, p.CompletionBasis)] = true
		}
		total.records += p.Total
		total.disk += p.OnDisk
		total.calls += p.Calls
		total.prompt += p.PromptTokens
		total.completion += p.CompletionTokens
	}
	lines = append(lines, st.unplanned()...)
	vectors, err := st.planVectors(planned)
	if err != nil {
		return err
	}
	lines = append(lines, vectors.lines...)
	if total.calls > 0 {
		for _, b := range vectors.bases {
			bases[b] = true
		}
	}
	lines = append(lines, []string{"total", "", strconv.Itoa(total.records), strconv.Itoa(total.disk), strconv.Itoa(total.calls),
		strconv.Itoa(total.prompt), strconv.Itoa(total.completion), "", "", ""})
	if err := printColumns(s.out, lines); err != nil {
		return err
	}
	if err := st.showAway(s.out); err != nil {
		return err
	}
	if err := st.showOlder(s.out); err != nil {
		return err
	}
	if total.calls == 0 && len(st.away) > 0 {
		return nil
	}
	if total.calls == 0 {
		fmt.Fprintln(s.out, "\nNothing to ask: every answer is on disk.")
		for _, line := range vectors.left {
			fmt.Fprintln(s.out, line)
		}
	} else {
		fmt.Fprintln(s.out, "\nHow the tokens were counted:")
		for _, line := range sorted(bases) {
			fmt.Fprintln(s.out, "  "+line)
		}
		fmt.Fprintln(s.out, "TIME is calls × mean latency of the answers on disk; – means nothing is known,\nand so does a column that is not there.")
	}
	if over := st.overBudget(jobs, planned); over != "" {
		fmt.Fprintf(s.out, "\nWarning: the calls take more than the budget: %s.\nA run stops before that, with exit code %d; running again goes on.\n", over, ExitBudget)
	}
	if err := tuners.showTraining(ctx, s.out); err != nil {
		return err
	}
	for i := range st.spec.Datasets {
		st.showPrompts(s, &st.spec.Datasets[i], c.Show)
	}
	return nil
}

// unplanned are the lines of jobs about which nothing is known.
func (st *study) unplanned() (lines [][]string) {
	for i := range st.spec.Models {
		for j := range st.spec.Datasets {
			m, d := &st.spec.Models[i], &st.spec.Datasets[j]
			if st.asked(m.Name, d.Name) && !st.here(m, d) {
				lines = append(lines, []string{m.Name, d.Name, unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown})
			}
		}
	}
	return lines
}

// showAway says what a run would download.
func (st *study) showAway(w io.Writer) error {
	if len(st.away) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nA run downloads first, into the cache of the Hugging Face hub:")
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, a := range st.away {
		fmt.Fprintf(t, "  %s\t%s\n", a.what, a.ref)
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

// unknown stands for what cannot be said of a plan.
const unknown = "–"

// work is the planned calls' matrix work in TFLOPs, by their mean length.
func (st *study) work(p collect.Planned) string {
	shape := st.models[p.Model].Shape
	if shape == nil || p.Calls == 0 {
		return unknown
	}
	flops, err := cost.FLOPs(*shape, p.PromptTokens/p.Calls, max(1, p.CompletionTokens/p.Calls))
	if err != nil {
		return unknown
	}
	return fmt.Sprintf("%.4g", flops*float64(p.Calls)/1e12)
}

func planPrice(m *spec.Model, p collect.Planned) string {
	if !m.Priced {
		return unknown
	}
	v := (float64(p.PromptTokens)*m.PriceIn + float64(p.CompletionTokens)*m.PriceOut) / 1e6
	return fmt.Sprintf("%.4f %s", v, m.Currency)
}

func duration(p collect.Planned) string {
	if p.Latency == 0 || p.Calls == 0 {
		return unknown
	}
	return (time.Duration(p.Calls) * p.Latency).Round(time.Second).String()
}

// showPrompts prints the first n rendered prompts of a dataset.
func (st *study) showPrompts(s *streams, d *spec.Dataset, n int) {
	sheet := st.sheets[d.Name]
	if sheet == nil {
		return // away
	}
	for i := range min(n, sheet.Len()) {
		r := sheet.Request(i, backends.ModelID{}, &spec.Model{Mode: backends.Raw})
		fmt.Fprintf(s.out, "\n%s, record %s\n%s\n", d.Name, sheet.Set.Examples[i].ID, indent(clean(r.Prompt)))
		if len(r.Labels) > 0 {
			fmt.Fprintf(s.out, "  → one of %s\n", strings.Join(d.Continuations(), " |"))
		} else {
			fmt.Fprintf(s.out, "  → at most %d tokens\n", r.MaxTokens)
		}
	}
}
