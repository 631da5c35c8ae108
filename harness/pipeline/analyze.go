package pipeline

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"infnet/harness/analyze"
	"infnet/harness/fault"
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
	in.Threads, in.Cache, in.Progress, in.Clock = threads(st), cache, progress, time.Now
	in.Learners = map[learn.Kind]func(spec.Baseline) (learn.Learner, error){
		learn.Command: func(b spec.Baseline) (learn.Learner, error) { return learner(st, b) }}
	if embeds(st.Spec) {
		vectors, err := st.store.Vectors(embedderID(st))
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
	logTrained(st, out.Trained)
	if st.Spec.Report.Published != "" {
		out.Result.Published, err = compared(st, out.Result)
	}
	return out, err
}

// compared sets the results next to the table that the study is compared with.
func compared(st *Study, r *result.Results) (*result.Published, error) {
	b, err := Printed()
	if err != nil {
		return nil, err
	}
	t, err := b.Table(st.Spec.Report.Published)
	if err != nil {
		return nil, err
	}
	return published.Against(b, t, st.Spec, r), nil
}

// logTrained logs the training times of the baselines. Times are only logged, since the files of
// two runs of the same study must not differ.
func logTrained(st *Study, list []analyze.Trained) {
	for _, t := range list {
		st.events.Info("trained", "baseline", t.Row, "learner", t.Learner, "cascade", t.Cascade, "dataset", t.Dataset,
			"fits", t.Fits, "took", t.Wall.Round(time.Millisecond), "held_out", t.Held.String())
	}
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
