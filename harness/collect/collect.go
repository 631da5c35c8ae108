// Package collect calls models and stores their answers, embeddings and scores. It owns the selection of requests
// (nothing is asked twice), the calls in flight, the order "write, then count", shards, the stop on Ctrl-C, spending
// limits, and the plan of a run. It refuses to retry (backends/retry does), to grade, and to interpret an answer.
//
// Its opinion: whatever happens to the process, the next run asks only for missing answers and ends
// with the same ones as an uninterrupted run.
package collect

import (
	"context"
	"fmt"
	"iter"
	"time"

	"infnet/backends"
	"infnet/harness/store"
)

// Job is one model's work on one dataset.
type Job struct {
	Model   backends.ModelID
	Name    string // the model's name in the study, for people
	Dataset string // the dataset's name, for people
	Hash    string // the dataset's content hash: part of the identity of the answers' file

	// Items yields the requests in the dataset's order, the same every time it is ranged over.
	Items iter.Seq2[Item, error]

	// Open opens the model, wrapped by retries and limits if needed. It is called at most once per
	// job, and only if something must be asked; otherwise it may be nil.
	Open func() (backends.Model, error)

	// Before, if not nil, is called before the requests are looked up, unless offline: what Items yields may depend on
	// it. After, if not nil, is called when the job is done, and not after an error.
	Before, After func() error

	Concurrency int // calls in flight; 0 = 1 for a Batcher, which uses the machine by itself, and 8 for others
	Batch       int // requests per call; 0 = what the model likes (Batcher), else 1

	// Thinks says that replies of thoughts are answers: requests that failed for them elsewhere are asked.
	Thinks bool

	Price Price // of the model's tokens, for a spending limit
}

// Item is one request and the example it is asked for.
type Item struct {
	ID      string // of the example
	Request backends.Request
}

// Options change what is asked.
type Options struct {
	RetryFailed bool // ask again for requests whose failure an earlier run recorded
	Offline     bool // call nothing: what is missing is a *MissingError

	Shard Shard // ask only what hashes to this shard

	Persist bool // never give up: what answers is a file

	// Grace is how long calls in flight may continue after the context is done or the time limit is reached. A model
	// in this process gets 300 ms. 0 = 30 s.
	Grace time.Duration

	Hurry   <-chan struct{}                       // closed to end the grace at once; nil = never
	Waiting func(calls int, atMost time.Duration) // called when a grace begins; nil = nothing is

	Spending *Spending // limits what the run spends; nil = no limit
}

// Task names a piece of work for progress bars.
type Task struct {
	Model   string // the model's or embedder's name
	Dataset string // the dataset's name; "embeddings" for texts to embed
}

// Progress is notified of how far a run is. The methods are called from one goroutine,
// and tasks follow one another: Start, any number of Add and Fail, Finish.
type Progress interface {
	Start(t Task, total, done int)    // done of total were on disk already
	Add(answers int)                  // so many more are on disk
	Fail(cause backends.Cause, n int) // so many more failed and are recorded
	Finish()                          // the task is over, complete or not
}

// Silent is a Progress that says nothing.
type Silent struct{}

func (Silent) Start(Task, int, int)     {}
func (Silent) Add(int)                  {}
func (Silent) Fail(backends.Cause, int) {}
func (Silent) Finish()                  {}

// Run asks every job's model for the answers that are not in the store, one
// job after the other, and writes each answer before it counts it.
//
// Failures of single requests are recorded and counted, not returned. Run
// returns an error, together with the report so far, when
//
//   - the context is done (errors.Is(err, context.Canceled)): no call is started,
//     those under way get Options.Grace, and everything received is on disk;
//   - a model or the disk fails for good;
//   - the answers' file is in use (*store.InUseError) or damaged
//     (*store.CorruptError);
//   - a spending limit allows no further call (*SpendingError): calls under way
//     are waited for;
//   - something is missing, offline (*MissingError, for all jobs at once).
func Run(ctx context.Context, st *store.Store, jobs []Job, opt Options, p Progress) (Report, error) {
	opt = opt.defaults()
	if p == nil {
		p = Silent{}
	}
	jobs = opt.Shard.share(jobs)
	var rep Report
	missing := &MissingError{}
	for _, j := range jobs {
		r := &runner{job: j, store: st, opt: opt, progress: p}
		err := r.prepared(ctx, missing)
		rep.Jobs = append(rep.Jobs, r.report)
		if err != nil {
			return rep, fmt.Errorf("collect %s on %s: %w", j.Name, j.Dataset, err)
		}
	}
	if len(missing.Missing) > 0 {
		return rep, missing
	}
	return rep, nil
}

func (o Options) defaults() Options {
	if o.Grace == 0 {
		o.Grace = 30 * time.Second
	}
	return o
}
