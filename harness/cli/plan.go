package cli

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/cost"
	"infnet/harness/spec"
)

// planCommand says what a run would do.
type planCommand struct {
	studyFlags
	RetryFailed bool `help:"Count what failed in an earlier run as to be asked."`
	Show        int  `help:"Print N rendered prompts of each dataset." placeholder:"N"`
}

func (c *planCommand) Run(ctx context.Context, s *streams) error {
	st, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	planned, err := collect.Plan(ctx, st.store, st.jobs(), collect.Options{RetryFailed: c.RetryFailed})
	if err != nil {
		return withCode(collectCode(err), err)
	}
	w := tabwriter.NewWriter(s.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "MODEL\tDATASET\tRECORDS\tON DISK\tCALLS\tPROMPT TOKENS\tNEW TOKENS\tTFLOPS\tPRICE\tTIME")
	bases := map[string]bool{}
	var total struct{ records, disk, calls, prompt, completion int }
	for _, p := range planned {
		m, _ := st.spec.Model(p.Model)
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\n", p.Model, p.Dataset, p.Total, p.OnDisk, p.Calls,
			p.PromptTokens, p.CompletionTokens, st.work(p), price(m, p), duration(p))
		if p.Calls > 0 {
			bases[fmt.Sprintf("%s, %s: prompt tokens by %s; new tokens: %s", p.Model, p.Dataset, p.PromptBasis, p.CompletionBasis)] = true
		}
		total.records += p.Total
		total.disk += p.OnDisk
		total.calls += p.Calls
		total.prompt += p.PromptTokens
		total.completion += p.CompletionTokens
	}
	fmt.Fprintf(w, "total\t\t%d\t%d\t%d\t%d\t%d\t\t\t\n", total.records, total.disk, total.calls, total.prompt, total.completion)
	if err := w.Flush(); err != nil {
		return err
	}
	if total.calls == 0 {
		fmt.Fprintln(s.out, "\nNothing to ask: every answer is on disk.")
	} else {
		fmt.Fprintln(s.out, "\nHow the tokens were counted:")
		for _, line := range sorted(bases) {
			fmt.Fprintln(s.out, "  "+line)
		}
		fmt.Fprintln(s.out, "TIME is calls × mean latency of the answers on disk; – means nothing is known.")
	}
	for i := range st.spec.Datasets {
		st.showPrompts(s, &st.spec.Datasets[i], c.Show)
	}
	return nil
}

// work is the planned calls' matrix work in TFLOPs, by their mean length.
func (st *study) work(p collect.Planned) string {
	shape := st.models[p.Model].Shape
	if shape == nil || p.Calls == 0 {
		return "–"
	}
	flops, err := cost.FLOPs(*shape, p.PromptTokens/p.Calls, max(1, p.CompletionTokens/p.Calls))
	if err != nil {
		return "–"
	}
	return fmt.Sprintf("%.4g", flops*float64(p.Calls)/1e12)
}

func price(m *spec.Model, p collect.Planned) string {
	if !m.Priced {
		return "–"
	}
	v := (float64(p.PromptTokens)*m.PriceIn + float64(p.CompletionTokens)*m.PriceOut) / 1e6
	return fmt.Sprintf("%.4f %s", v, m.Currency)
}

func duration(p collect.Planned) string {
	if p.Latency == 0 || p.Calls == 0 {
		return "–"
	}
	return (time.Duration(p.Calls) * p.Latency).Round(time.Second).String()
}

// showPrompts prints the first n rendered prompts of a dataset.
func (st *study) showPrompts(s *streams, d *spec.Dataset, n int) {
	sheet := st.sheets[d.Name]
	for i := range min(n, sheet.Len()) {
		r := sheet.Request(i, backends.ModelID{}, backends.Raw)
		fmt.Fprintf(s.out, "\n%s, record %s\n%s\n", d.Name, sheet.Set.Examples[i].ID, indent(clean(r.Prompt)))
		if len(r.Labels) > 0 {
			fmt.Fprintf(s.out, "  → one of %s\n", strings.Join(d.Continuations(), " |"))
		} else {
			fmt.Fprintf(s.out, "  → at most %d tokens\n", r.MaxTokens)
		}
	}
}
