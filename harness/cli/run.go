package cli

import (
	"context"
	"fmt"
	"slices"

	"infnet/harness/analyze"
	"infnet/harness/collect"
	"infnet/harness/pipeline"
	"infnet/harness/pipeline/folder"
	"infnet/harness/result"
	"infnet/reports"
	"infnet/reports/figure"
)

// runCommand collects, analyses and writes a study.
type runCommand struct {
	studyFlags
	collectFlags
	cacheFlags
	trainFlags
}

// cacheFlags say whether the cache of earlier runs is used.
type cacheFlags struct {
	NoCache bool `help:"Work out anew what an earlier run of the study left in its cache."`
}

func (c *runCommand) Run(ctx context.Context, s *streams) error {
	c.studyFlags.Spending, c.studyFlags.Long, c.studyFlags.Part = c.limits(), c.Yes, c.Shard
	st, err := c.open(ctx, s, c.hub())
	if err != nil {
		return err
	}
	if err := folder.Writable(st.Out()); err != nil {
		return err
	}
	report, err := c.collect(ctx, st)
	if err == nil && c.Shard.N > 0 {
		var ready bool
		if ready, err = c.rest(ctx, s, st, report); err == nil && !ready {
			return nil
		}
	}
	if err != nil {
		st.screen.wait()
		return err
	}
	out, err := st.results(ctx, s, c.NoCache, c.recipe())
	if err != nil {
		return err
	}
	causes(s, st, report)
	return st.Finish(out)
}

// collect calls the models after checking that everything the analysis needs is available.
func (c *runCommand) collect(ctx context.Context, st *study) (collect.Report, error) {
	if err := st.CheckEncoders(ctx); err != nil {
		return collect.Report{}, err
	}
	return st.Collect(ctx, c.options())
}

// rest collects, once every answer is there, what other shards left to the last one: texts of answers
// that came after them. ready says that the study can be analysed. If it cannot, it shows what is missing.
func (c *runCommand) rest(ctx context.Context, s *streams, st *study, report collect.Report) (ready bool, err error) {
	left, err := st.Left(ctx, false)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(left, func(l pipeline.Left) bool { return st.Dataset(l.Of) != nil }) {
		st.screen.wait()
		causes(s, st, report)
		fmt.Fprintf(s.out, "%d answers collected; the store is %s\n", report.Asked(), st.Store())
		showLeft(s.out, c.Shard, nil, left)
		return false, nil
	}
	o := c.options()
	o.Rest = true
	_, err = st.Collect(ctx, o)
	return err == nil, err
}

// analyzeCommand recomputes everything from stored answers.
type analyzeCommand struct {
	studyFlags
	cacheFlags
	trainFlags
}

func (c *analyzeCommand) Run(ctx context.Context, s *streams) error {
	c.studyFlags.Long = c.Yes
	st, err := c.open(ctx, s, pipeline.Hub{Access: pipeline.CacheOnly, Why: asksNobody})
	if err != nil {
		return err
	}
	out, err := st.results(ctx, s, c.NoCache, c.recipe())
	if err != nil {
		return err
	}
	return st.Finish(out)
}

// results analyses the study, writes its folder and shows its tables.
func (st *study) results(ctx context.Context, s *streams, anew bool, how folder.Recipe) (*analyze.Output, error) {
	out, err := st.Analyze(ctx, anew)
	st.screen.wait()
	if err != nil {
		return nil, err
	}
	w, err := st.Write(out, how)
	if err != nil {
		return nil, err
	}
	if err := showTables(s, out.Result, st.Out(), w, false); err != nil {
		return nil, err
	}
	if w.Exports > 0 {
		fmt.Fprintf(s.out, "  %-14s %d files of an earlier infnet export, renewed\n", folder.Export+"/", w.Exports)
	}
	return out, nil
}

// showTables prints the main tables of results, or all, and lists what was written.
func showTables(s *streams, r *result.Results, dir string, w folder.Written, all bool) error {
	if err := reports.Terminal(s.out, r,
		reports.Screen{Width: terminalWidth(s.out), Color: colour(s.out), All: all}); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "\nWritten to %s:\n", dir)
	fmt.Fprintf(s.out, "  %-14s everything, unrounded\n", folder.Results)
	fmt.Fprintf(s.out, "  %-14s %d files: Markdown, LaTeX, CSV (see tables.md, all.tex)\n", folder.Tables+"/", w.Tables)
	if w.Figures > 0 {
		fmt.Fprintf(s.out, "  %-14s %d files, a folder for each dataset (see %s)\n", folder.Figures+"/", w.Figures,
			figure.Index)
	}
	if w.Policies > 0 {
		fmt.Fprintf(s.out, "  %-14s %d fitted policies, ready to deploy\n", folder.Policies+"/", w.Policies)
		fmt.Fprintf(s.out, "  %-14s one line per record: see infnet show and infnet export\n", folder.Records)
	}
	return nil
}
