package router

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"infnet/harness/calc"
	"infnet/harness/split"
)

// Fitted holds a learner's scores of a study's records. It survives JSON without
// loss.
type Fitted struct {
	OutOfFold []float64 // one per sample of the task, by the fit without its fold; of FitOnce, by the one fit
	Applied   []float64 // one per further sample, by the fit on all of the task
	FLOPs     float64   // of scoring one sample, mean over the task's
	Judged    Judged    // of OutOfFold
	All       Report    // of the fit on all of the task
	Folds     []Report  // of the fits without a fold, by fold; none of FitOnce

	// Constant: all labels of the task are equal, so that nothing was learned
	// and every score is that label.
	Constant bool
}

// Wall is the time of all fits, as far as it was measured.
func (f *Fitted) Wall() time.Duration {
	sum := f.All.Wall
	for _, r := range f.Folds {
		sum += r.Wall
	}
	return sum
}

// CrossFit fits the learner once without each fold and once to all of the task.
// Every sample of the task is scored by a fit that did not see its fold, those
// of apply by the fit on all; the scores of all fits are put on one scale (see
// align). folds are of the samples, in their order. A fit
// whose labels are all equal learns nothing: its scores are that label.
func CrossFit(ctx context.Context, l Learner, t Task, folds split.Folds, apply []Sample) (*Fitted, error) {
	if len(t.Labels) != len(t.Samples) || len(folds.Of) != len(t.Samples) || len(t.Samples) == 0 {
		return nil, fmt.Errorf("%d labels and %d folds for %d records", len(t.Labels), len(folds.Of), len(t.Samples))
	}
	if f, ok := l.(fitter); ok && !f.embeds { // it reads n-grams
		t.Samples, apply = Counted(t.Samples, t.Answered, max(1, t.Threads)), Counted(apply, t.Answered, max(1, t.Threads))
	}
	f := &Fitted{OutOfFold: make([]float64, len(t.Samples)), Folds: make([]Report, folds.K), Constant: t.oneLabel()}
	jobs := crossJobs(t, folds, apply)
	all := &jobs[folds.K] // the records it did not train on are scored too, to align its scores by
	_, held := all.task.HoldOut(HeldOut)
	all.apply = slices.Concat(apply, pickOf(t.Samples, held))
	if f.Constant {
		jobs = jobs[folds.K:]
	}
	if err := run(ctx, l, t, jobs); err != nil {
		return nil, err
	}
	_, few := l.(Formula)
	if _, estimates := l.(Estimator); !f.Constant && !few && !estimates {
		alignJobs(jobs, len(apply))
	}
	last := jobs[len(jobs)-1]
	last.scores = last.scores[:len(apply)]
	f.All, f.Applied, f.FLOPs = last.report, last.scores, last.flops
	if f.Constant {
		f.Folds, f.OutOfFold = nil, slices.Clone(t.Labels)
	} else {
		for k := range folds.K {
			f.Folds[k] = jobs[k].report
			for n, i := range folds.In(k) {
				f.OutOfFold[i] = jobs[k].scores[n]
			}
		}
	}
	f.Judged = Judge(f.OutOfFold, t.Labels)
	return f, nil
}

// crossJobs are a fit without each fold, which scores that fold, and the fit on all, which scores apply.
func crossJobs(t Task, folds split.Folds, apply []Sample) []job {
	jobs := make([]job, folds.K+1)
	for k := range folds.K {
		jobs[k] = job{task: t.only(folds.Out(k)), apply: pickOf(t.Samples, folds.In(k))}
	}
	jobs[folds.K] = job{task: t, apply: apply}
	for k := range jobs {
		jobs[k].task.Name = fmt.Sprintf("%s/fit-%d", t.Name, k+1)
	}
	return jobs
}

// FitOnce fits the learner once, to all of the task, and scores with that fit its
// own samples and those of apply, as the authors of the paper do: a fifth of
// CrossFit's work with five folds, but a fit's scores of records that it saw are better than
// those of new ones.
func FitOnce(ctx context.Context, l Learner, t Task, apply []Sample) (*Fitted, error) {
	if len(t.Labels) != len(t.Samples) || len(t.Samples) == 0 {
		return nil, fmt.Errorf("%d labels for %d records", len(t.Labels), len(t.Samples))
	}
	jobs := []job{{task: t, apply: slices.Concat(t.Samples, apply)}}
	jobs[0].task.Name = t.Name + "/fit"
	if err := run(ctx, l, t, jobs); err != nil {
		return nil, err
	}
	n, done := len(t.Samples), jobs[0]
	return &Fitted{
		OutOfFold: done.scores[:n:n], Applied: done.scores[n:], FLOPs: done.flops, Judged: Judge(done.scores[:n], t.Labels),
		All: done.report, Constant: t.oneLabel(),
	}, nil
}

