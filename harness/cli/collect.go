package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"infnet/harness/collect"
	"infnet/harness/pipeline"
)

// collectFlags are the flags of commands that may call models.
type collectFlags struct {
	Offline     bool `help:"Call no model and download nothing: fail, listing what is missing."`
	RetryFailed bool `help:"Ask again for what failed in an earlier run."`
	shardFlags
}

// hub returns the hub access that --offline allows.
func (f collectFlags) hub() pipeline.Hub {
	if f.Offline {
		return pipeline.Hub{Access: pipeline.CacheOnly, Why: offlineAsked}
	}
	return pipeline.Hub{Access: pipeline.Download}
}

func (f collectFlags) options() pipeline.CollectOptions {
	return pipeline.CollectOptions{Offline: f.Offline, RetryFailed: f.RetryFailed}
}

// collectCommand calls the models.
type collectCommand struct {
	studyFlags
	collectFlags
	Only []string `help:"Call these models only, of the study's models, its embedder and its scorer." placeholder:"MODEL"`
}

func (c *collectCommand) Run(ctx context.Context, s *streams) error {
	c.studyFlags.Part, c.studyFlags.Models = c.Shard, c.Only
	st, err := c.open(ctx, s, c.hub())
	if err != nil {
		return err
	}
	report, err := st.Collect(ctx, c.options())
	st.screen.wait()
	if err != nil {
		return err
	}
	causes(s, st, report)
	fmt.Fprintf(s.out, "%d answers collected; the store is %s\n", report.Asked(), st.Store())
	if c.Shard.N > 0 {
		left, err := st.Plan(ctx, pipeline.PlanOptions{Quick: true})
		if err == nil {
			showLeft(s.out, c.Shard, left)
		}
		return err
	}
	if len(c.Only) > 0 {
		return nil
	}
	return st.Complete(ctx)
}

// causes prints why requests have no answer, if any.
func causes(s *streams, st *study, r collect.Report) {
	if failures(s.out, r) == 0 {
		return
	}
	again := "; --retry-failed asks again"
	if !slices.ContainsFunc(r.Jobs, func(j collect.JobReport) bool {
		m := st.Model(j.Model) // nil: a judge, an embedder or a program, which are asked
		return j.Failed+j.Earlier > 0 && (m == nil || m.Recording == nil)
	}) {
		again = "; recorded answers are not asked for again: add what is missing to their files"
	}
	prose(s.out, "Failures are listed next to the answers, in *.failures.jsonl%s.\n", again)
}

// failures prints failures in groups, and returns how many there are.
func failures(w io.Writer, r collect.Report) (total int) {
	for _, j := range r.Jobs {
		total += j.Failed + j.Earlier
	}
	if total == 0 {
		return 0
	}
	if total == 1 {
		fmt.Fprint(w, "\n1 request has no answer:\n")
	} else {
		fmt.Fprintf(w, "\n%d requests have no answer:\n", total)
	}
	for _, j := range r.Jobs {
		for _, g := range j.Failures() {
			prose(w, "  %-20s %-20s %s ×%d, such as %s: %s\n", j.Model, j.Dataset, g.First.Cause, g.Count,
				clean(g.Example), oneLine(g.First.Message))
		}
	}
	return total
}

// oneLine is the beginning of a message, for a list.
func oneLine(message string) string {
	const longest = 200
	text := strings.Join(strings.Fields(clean(message)), " ")
	if r := []rune(text); len(r) > longest {
		text = string(r[:longest]) + "…"
	}
	return text
}
