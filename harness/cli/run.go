package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"infnet/backends/engine"
	"infnet/harness/analyze"
	"infnet/harness/collect"
	"infnet/harness/pipeline"
	"infnet/harness/pipeline/folder"
	"infnet/harness/result"
	"infnet/reports"
)

// runCommand collects, analyses and writes a study.
type runCommand struct {
	studyFlags
	collectFlags
	tableFlags
}

// tableFlags say how much of the results is printed.
type tableFlags struct {
	Tables bool `help:"Print every table before what came out in short. infnet report prints them later."`
}

func (c *runCommand) Run(ctx context.Context, s *streams) error {
	c.studyFlags.Part = c.Shard
	st, err := c.open(ctx, s, c.hub())
	if err != nil {
		return err
	}
	if err := folder.Writable(st.Out()); err != nil {
		return err
	}
	if err := folder.Begin(st.Out()); err != nil {
		return err
	}
	var report collect.Report
	if err = pipeline.CheckLearners(st.Study); err == nil {
		report, err = st.Collect(ctx, c.options())
	}
	if err == nil && c.Shard.N > 0 {
		var ready bool
		if ready, err = c.rest(ctx, s, st, report); err == nil && !ready {
			return nil
		}
	}
	if err != nil {
		st.screen.wait()
		return folder.Failed(st.Out(), err)
	}
	out, err := st.results(ctx, s, c.Tables, c.recipe())
	if err != nil {
		return folder.Failed(st.Out(), err)
	}
	causes(s, st, report)
	return st.Finish(out)
}

// rest collects, once every answer is there, what other shards left to the last one: texts of answers
// that came after them. ready says that the study can be analysed. If it cannot, it shows what is missing.
func (c *runCommand) rest(ctx context.Context, s *streams, st *study, report collect.Report) (ready bool, err error) {
	left, err := st.Plan(ctx, pipeline.PlanOptions{Quick: true})
	if err != nil {
		return false, err
	}
	if left.Sum().Calls > 0 {
		st.screen.wait()
		causes(s, st, report)
		fmt.Fprintf(s.out, "%d answers collected; the store is %s\n", report.Asked(), st.Store())
		showLeft(s.out, c.Shard, left)
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
	tableFlags
}

func (c *analyzeCommand) Run(ctx context.Context, s *streams) error {
	st, err := c.open(ctx, s, pipeline.Hub{Access: pipeline.CacheOnly, Why: asksNobody})
	if err != nil {
		return err
	}
	out, err := st.results(ctx, s, c.Tables, c.recipe())
	if err != nil {
		return err
	}
	return st.Finish(out)
}

// results analyses the study, writes its folder and shows what came out.
func (st *study) results(ctx context.Context, s *streams, tables bool, how folder.Recipe) (*analyze.Output,
	error) {
	out, err := st.Analyze(ctx, false)
	st.screen.wait()
	if err != nil {
		return nil, err
	}
	w, err := st.Write(out, how)
	if err != nil {
		return nil, err
	}
	return out, show(s, out.Result, st.Out(), w, tables)
}

// show prints what came out in short, where the files are, and if asked for every table before.
func show(s *streams, r *result.Results, dir string, w folder.Written, tables bool) error {
	screen := reports.Screen{Width: terminalWidth(s.out), Color: colour(s.out)}
	if tables {
		if err := reports.Terminal(s.out, r, screen); err != nil {
			return err
		}
	}
	if err := reports.Brief(s.out, r, screen); err != nil {
		return err
	}
	files := fmt.Sprintf("%d files of tables", w.Tables)
	if w.Figures > 0 {
		files += fmt.Sprintf(", %d of figures", w.Figures)
	}
	if w.Policies > 0 {
		files += ", " + counted(w.Policies, "policy") + " to deploy"
	}
	if w.Exports > 0 {
		files += fmt.Sprintf(", %d files of an earlier infnet export renewed", w.Exports)
	}
	fmt.Fprintf(s.out, "Written to %s: %s\n", dir, files)
	page := filepath.Join(dir, folder.Page)
	if info, err := os.Stat(page); err == nil && info.Mode().IsRegular() {
		fmt.Fprintf(s.out, "Look at it: %s\n", page)
	}
	if !tables {
		fmt.Fprintf(s.out, "All tables: infnet report %s\n", engine.Quote(dir))
	}
	return nil
}
