package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"infnet/harness/analyze"
	"infnet/harness/fault"
	"infnet/harness/policy/deploy"
	"infnet/harness/published"
	"infnet/harness/question"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/store"
	"infnet/reports"
	"infnet/reports/figure"
)

// runCommand is the main job.
type runCommand struct {
	studyFlags
	collectFlags
	cacheFlags
	trainFlags
}

// cacheFlags say what is believed of an earlier run.
type cacheFlags struct {
	NoCache bool `help:"Work out anew what an earlier run of the study left in its cache."`
}

func (c *runCommand) Run(ctx context.Context, s *streams) error {
	c.studyFlags.Budget = c.limits()
	st, err := c.open(ctx, s, c.reach())
	if err != nil {
		return err
	}
	if err := writable(st.out); err != nil {
		return err
	}
	if err := st.tuners(true).check(ctx); err != nil {
		st.screen.wait()
		return err
	}
	report, err := st.collect(ctx, c.collectFlags)
	if err != nil {
		st.screen.wait()
		return err
	}
	st.flags.Long = c.Yes
	out, err := st.analyze(ctx, c.NoCache)
	st.screen.wait()
	if err != nil {
		return err
	}
	st.doubtAnswers(out)
	if err := st.write(s, out); err != nil {
		return err
	}
	causes(s, report)
	return finish(out)
}

// analyzeCommand recomputes everything from stored answers.
type analyzeCommand struct {
	studyFlags
	cacheFlags
	trainFlags
}

func (c *analyzeCommand) Run(ctx context.Context, s *streams) error {
	st, err := c.open(ctx, s, stored)
	if err != nil {
		return err
	}
	st.flags.Long = c.Yes
	out, err := st.analyze(ctx, c.NoCache)
	st.screen.wait()
	if err != nil {
		return err
	}
	st.doubtAnswers(out)
	if err := st.write(s, out); err != nil {
		return err
	}
	return finish(out)
}

