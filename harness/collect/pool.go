package collect

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"infnet/backends"
)

// pool is the calls in flight. A feeder cuts the items into batches, workers
// ask, and results is closed when all are done.
type pool struct {
	results chan result
	pace    pacer
	asking  atomic.Int64 // calls under way
	spent   string       // the spending limit that ended the feeding; read after results is closed
	early   bool         // the feeding ended before the items did; the same
}

// result is what came back of one call.
type result struct {
	items    []Item
	answers  []backends.Answer // one per item, checked; invalid if err is set
	err      error
	reserved Spent // of the spending limits, for this call
}

// start starts the calls: new ones until begin is done, and those in flight until ctx is done. Its goroutines end with
// the items or with ctx. A call that ignores its context ends on its own, and its result is dropped.
func (r *runner) start(begin, ctx context.Context, model backends.Model) *pool {
	size, workers := r.job.Batch, r.job.Concurrency
	batcher, isBatcher := backends.Ability[backends.Batcher](model)
	if size <= 0 {
		size = 1
		if isBatcher {
			size = max(1, batcher.BatchSize())
		}
	}
	if workers <= 0 {
		workers = 8
		if isBatcher {
			workers = 1
		}
	}
	// Room for one result per worker: an abandoned worker never blocks, and none runs far ahead of what is written.
	p := &pool{results: make(chan result, workers)}
	work := make(chan result)
	var wg sync.WaitGroup
	meter := r.opt.Spending.meter(r.job, model)
	wg.Go(func() {
		defer close(work)
		p.spent, p.early = r.feed(begin, size, meter, &p.pace, work)
	})
	for range workers {
		wg.Go(func() {
			for w := range work {
				if w.err == nil {
					p.asking.Add(1)
					w.answers, w.err = ask(ctx, model, r.job.Thinks, w.items)
					p.asking.Add(-1)
					meter.leave(w.reserved, w.items, w.answers)
				}
				p.results <- w
				if ctx.Err() != nil {
					return
				}
			}
		})
	}
	go func() {
		wg.Wait()
		close(p.results)
	}()
	return p
}

// together is how many results share one write and one flush, and moment how far flushes are apart where results come
// faster. A flush can take longer than a call; a result that waits for the next one is not counted yet.
const (
	together = 64
	moment   = 5 * time.Millisecond
)

// gather adds to a result what comes until a moment after the last flush, which it does not wait for
// after a failure: failures decide whether there are more calls.
func (p *pool) gather(begin context.Context, flushed time.Time, first result) []result {
	batch := p.more(first)
	wait := moment - time.Since(flushed)
	if wait <= 0 || len(batch) >= together || slices.ContainsFunc(batch, result.failed) {
		return batch
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for len(batch) < together {
		select {
		case res, open := <-p.results:
			if !open {
				return batch
			}
			if batch = append(batch, res); res.failed() {
				return batch
			}
		case <-timer.C:
			return batch
		case <-begin.Done():
			return batch
		}
	}
	return batch
}

// failed reports whether a call or a request of it failed.
func (r result) failed() bool {
	return r.err != nil || slices.ContainsFunc(r.answers, func(a backends.Answer) bool { return a.Failure != nil })
}

// more adds to first whatever else has come back by now: it shares one write and one flush.
func (p *pool) more(first ...result) []result {
	for len(first) < together {
		select {
		case res, open := <-p.results:
			if !open {
				return first
			}
			first = append(first, res)
		default:
			return first
		}
	}
	return first
}

// feed sends the items to be asked in batches of size, until a spending limit is reached. It returns the name of that
// limit, "" = none, and whether it ended before the items did.
func (r *runner) feed(ctx context.Context, size int, m *meter, pace *pacer,
	work chan<- result) (spent string, early bool) {
	var timeUp <-chan struct{}
	if m != nil && m.spending.limits.Time > 0 {
		timeUp = m.spending.timeUp.Done()
	}
	send := func(w result) bool {
		if !pace.enter(ctx) {
			return false
		}
		var err error
		if w.reserved, spent, err = m.enter(ctx, w.items); spent != "" || err != nil {
			pace.leave(1, false)
			return false
		}
		select {
		case work <- w:
			return true
		case <-timeUp:
			spent = "time"
		case <-ctx.Done():
		}
		m.leave(w.reserved, w.items, nil)
		pace.leave(1, false)
		return false
	}
	var batch []Item
	n := -1
	for it, err := range r.job.Items {
		n++
		if err != nil {
			select {
			case work <- result{err: err}:
			case <-ctx.Done():
			}
			return "", true
		}
		if !r.ask.has(n) {
			continue
		}
		if batch = append(batch, it); len(batch) == size {
			if !send(result{items: batch}) {
				return spent, true
			}
			batch = nil
		}
	}
	early = len(batch) > 0 && !send(result{items: batch})
	return spent, early
}

// ask makes one call and checks what comes back: answers that cannot be used become failures. If a model panics, each
// request of the batch is asked again alone, so that one bad record does not spoil the others.
func ask(ctx context.Context, model backends.Model, thinks bool, items []Item) ([]backends.Answer, error) {
	reqs := make([]backends.Request, len(items))
	for i, it := range items {
		reqs[i] = it.Request
	}
	answers, fault, err := safely(ctx, model, reqs)
	switch {
	case err != nil:
		return nil, err
	case fault != nil && len(items) > 1:
		answers = nil
		for i := range items {
			one, err := ask(ctx, model, thinks, items[i:i+1])
			if err != nil {
				return nil, err
			}
			answers = append(answers, one...)
		}
		return answers, nil
	case fault == nil && len(answers) != len(reqs):
		fault = &backends.Failure{Cause: backends.BadResponse,
			Message: fmt.Sprintf("%d answers to %d requests", len(answers), len(reqs))}
	}
	if fault != nil {
		answers = make([]backends.Answer, len(reqs))
		for i, q := range reqs {
			answers[i] = backends.Answer{Key: q.Key(), Failure: fault}
		}
		return answers, nil
	}
	checked := make([]backends.Answer, len(answers))
	for i, a := range answers {
		if thinks {
			a = a.Found()
		}
		checked[i] = backends.Pass(reqs[i], a)
	}
	return checked, nil
}

// safely makes one call; a panic becomes a fault.
func safely(ctx context.Context, model backends.Model,
	reqs []backends.Request) (answers []backends.Answer, fault *backends.Failure, err error) {
	defer func() {
		if p := recover(); p != nil {
			answers, err = nil, nil
			fault = &backends.Failure{Cause: backends.Internal,
				Message: fmt.Sprintf("the model panicked: %v\n%s", p, debug.Stack())}
		}
	}()
	answers, err = model.Answer(ctx, reqs)
	return answers, nil, err
}
