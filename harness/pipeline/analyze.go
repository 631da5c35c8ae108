package pipeline

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"infnet/backends/lexical"
	"infnet/harness/analyze"
	"infnet/harness/fault"
	"infnet/harness/pipeline/folder"
	"infnet/harness/published"
	"infnet/harness/result"
	learn "infnet/harness/router"
	"infnet/harness/spec"
)

// Analyze reads the store and computes the results; anew ignores the study's cache. It returns at
// once when ctx is done: nothing has been written then but finished parts in the cache.
func (st *Study) Analyze(ctx context.Context, anew bool) (*analyze.Output, error) {
	type outcome struct {
		out *analyze.Output
		err error
	}
	done := make(chan outcome, 1)
	steps := &Steps{Events: st.events}
	defer steps.Finish()
	go func() {
		out, err := compute(ctx, st, anew, steps.Progress)
		done <- outcome{out, err}
	}()
	select {
	case o := <-done:
		return o.out, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func compute(ctx context.Context, st *Study, anew bool, progress analyze.Progress) (*analyze.Output, error) {
	if err := noteUnconfirmed(st); err != nil {
		return nil, err
	}
	cache := &folderCache{dir: filepath.Join(st.options.Store, computed), blind: anew}
	in := input(st)
	in.Threads = runtime.GOMAXPROCS(0)
	in.Cache, in.Progress = cache, progress
	in.Learners = map[learn.Kind]func(spec.Baseline) (learn.Learner, error){
		learn.Command: func(b spec.Baseline) (learn.Learner, error) { return learner(st, b) }}
	if embeds(st.Spec) {
		id := lexical.ID()
		if st.embedder != nil {
			id = st.embedder.known.ID
		}
		vectors, err := st.store.Vectors(id)
		if err != nil {
			return nil, err
		}
		defer vectors.Close()
		in.Vectors = vectors.As(embedding(st).served())
	}
	if scores(st.Spec) {
		scores, err := st.store.Scores(st.scorer.known.ID)
		if err != nil {
			return nil, err
		}
		defer scores.Close()
		in.Scores = scores.As(scoring(st).served())
	}
	found, done, err := graders(st)
	defer done()
	if err != nil {
		return nil, err
	}
	in.Graders = found
	defer frugal(st)()
	out, err := analyze.Run(ctx, in)
	if err != nil {
		return out, err
	}
	cache.prune()
	if st.Spec.Report.Published == "" {
		return out, nil
	}
	printed, err := Printed()
	if err != nil {
		return out, err
	}
	t, err := printed.Table(st.Spec.Report.Published)
	if err == nil { // the results stand next to the table that the study is compared with
		out.Result.Published = published.Against(printed, t, st.Spec, out.Result)
	}
	return out, err
}

// Finish returns an error if the results lack more answers than the study allows. They can still be
// written, and are marked.
func (st *Study) Finish(out *analyze.Output) error {
	if !out.Incomplete() {
		return nil
	}
	return fault.Incomplete.Wrap(fmt.Errorf("incomplete: more answers are missing than [collect] max_missing allows; "+
		"the tables are written and marked (%s)", mend(st)))
}

// Write writes the study's folder. how is stored so that the run can be repeated.
func (st *Study) Write(out *analyze.Output, how folder.Recipe) (folder.Written, error) {
	made := folder.ThisProgram(st.options.Program)
	how.Program, how.Settings = &made, st.Spec.Settings()
	return folder.Write(st.options.Out, out, how)
}

// SameStudy refuses to reproduce a run from a study other than its own.
func SameStudy(s *spec.Study, file string, run *result.Results) error {
	if s.Hash == run.Spec.SpecHash {
		return nil
	}
	without := ""
	if len(s.LeftOut) > 0 {
		without = ", without " + strings.Join(s.LeftOut, ", ") +
			": the environment variables of their if_set are not set here"
	}
	return fault.Differs.Wrap(fmt.Errorf("the study %s is no longer the one the run was made from (it was %.12s…, it "+
		"is %.12s…%s): a run is verified against its own study; "+
		"bring back the spec of then, or run the study again", file, run.Spec.SpecHash, s.Hash, without))
}

// Verify reproduces the files of the run in dir in the study's own folder, from the stored answers
// alone and without the cache, and compares all of them byte for byte. It changes nothing in dir.
func (st *Study) Verify(ctx context.Context, dir string, how folder.Recipe) (c folder.Comparison, err error) {
	out, err := st.Analyze(ctx, true)
	if err != nil {
		return c, fmt.Errorf("the run cannot be made again from the answers in %s (--store names another folder): %w",
			st.Store(), err)
	}
	how.Settings = st.Spec.Settings() // the program that made the run is what it says
	if _, err := folder.Write(st.options.Out, out, how); err != nil {
		return c, err
	}
	exports := filepath.Join(st.options.Out, folder.Export)
	if _, err := folder.WriteExports(out.Result, st.options.Out, exports, folder.Exported(dir)); err != nil {
		return c, err
	}
	return folder.Compare(dir, st.options.Out)
}