// alignJobs puts the scores of all fits on one scale. The last fit's scores are
// those of apply new samples, followed by those of its held-out records. A fit
// that learned nothing, because its labels are equal, takes no part.
func alignJobs(jobs []job, apply int) {
	var scores, seen [][]float64
	for k, j := range jobs {
		if j.task.oneLabel() {
			continue
		}
		from := 0
		if k == len(jobs)-1 {
			from = apply
		}
		scores, seen = append(scores, j.scores), append(seen, j.scores[from:])
	}
	if folds := seen[:len(seen)-1]; len(folds) > 0 {
		mean, spread := together(folds)
		align(scores, seen, mean, spread)
	}
}

// job is one fit and the samples to score with it.
type job struct {
	task  Task
	apply []Sample

	scores    []float64
	estimates []Estimate // of an Estimator, by sample to score
	flops     float64
	report    Report
}

// run does the jobs in parallel, unless the learner needs the machine to itself.
func run(ctx context.Context, l Learner, t Task, jobs []job) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	workers := min(max(1, t.Threads), len(jobs))
	each := 1
	if _, ok := l.(Runner); ok {
		workers, each = 1, max(1, t.Threads)
	}
	var mu sync.Mutex
	var group sync.WaitGroup
	var failed error
	next, done := 0, make([]float64, len(jobs))
	report := func(k int, share float64) {
		mu.Lock()
		defer mu.Unlock()
		done[k] = max(done[k], share)
		if t.Progress != nil {
			all := 0.0
			for _, x := range done {
				all += x
			}
			t.Progress(int(100*all), 100*len(jobs))
		}
	}
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1
	}
	for range workers {
		group.Go(func() {
			for k := take(); k < len(jobs) && ctx.Err() == nil; k = take() {
				j := &jobs[k]
				j.task.Threads = each
				j.task.Progress = func(n, of int) { report(k, float64(n)/float64(max(1, of))) }
				if err := j.do(ctx, l); err != nil {
					mu.Lock()
					if failed == nil {
						failed = err
					}
					mu.Unlock()
					stop()
					return
				}
				report(k, 1)
			}
		})
	}
	group.Wait()
	if failed != nil {
		return failed
	}
	return ctx.Err()
}

// do fits and scores.
func (j *job) do(ctx context.Context, l Learner) error {
	if len(j.task.Labels) > 0 && j.task.oneLabel() {
		label := j.task.Labels[0]
		j.report = Report{Records: len(j.task.Samples), Ones: j.task.ones(),
			Note: fmt.Sprintf("All %d records have the label %v: nothing was learned, and the score is that label.",
				len(j.task.Samples), label)}
		j.scores = slices.Repeat([]float64{label}, len(j.apply))
		return nil
	}
	var began time.Time
	if j.task.Clock != nil {
		began = j.task.Clock()
	}
	var scorer Predictor
	var err error
	switch l := l.(type) {
	case Runner:
		err = j.run(ctx, l)
	case Estimator:
		err = j.estimate(ctx, l)
	case Fitter:
		scorer, j.report, err = l.Fit(ctx, j.task)
	default:
		err = fmt.Errorf("neither fits nor runs")
	}
	if j.task.Clock != nil {
		j.report.Wall = j.task.Clock().Sub(began)
	}
	if err == nil && scorer != nil {
		j.scores, err = scorer.Score(ctx, j.apply)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", l.Name(), err)
	}
	for i, p := range j.scores {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("%s: record %s has the score %v: want a probability", l.Name(), j.apply[i].ID, p)
		}
	}
	if scorer == nil {
		return nil
	}
	for _, i := range j.task.ByID() { // in a fixed order, as this is a sum
		j.flops += scorer.FLOPs(j.task.Samples[i])
	}
	j.flops /= float64(len(j.task.Samples))
	return nil
}

// run runs a learner that does all in one go, and calibrates its scores on the records held out.
func (j *job) run(ctx context.Context, l Runner) error {
	train, held := j.task.HoldOut(HeldOut)
	ran, err := l.Run(ctx, j.task, train, held, j.apply)
	if err != nil {
		return err
	}
	if len(ran.Held) != len(held) || len(ran.Applied) != len(j.apply) {
		return fmt.Errorf("%d and %d scores of %d records held out and %d to score", len(ran.Held), len(ran.Applied),
			len(held), len(j.apply))
	}
	odds := func(p float64) float64 {
		p = min(max(p, 1e-15), 1-1e-15)
		return calc.Log(p) - calc.Log1p(-p)
	}
	z, y := make([]float64, len(held)), pickOf(j.task.Labels, held)
	for i, p := range ran.Held {
		z[i] = odds(p)
	}
	c, note, err := calibrate(z, y)
	if err != nil {
		return err
	}
	j.scores, j.flops = make([]float64, len(j.apply)), ran.FLOPs
	for i, p := range ran.Applied {
		j.scores[i] = c.at(odds(p))
	}
	j.report = Report{Records: len(j.task.Samples), Ones: j.task.ones(), Held: Judge(ran.Held, y), Digest: ran.Digest,
		Note: note}
	return nil
}
