package collect

import (
	"context"
	"errors"
	"fmt"
	"time"

	"infnet/backends"
	"infnet/harness/store"
)

// runner does one job.
type runner struct {
	job      Job
	store    *store.Store
	opt      Options
	progress Progress
	report   JobReport

	answers   *store.Answers
	ask       map[short]struct{} // keys still to be asked; the feeder's
	streak    int                // failures in a row that speak of the server
	last      backends.Failure   // the last one of them
	unwritten int                // answers that came and could not be written
}

func (r *runner) id() store.ID {
	return store.ID{Model: r.job.Model, Dataset: r.job.Hash, Name: r.job.Dataset}
}

// run does the job. Where everything is on disk it neither locks nor writes
// nor opens the model.
func (r *runner) run(ctx context.Context, missing *MissingError) (err error) {
	r.report.Model, r.report.Dataset = r.job.Name, r.job.Dataset
	if err := ctx.Err(); err != nil {
		return stopped(ctx, r.report)
	}
	read, err := r.store.Answers(r.id())
	if err != nil {
		return err
	}
	s, err := look(ctx, r.job, read, r.opt.RetryFailed, nil)
	known := read.Len()
	read.Close()
	r.surveyed(s, read.Path())
	if err != nil {
		return err
	}
	if len(s.ask) > 0 && r.opt.Offline {
		missing.Missing = append(missing.Missing, Missing{r.job.Name, r.job.Dataset, len(s.ask), s.first})
		return nil
	}
	if len(s.ask) == 0 {
		r.progress.Start(r.task(), s.total-s.shared, s.had+s.earlier)
		r.progress.Finish()
		return nil
	}
	if r.answers, err = r.store.WriteAnswers(r.id()); err != nil {
		return err
	}
	defer func() {
		if cerr := r.answers.Close(); err == nil {
			err = cerr
		}
	}()
	if r.answers.Len() != known { // someone else wrote in between
		if s, err = look(ctx, r.job, r.answers, r.opt.RetryFailed, nil); err != nil {
			return err
		}
		r.surveyed(s, r.answers.Path())
	}
	r.ask = s.ask
	r.progress.Start(r.task(), s.total-s.shared, s.had+s.earlier)
	defer r.progress.Finish()
	return r.call(ctx)
}

func (r *runner) task() Task { return Task{Model: r.job.Name, Dataset: r.job.Dataset} }

func (r *runner) surveyed(s survey, path string) {
	r.report.Path = path
	r.report.Total, r.report.Had, r.report.Shared, r.report.Earlier = s.total, s.had, s.shared, s.earlier
	r.report.Causes = s.causes
}

// stopped is the error of a run whose context is done.
func stopped(ctx context.Context, rep JobReport) error {
	return fmt.Errorf("stopped with %d of %d requests unanswered; everything received is on disk, and the same command goes on from here: %w",
		rep.Missing(), rep.Total, context.Cause(ctx))
}

// call opens the model, keeps its calls in flight and writes what comes back.
func (r *runner) call(outer context.Context) error {
	if r.job.Open == nil {
		return errors.New("there is no way to open the model")
	}
	model, err := r.job.Open()
	if err != nil {
		return err
	}
	timed, stop := r.opt.Budget.deadline(outer)
	defer stop()
	ctx, cancel := context.WithCancel(timed)
	defer cancel()
	pool := r.start(ctx, model)
	fatal := r.receive(ctx, cancel, pool)
	switch {
	case fatal != nil:
		return fatal
	case outer.Err() != nil:
		return stopped(outer, r.report)
	case timed.Err() != nil:
		return r.opt.Budget.exhausted("time")
	case pool.spent != "":
		return r.opt.Budget.exhausted(pool.spent)
	}
	return nil
}

// receive writes results until the pool is done, a fatal error has been
// drained, or the grace after a cancelled context is over.
func (r *runner) receive(ctx context.Context, cancel context.CancelFunc, pool *pool) (fatal error) {
	done := ctx.Done()
	var grace <-chan time.Time
	for {
		select {
		case res, open := <-pool.results:
			if !open {
				return fatal
			}
			if err := r.take(ctx, pool.more(res)); err != nil && fatal == nil {
				fatal = err
				cancel()
			}
		case <-done:
			done = nil
			timer := time.NewTimer(r.opt.Grace)
			defer timer.Stop()
			grace = timer.C
		case <-grace: // calls that ignore the context are left behind
			if rest := pool.more(); len(rest) > 0 && fatal == nil {
				fatal = r.take(ctx, rest)
			}
			return fatal
		}
	}
}

// take writes a batch of results, then counts them. Once the context is done,
// failures say nothing about their requests and are not recorded.
func (r *runner) take(ctx context.Context, batch []result) error {
	var records []store.Record
	var failed []store.Failed
	var fatal error
	for _, res := range batch {
		if res.err != nil {
			if ctx.Err() == nil && fatal == nil {
				fatal = res.err
			}
			continue
		}
		for i, it := range res.items {
			a := res.answers[i]
			if a.Failure == nil {
				records = append(records, store.Record{Example: it.ID, Answer: a})
				r.streak = 0
			} else if ctx.Err() == nil {
				failed = append(failed, store.Failed{Key: it.Request.Key(), Example: it.ID, Failure: *a.Failure})
				if serverSide(a.Failure.Cause) {
					r.streak++
					r.last = *a.Failure
				}
			}
		}
	}
	if err := r.write(records, failed); err != nil {
		return err
	}
	if fatal == nil && r.opt.GiveUp > 0 && r.streak >= r.opt.GiveUp {
		fatal = &GaveUpError{Failures: r.streak, Last: r.last}
	}
	return fatal
}

func (r *runner) write(records []store.Record, failed []store.Failed) error {
	if len(records) > 0 {
		n, err := r.answers.Append(records) // with an error, n are on the disk all the same
		r.report.Asked += n
		r.progress.Add(n)
		if err != nil {
			r.unwritten += len(records) - n
			return err
		}
	}
	if len(failed) > 0 {
		if err := r.answers.Fail(failed); err != nil {
			return err
		}
		for _, f := range failed {
			r.report.Failed++
			r.report.Causes[f.Failure.Cause]++
			r.progress.Fail(f.Failure.Cause, 1)
		}
	}
	return nil
}

// serverSide reports whether a cause speaks of the server and not of the
// request.
func serverSide(c backends.Cause) bool {
	return !c.Unsaid() && c != backends.BadRequest && c != backends.TooLong && c != backends.NotRecorded && c != backends.Internal
}
