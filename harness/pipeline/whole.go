package pipeline

import (
	"context"
	"sync"
	"time"

	"infnet/backends"
	"infnet/harness/collect"
)

// Overview is an optional ability of Events: to show how far a collection is as a whole.
type Overview interface {
	// Whole begins a collection. now says how far it is, at any time and from any goroutine; the caller
	// calls end when it is over.
	Whole(now func() Whole) (end func())
}

// Whole is how far a collection is, over all its tasks.
type Whole struct {
	Tasks, Over int           // pieces of work, and those that are over
	Total, Done int           // answers, embeddings and scores: all, and those that are on disk or failed
	Asked       int           // of Done, by this collection
	Failed      int           // of Asked
	Spent       collect.Spent // by this collection
	Took        time.Duration // since the first task began
}

// Rate is how many answers come in a second; 0 = not known yet.
func (w Whole) Rate() float64 {
	if w.Asked == 0 || w.Took <= 0 {
		return 0
	}
	return float64(w.Asked) / w.Took.Seconds()
}

// Left is how long the rest takes at this rate; 0 = nothing is left, or it is not known.
func (w Whole) Left() time.Duration {
	rate := w.Rate()
	if rate == 0 || w.Done >= w.Total {
		return 0
	}
	const century = 100 * 365 * 24 * 3600.
	return time.Duration(min(float64(w.Total-w.Done)/rate, century/2) * float64(time.Second))
}

// whole adds up the tasks of a collection.
type whole struct {
	spending *collect.Spending

	mu       sync.Mutex
	expected map[collect.Task][2]int // of tasks that did not begin yet: all, and those that are done
	sum      Whole
	began    time.Time
}

// newWhole expects these jobs; size says how many answers they are to have, and about how many of them are on disk.
func newWhole(spending *collect.Spending, jobs []collect.Job, size func(collect.Job) (total, done int)) *whole {
	w := &whole{spending: spending, expected: map[collect.Task][2]int{}}
	for _, j := range jobs {
		t := collect.Task{Model: j.Name, Dataset: j.Dataset}
		if _, twice := w.expected[t]; twice {
			continue
		}
		total, done := size(j)
		w.expected[t] = [2]int{total, done}
		w.sum.Tasks++
		w.sum.Total += total
		w.sum.Done += done
	}
	return w
}

// now returns the sums.
func (w *whole) now() (now Whole) {
	spent := w.spending.Spent()
	w.change(func(sum *Whole) {
		now = *sum
		if now.Spent = spent; !w.began.IsZero() {
			now.Took = time.Since(w.began)
		}
	})
	return now
}

// change changes the sums.
func (w *whole) change(how func(sum *Whole)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	how(&w.sum)
}

// start notes that a task begins, of which more is known now.
func (w *whole) start(t collect.Task, total, done int) {
	w.change(func(sum *Whole) {
		e, known := w.expected[t]
		if !known {
			sum.Tasks++
		}
		delete(w.expected, t)
		sum.Total += total - e[0]
		sum.Done += done - e[1]
		if w.began.IsZero() && done < total {
			w.began = time.Now()
		}
	})
}

// progress reports the tasks of a collection to Events, and adds them up.
type progress struct {
	ctx    context.Context
	events Events
	whole  *whole
	meter  Meter
}

var _ collect.Progress = (*progress)(nil)

// watch shows the whole to Events that can. end is called when the collection is over.
func (p *progress) watch() (end func()) {
	if o, can := p.events.(Overview); can {
		return o.Whole(p.whole.now)
	}
	return func() {}
}

func (p *progress) Start(t collect.Task, total, done int) {
	p.whole.start(t, total, done)
	p.meter = p.events.Begin(Task{Name: t.Model + " · " + t.Dataset, Total: int64(total), Done: int64(done)})
}

func (p *progress) Add(n int) { p.add(n, 0) }

func (p *progress) Fail(_ backends.Cause, n int) { p.add(n, n) }

func (p *progress) add(n, failed int) {
	p.whole.change(func(sum *Whole) {
		sum.Done += n
		sum.Asked += n
		sum.Failed += failed
	})
	p.meter.Add(n, failed)
}

func (p *progress) Finish() {
	p.whole.change(func(sum *Whole) { sum.Over++ })
	p.meter.Finish(p.ctx)
}
