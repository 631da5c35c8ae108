package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/pipeline"
)

// planCommand says what a run would do.
type planCommand struct {
	studyFlags
	RetryFailed bool `help:"Count what failed in an earlier run as to be asked."`
	Show        uint `help:"Print N rendered prompts of each dataset." placeholder:"N"`
}

func (c *planCommand) Run(ctx context.Context, s *streams) error {
	st, err := c.open(ctx, s, pipeline.Hub{Access: pipeline.Optional, Why: asksNobody})
	if err != nil {
		return err
	}
	p, err := st.Plan(ctx, pipeline.PlanOptions{RetryFailed: c.RetryFailed})
	st.screen.wait()
	if err != nil {
		return err
	}
	showPlan(s.out, p)
	for i, m := range st.Missing() {
		if i == 0 {
			fmt.Fprintln(s.out, "\nA run downloads first, into the cache of the Hugging Face hub (not in the total):")
		}
		fmt.Fprintf(s.out, "  %s  %s\n", m.What, m.Ref)
	}
	if r := st.Spec.Reach(); len(r.Programs)+len(r.Files)+len(r.Sends) > 0 {
		fmt.Fprintln(s.out, "\nOn this machine (docs/threat-model.md):")
		showReach(s.out, r)
	}
	if p.Over != "" {
		prose(s.out, "\nWarning: the calls take more than the budget: %s.\nA run stops before that, with exit code "+
			"%d; running again goes on.\n", p.Over, ExitBudget)
	}
	for _, d := range st.Datasets {
		showPrompts(s.out, st.Study, d, int(c.Show))
	}
	return nil
}

// showPlan prints what is on disk, what is to be asked and what that costs: before a run, and while a part of it is
// done.
func showPlan(w io.Writer, p pipeline.Plan) {
	lines := [][]string{{"MODEL", "DATASET", "RECORDS", "ON DISK", "CALLS", "TOKENS IN", "OUT", "TFLOPS", "PRICE", "TIME",
		"FAILED"}}
	bases, timed := map[string]bool{}, ""
	for _, j := range p.Jobs {
		work, lasts := unknown, unknown
		if tflops, ok := j.TFLOPs(); ok {
			work = fmt.Sprintf("%.4g", tflops)
		}
		if d := j.Lasts(); d > 0 {
			lasts, timed = d.Round(time.Second).String(), "; TIME by the latency of the answers on disk"
		}
		lines = append(lines, planLine(j.Model, j.Of(), j.Planned, work, lasts))
		if j.Calls > 0 {
			bases[string(j.PromptBasis)], bases[string(j.CompletionBasis)] = true, true
		}
	}
	for _, u := range p.Unknown {
		lines = append(lines, append([]string{u.Model, u.Dataset}, slices.Repeat([]string{unknown}, 9)...))
	}
	texts := 0
	for _, d := range p.Derived {
		line := append([]string{d.Model, d.What}, slices.Repeat([]string{unknown}, 9)...)
		if !d.Unknown {
			line[2], line[3], line[4] = strconv.Itoa(d.Missing+d.OnDisk), strconv.Itoa(d.OnDisk), strconv.Itoa(d.Missing)
			texts += d.Missing
		}
		lines = append(lines, line)
	}
	sum := p.Sum()
	printColumns(w, append(lines, planLine("total", "", sum, "", "")))
	fmt.Fprintln(w)
	switch {
	case sum.Calls > 0:
		prose(w, "Tokens by %s%s; – is not known.\n", strings.Join(slices.Sorted(maps.Keys(bases)), "; "), timed)
		if len(p.Derived) > 0 {
			fmt.Fprintln(w, "Of texts, pairs and answers to grade there are at most so many.")
		}
	case len(p.Unknown) == 0 && texts == 0:
		fmt.Fprintln(w, "Nothing to ask: every answer is on disk, or failed before.")
	}
	if sum.Earlier > 0 {
		fmt.Fprintf(w, "%s failed before and would not be asked again; --retry-failed includes what failed.\n",
			counted(sum.Earlier, "request"))
	}
}

// planLine is a line of showPlan.
func planLine(model, of string, p collect.Planned, work, lasts string) []string {
	failed := ""
	if p.Earlier > 0 {
		failed = strconv.Itoa(p.Earlier)
	}
	return []string{model, of, strconv.Itoa(p.Total), strconv.Itoa(p.OnDisk), strconv.Itoa(p.Calls),
		strconv.Itoa(p.PromptTokens), strconv.Itoa(p.CompletionTokens), work, plannedPrice(p.Price()), lasts, failed}
}

// printColumns prints lines in columns, numbers to the right, and leaves out
// columns in which nothing is known: with few of them a plan fits a terminal.
func printColumns(w io.Writer, lines [][]string) {
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
	for _, line := range lines {
		var b strings.Builder
		for c, cell := range line {
			switch {
			case widths[c] == 0:
			case c < 2: // names
				fmt.Fprintf(&b, "%-*s  ", widths[c], clean(cell))
			default:
				fmt.Fprintf(&b, "%*s  ", widths[c], cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
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
			if text := r.Shown(); m.Config.Traits().Answers && !slices.Contains(shown, text) {
				shown = append(shown, text)
				fmt.Fprintf(w, "\n%s, record %s, to %s\n  %s\n", d.Name, d.Sheet.Set.Examples[i].ID, m.Name,
					strings.ReplaceAll(strings.TrimRight(clean(text), "\n"), "\n", "\n  "))
			}
		}
		if len(r.Labels) > 0 {
			fmt.Fprintf(w, "  → one of %s\n", strings.Join(d.Continuations(), " |"))
		} else {
			fmt.Fprintf(w, "  → at most %d tokens\n", r.MaxTokens)
		}
	}
}

// counted is "1 line" or "2 lines".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if begin, y := strings.CutSuffix(what, "y"); y {
		return fmt.Sprintf("%d %sies", n, begin)
	}
	return fmt.Sprintf("%d %ss", n, what)
}
