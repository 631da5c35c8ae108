package pipeline

import (
	"sync"
	"time"

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
	expected map[collect.Task]expected // tasks that did not begin yet
	sum      Whole
	began    time.Time
}

// expected is what is known of a task before it begins.
type expected struct{ total, done int }

// newWhole expects these jobs; held says how many of their answers are on disk, where it was looked up.
func newWhole(spending *collect.Spending, jobs []collect.Job, size func(collect.Job) (total, done int)) *whole {
	w := &whole{spending: spending, expected: map[collect.Task]expected{}}
	for _, j := range jobs {
		t := collect.Task{Model: j.Name, Dataset: j.Dataset}
		if _, twice := w.expected[t]; twice {
			continue
		}
		e := expected{}
		e.total, e.done = size(j)
		w.expected[t] = e
		w.sum.Tasks++
		w.sum.Total += e.total
		w.sum.Done += e.done
	}
	return w
}

// now returns the sums.
func (w *whole) now() Whole {
	spent := w.spending.Spent()
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.sum
	s.Spent = spent
	if !w.began.IsZero() {
		s.Took = time.Since(w.began)
	}
	return s
}

// start notes that a task begins, of which more is known now.
func (w *whole) start(t collect.Task, total, done int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e, known := w.expected[t]
	if !known {
		w.sum.Tasks++
	}
	delete(w.expected, t)
	w.sum.Total += total - e.total
	w.sum.Done += done - e.done
	if w.began.IsZero() && done < total {
		w.began = time.Now()
	}
}

// add counts answers, failed of which are none.
func (w *whole) add(n, failed int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sum.Done += n
	w.sum.Asked += n
	w.sum.Failed += failed
}

func (w *whole) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sum.Over++
}
