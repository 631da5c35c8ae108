package collect

import (
	"context"
	"errors"
	"fmt"
	"time"

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
	ask       positions // of the items to be asked
	streak    streak    // of failures
	unwritten int       // answers that came and could not be written
	dropped   int       // requests whose calls were given up
	written   time.Time // when the last batch was
}

// id is where the answers are.
func (j *Job) id() store.ID { return store.ID{Model: j.Model, Dataset: j.Hash, Name: j.Dataset} }

// prepared does the job, and what comes before and after it.
func (r *runner) prepared(ctx context.Context, missing *MissingError) error {
	r.report.Model, r.report.Dataset = r.job.Name, r.job.Dataset
	if r.job.Before != nil && !r.opt.Offline {
		if err := r.job.Before(); err != nil {
			return err
		}
	}
	if err := r.run(ctx, missing); err != nil || r.job.After == nil {
		return err
	}
	return r.job.After()
}

// run does the job. If everything is on disk it neither locks nor writes nor opens the model.
func (r *runner) run(ctx context.Context, missing *MissingError) (err error) {
	if err := ctx.Err(); err != nil {
		return stopped(ctx, r.report)
	}
	read, err := r.store.Answers(r.job.id())
	if err != nil {
		return err
	}
	s, err := lookUp(ctx, r.job, read, r.opt.RetryFailed)
	known := read.Len()
	read.Close()
	r.surveyed(s, read.Path())
	if err != nil {
		return err
	}
	if s.Calls > 0 && r.opt.Offline {
		missing.Missing = append(missing.Missing, Missing{r.job.Name, r.job.Dataset, s.Calls})
		return nil
	}
	if s.Calls == 0 {
		r.told()()
		return nil
	}
	if r.answers, err = r.store.WriteAnswers(r.job.id()); err != nil {
		return err
	}
	defer func() {
		if cerr := r.answers.Close(); err == nil {
			err = cerr
		}
	}()
	if r.answers.Len() != known { // someone else wrote in between
		if s, err = lookUp(ctx, r.job, r.answers, r.opt.RetryFailed); err != nil {
			return err
		}
		r.surveyed(s, r.answers.Path())
	}
	r.ask = s.ask
	defer r.told()()
	return r.call(ctx)
}

// told tells of the job, and at its end.
func (r *runner) told() (end func()) {
	c := r.report.Counts
	r.progress.Start(Task{Model: r.job.Name, Dataset: r.job.Dataset}, c.Total-c.Shared, c.OnDisk+c.Earlier)
	return r.progress.Finish
}

func (r *runner) surveyed(s survey, path string) {
	r.report.Path, r.report.Counts, r.report.groups = path, s.Counts, s.groups
	r.streak.answered = s.OnDisk > 0
}

// stopped is the error of a run whose context is done.
func stopped(ctx context.Context, rep JobReport) error {
	return fmt.Errorf("stopped with %d of %d requests unanswered; everything received is on disk, and the same command "+
		"goes on from here: %w",
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
	inner, cancel := context.WithCancel(outer)
	defer cancel()
	begin, stop := r.opt.Spending.deadline(inner)
	defer stop()
	ctx, end := r.opt.linger(begin, r.job.Model.Kind)
	defer end()
	pool := r.start(begin, ctx, model)
	drained, fatal := r.receive(begin, ctx, func() { cancel(); end() }, pool)
	switch {
	case fatal != nil && r.unwritten > 0:
		return fmt.Errorf("%w; %d answers that were received are not on disk and will be asked for again", fatal, r.unwritten)
	case fatal != nil:
		return fatal
	case outer.Err() != nil:
		return stopped(outer, r.report)
	case begin.Err() != nil && (!drained || pool.early || r.dropped > 0):
		return r.opt.Spending.exhausted("time")
	case drained && pool.spent != "":
		return r.opt.Spending.exhausted(pool.spent)
	}
	return nil
}

// receive writes results until the pool is done, a fatal error was received and all calls have returned, or calls do
// not return although their context is done. begin is the context for starting calls.
func (r *runner) receive(begin, ctx context.Context, cancel func(), pool *pool) (drained bool, fatal error) {
	stopping, done := begin.Done(), ctx.Done()
	var settled <-chan time.Time
	for {
		select {
		case res, open := <-pool.results:
			if !open {
				return true, fatal
			}
			if err := r.record(begin, pool, pool.gather(begin, r.written, res)); err != nil && fatal == nil {
				fatal = err
				cancel()
			}
			r.written = time.Now()
		case <-stopping:
			stopping = nil
			if fatal == nil {
				r.opt.announce(int(pool.asking.Load()), r.job.Model.Kind)
			}
		case <-done:
			done = nil
			timer := time.NewTimer(settle)
			defer timer.Stop()
			settled = timer.C
		case <-settled: // calls that ignore the context are left behind
			if rest := pool.more(); len(rest) > 0 && fatal == nil {
				fatal = r.record(begin, pool, rest)
			}
			return false, fatal
		}
	}
}

// record writes a batch of results, then counts them. Failures after begin is done say nothing
// about their requests and are not recorded.
func (r *runner) record(begin context.Context, pool *pool, batch []result) error {
	var records []store.Record
	var failed []store.Failed
	var fatal error
	calls := 0
	for _, res := range batch {
		if len(res.items) > 0 {
			calls++
		}
		if res.err != nil {
			if begin.Err() == nil && fatal == nil {
				fatal = res.err
			}
			r.dropped += len(res.items)
			continue
		}
		for i, it := range res.items {
			a := res.answers[i]
			switch {
			case a.Failure == nil:
				records = append(records, store.Record{Example: it.ID, Answer: a})
				r.streak.end()
			case begin.Err() == nil:
				failed = append(failed, store.Failed{Key: it.Request.Key(), Example: it.ID, Failure: *a.Failure})
				r.streak.add(*a.Failure)
			default:
				r.dropped++
			}
		}
	}
	if err := r.write(records, failed); err != nil {
		return err
	}
	over := !r.opt.Persist && r.streak.over()
	if left := pool.pace.leave(calls, over); over && left == 0 && fatal == nil {
		fatal = &GaveUpError{Failures: r.streak.n, Last: r.streak.last}
	}
	return fatal
}

func (r *runner) write(records []store.Record, failed []store.Failed) error {
	if len(records) > 0 {
		n, err := r.answers.Append(records)
		if err != nil {
			r.unwritten += len(records)
			return err
		}
		r.report.Asked += n
		r.progress.Add(n)
	}
	if len(failed) > 0 {
		if err := r.answers.Fail(failed); err != nil {
			return err
		}
		for _, f := range failed {
			r.report.Failed++
			r.report.groups.add(f.Failure, f.Example)
			r.progress.Fail(f.Failure.Cause, 1)
		}
	}
	return nil
}
