package router

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

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

// CrossFit fits the learner once without each fold and once to all of the task.
// Every sample of the task is scored by a fit that did not see its fold, those
// of apply by the fit on all; the scores of all fits are put on one scale (see
// align). folds are of the samples, in their order. A fit
// whose labels are all equal learns nothing: its scores are that label.
func CrossFit(ctx context.Context, l Learner, t Task, folds split.Folds, apply []Sample) (*Fitted, error) {
	if len(t.Labels) != len(t.Samples) || len(folds.Of) != len(t.Samples) || len(t.Samples) == 0 {
		return nil, fmt.Errorf("%d labels and %d folds for %d records", len(t.Labels), len(folds.Of), len(t.Samples))
	}
	if l.counts {
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
	if !f.Constant && !l.scaled {
		alignJobs(jobs, len(apply))
	}
	last := jobs[len(jobs)-1]
	f.All, f.Applied, f.FLOPs = last.Report, last.Scores[:len(apply)], last.FLOPs
	if f.Constant {
		f.Folds, f.OutOfFold = nil, slices.Clone(t.Labels)
	} else {
		for k := range folds.K {
			f.Folds[k] = jobs[k].Report
			for n, i := range folds.In(k) {
				f.OutOfFold[i] = jobs[k].Scores[n]
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
		OutOfFold: done.Scores[:n:n], Applied: done.Scores[n:], FLOPs: done.FLOPs, Judged: Judge(done.Scores[:n], t.Labels),
		All: done.Report, Constant: t.oneLabel(),
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
		scores, seen = append(scores, j.Scores), append(seen, j.Scores[from:])
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
	Learned
}

// run does the jobs in parallel, unless the learner needs the machine to itself.
func run(ctx context.Context, l Learner, t Task, jobs []job) error {
	workers, each := min(max(1, t.Threads), len(jobs)), 1
	if l.Program {
		workers, each = 1, max(1, t.Threads)
	}
	var mu sync.Mutex
	done := make([]float64, len(jobs))
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
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for k := range jobs {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			j := &jobs[k]
			j.task.Threads = each
			j.task.Progress = func(n, of int) { report(k, float64(n)/float64(max(1, of))) }
			err := j.do(ctx, l)
			if err == nil {
				report(k, 1)
			}
			return err
		})
	}
	return group.Wait()
}

func (j *job) do(ctx context.Context, l Learner) (err error) {
	if len(j.task.Labels) > 0 && j.task.oneLabel() {
		label := j.task.Labels[0]
		j.Report = Report{Records: len(j.task.Samples), Ones: onesOf(j.task.Labels),
			Note: fmt.Sprintf("All %d records have the label %v: nothing was learned, and the score is that label.",
				len(j.task.Samples), label)}
		j.Scores = slices.Repeat([]float64{label}, len(j.apply))
		return nil
	}
	if j.Learned, err = l.Learn(ctx, j.task, j.apply); err != nil {
		return fmt.Errorf("%s: %w", l.Name, err)
	}
	for i, p := range j.Scores {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("%s: record %s has the score %v: want a probability", l.Name, j.apply[i].ID, p)
		}
	}
	return nil
}

// Ran is what a program makes of a task.
type Ran struct {
	Held, Applied []float64 // in [0,1]
	FLOPs         float64   // of one score, mean; 0 = not said
	Digest        string    // of the program
}

// Program is a learner that does all in one go: run learns from the samples train, may watch those held out, and scores
// them and the samples of apply. Its scores are calibrated on those held out.
func Program(name, key string,
	run func(ctx context.Context, t Task, train, held []int, apply []Sample) (Ran, error)) Learner {
	learn := func(ctx context.Context, t Task, apply []Sample) (out Learned, err error) {
		train, held := t.HoldOut(HeldOut)
		ran, err := run(ctx, t, train, held, apply)
		if err != nil {
			return out, err
		}
		if len(ran.Held) != len(held) || len(ran.Applied) != len(apply) {
			return out, fmt.Errorf("%d and %d scores of %d records held out and %d to score", len(ran.Held), len(ran.Applied),
				len(held), len(apply))
		}
		odds := func(list []float64) []float64 {
			z := make([]float64, len(list))
			for i, p := range list {
				p = min(max(p, 1e-15), 1-1e-15)
				z[i] = calc.Log(p) - calc.Log1p(-p)
			}
			return z
		}
		y := pickOf(t.Labels, held)
		by, note, err := calibrate(odds(ran.Held), y)
		if err != nil {
			return out, err
		}
		out.FLOPs, out.Report = ran.FLOPs, Report{Records: len(t.Samples), Ones: onesOf(t.Labels),
			Held: Judge(ran.Held, y), Digest: ran.Digest, Note: note}
		out.scored(odds(ran.Applied), by)
		return out, nil
	}
	return Learner{Name: name, Key: key, Program: true, Learn: learn}
}