// analyze reads the store and computes the results. It returns at once when
// ctx is done, whatever is being computed: nothing but finished parts in the
// cache is written yet.
func (st *study) analyze(ctx context.Context, noCache bool) (*analyze.Output, error) {
	type outcome struct {
		out *analyze.Output
		err error
	}
	held, err := st.holdings()
	if err == nil {
		err = st.older(held)
	}
	if err != nil {
		return nil, err
	}
	done := make(chan outcome, 1)
	steps := &steps{screen: st.screen}
	defer steps.finish()
	go func() {
		out, err := st.compute(ctx, noCache, steps.tell)
		done <- outcome{out, err}
	}()
	select {
	case o := <-done:
		return o.out, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (st *study) compute(ctx context.Context, noCache bool, tell analyze.Progress) (*analyze.Output, error) {
	if err := st.unconfirmed(); err != nil {
		return nil, err
	}
	cache := &folderCache{dir: filepath.Join(st.out, cacheFolder), blind: noCache}
	in := analyze.Input{
		Input:   records.Input{Study: st.spec, Facts: st.models, Sheets: st.sheets, Sources: st.sources, Store: st.store},
		Program: programVersion(), Origins: st.origins, Threads: st.threads(), Cache: cache, Progress: tell, Clock: time.Now,
	}
	tuners := st.tuners(noCache)
	in.Learners = tuners.learners(ctx)
	if st.needsVectors() {
		vectors, err := st.store.Vectors(st.embedder())
		if err != nil {
			return nil, err
		}
		defer vectors.Close()
		in.Vectors = vectors.As(question.Served(st.spec.Embedder.Model))
	}
	if st.needsScores() {
		scores, err := st.store.Scores(st.models[st.spec.Scorer.Name].ID)
		if err != nil {
			return nil, err
		}
		defer scores.Close()
		in.Scores = scores.As(question.Served(st.spec.Scorer))
	}
	out, err := analyze.Run(ctx, in)
	if err != nil {
		return out, err
	}
	cache.prune()
	tuners.tidy()
	st.trained(out.Trained)
	if st.spec.Report.Published != "" {
		out.Result.Published, err = st.published(out.Result)
	}
	reports.WordNotes(out.Result)
	return out, err
}

// published sets the results beside the table that the study stands against.
func (st *study) published(r *result.Study) (*result.Published, error) {
	b, err := book()
	if err != nil {
		return nil, err
	}
	t, err := b.Table(st.spec.Report.Published)
	if err != nil {
		return nil, err
	}
	return published.Against(b, t, st.spec, r), nil
}

// threads is the number of CPU threads that the user allows.
func (st *study) threads() int {
	if st.flags.Jobs > 0 {
		return st.flags.Jobs
	}
	return runtime.GOMAXPROCS(0)
}

// errIncomplete ends a study that misses more answers than it allows.
var errIncomplete = errors.New("incomplete: more answers are missing than [collect] max_missing allows; the tables are written and marked (--retry-failed asks again for what failed)")

func finish(out *analyze.Output) error {
	if out.Incomplete() {
		return fault.Incomplete.Wrap(errIncomplete)
	}
	return nil
}

// Files of a study's folder.
const (
	resultsFile    = "results.json"
	recordsFile    = "records.jsonl"
	tablesFolder   = "tables"
	figuresFolder  = "figures"
	policiesFolder = "policies"
)

// write writes the study's folder and shows its tables. Everything is encoded
// before the first file is touched, and what an earlier run left of policies
// and tables goes: the folder holds this run alone. An export that is there is
// renewed.
func (st *study) write(s *streams, out *analyze.Output) error {
	sweep(st.out)
	results, err := result.Encode(out.Result)
	if err != nil {
		return err
	}
	policies, err := deployments(out)
	if err != nil {
		return err
	}
	if err := store.WriteFile(filepath.Join(st.out, resultsFile), results); err != nil {
		return err
	}
	if err := writeRecords(filepath.Join(st.out, recordsFile), out); err != nil {
		return err
	}
	if err := writeRecipe(st.out, st.flags.recipe()); err != nil {
		return err
	}
	folder := filepath.Join(st.out, policiesFolder)
	for _, name := range slices.Sorted(maps.Keys(policies)) {
		if err := store.WriteFile(filepath.Join(folder, name), policies[name]); err != nil {
			return err
		}
	}
	if err := keepOnly(folder, slices.Collect(maps.Keys(policies)), ".toml"); err != nil {
		return err
	}
	if err := writeTables(s, out.Result, st.out, len(policies), false); err != nil {
		return err
	}
	return st.renewExports(s, out.Result)
}

// renewExports writes again what infnet export has left in the run's folder: an
// export of other results would stand beside these.
func (st *study) renewExports(s *streams, r *result.Study) error {
	names := exportedFiles(st.out)
	if len(names) == 0 {
		return nil
	}
	if _, err := writeExports(r, st.out, filepath.Join(st.out, exportFolder), names); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "  %-14s %d files of an earlier infnet export, renewed\n", exportFolder+"/", len(names))
	return nil
}

// deployments encodes every fitted policy, by file name.
func deployments(out *analyze.Output) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, b := range out.Benches {
		list, err := b.Deployments(out.Result.Spec.AnswersHash)
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			name := fmt.Sprintf("%s--%s--%s", fileName(b.Cascade.Name), fileName(b.Dataset.Name), d.Name)
			for n := 2; files[name+".toml"] != nil; n++ { // a+b and a-b are one name to a file system
				name = fmt.Sprintf("%s--%s--%s-%d", fileName(b.Cascade.Name), fileName(b.Dataset.Name), d.Name, n)
			}
			name += ".toml"
			if files[name], err = deploy.Encode(d.File); err != nil {
				return nil, fmt.Errorf("policy %s of cascade %s on dataset %s: %w", d.Name, b.Cascade.Name, b.Dataset.Name, err)
			}
		}
	}
	return files, nil
}

// bases are the names of files without their folders.
func bases(paths []string) []string {
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = filepath.Base(p)
	}
	return names
}

// writeTables writes the tables and figures of results, and shows the main
// tables, or all.
func writeTables(s *streams, r *result.Study, dir string, policies int, all bool) error {
	paths, err := reports.Write(r, filepath.Join(dir, tablesFolder), reports.Options{Save: store.WriteFile})
	if err != nil {
		return err
	}
	if err := keepOnly(filepath.Join(dir, tablesFolder), bases(paths), ".md", ".tex", ".csv"); err != nil {
		return err
	}
	figures := filepath.Join(dir, figuresFolder)
	drawn, err := figure.Write(r, figures, reports.Comment(r), store.WriteFile)
	if err != nil {
		return err
	}
	if err := keepOnly(figures, bases(drawn), ".svg", ".pdf", ".png", ".tex", ".md"); err != nil {
		return err
	}
	if err := reports.Terminal(s.out, r, reports.Screen{Width: terminalWidth(s.out), Color: colour(s.out), All: all}); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "\nWritten to %s:\n", dir)
	fmt.Fprintf(s.out, "  %-14s everything, unrounded\n", resultsFile)
	fmt.Fprintf(s.out, "  %-14s %d files: Markdown, LaTeX, CSV (see tables.md, all.tex)\n", tablesFolder+"/", len(paths))
	if len(drawn) > 0 {
		fmt.Fprintf(s.out, "  %-14s %d files: SVG, PDF, PNG, pgfplots (see %s)\n", figuresFolder+"/", len(drawn), figure.Index)
	}
	if policies > 0 {
		fmt.Fprintf(s.out, "  %-14s %d fitted policies, ready to deploy\n", policiesFolder+"/", policies)
		fmt.Fprintf(s.out, "  %-14s one line per record: see infnet show and infnet export\n", recordsFile)
	}
	return nil
}
