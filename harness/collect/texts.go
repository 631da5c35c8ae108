package collect

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"infnet/backends"
	"infnet/harness/store"
)

// Computed counts texts or pairs. In a run that was not stopped,
//
//	Total = OnDisk + Shared + Made
type Computed struct {
	Model  string
	Path   string // the file of the values
	Counts        // before the run; OnDisk and Calls are different ones, Shared all repeats
	Made   int    // computed in this run, and on disk
}

// TextJob is one model's work on the texts of a study: embeddings of texts, or scores of pairs of them.
type TextJob[T, V any] struct {
	*Making[T, V]
	Model  backends.ModelID
	Served string // the model's name on its servers; "" = no server knows it by a name
	Name   string // the model's name, for people

	// All yields the texts, repeats included. It is ranged over more than once and must yield the same every time.
	All iter.Seq[T]

	// Open opens the model and returns what asks it. It is called at most once, and only when something must be made.
	// nil is allowed where nothing will be.
	Open func() (func(context.Context, []T) ([]V, error), error)

	Batch int   // texts per call; 0 = by default
	Price Price // of the model's tokens, for a spending limit; they are estimated from characters
}

// Making is what is made of texts.
type Making[T, V any] struct {
	Makes  string // in words
	failed string // before an error, with the model's name
	batch  int    // texts per call, by default
	key    func(T) backends.Key
	prompt func(T) string // what the model reads, for estimates of tokens
	read   func(*store.Store, backends.ModelID) (*store.Made[T, V], error)
	write  func(*store.Store, backends.ModelID) (*store.Made[T, V], error)
	check  func() func([]T, []V) error // what a run's calls return, one after the other
}

// Embeddings of texts.
var Embeddings = &Making[string, []float32]{
	Makes: "embeddings", failed: "embed with %s: %w", batch: 256, key: store.TextKey,
	prompt: func(text string) string { return text },
	read:   (*store.Store).Vectors, write: (*store.Store).WriteVectors,
	check: func() func([]string, [][]float32) error {
		dim := 0 // of the vectors so far; 0 = none yet
		return func(texts []string, vectors [][]float32) error {
			if len(vectors) != len(texts) {
				return fmt.Errorf("%d vectors for %d texts", len(vectors), len(texts))
			}
			for i, v := range vectors {
				if dim == 0 {
					dim = len(v)
				}
				if len(v) == 0 || len(v) != dim {
					return fmt.Errorf("a vector of length %d among vectors of length %d, for the text %.60q", len(v), dim, texts[i])
				}
				for _, x := range v {
					if !finite(float64(x)) {
						return fmt.Errorf("a vector holds %v, for the text %.60q", x, texts[i])
					}
				}
			}
			return nil
		}
	},
}

// Scores of pairs of texts.
var Scores = &Making[backends.Pair, float64]{
	Makes: "scores", failed: "scores by %s: %w", batch: 64, key: store.PairKey,
	prompt: func(p backends.Pair) string { return p.Source + p.Target },
	read:   (*store.Store).Scores, write: (*store.Store).WriteScores,
	check: func() func([]backends.Pair, []float64) error {
		return func(pairs []backends.Pair, values []float64) error {
			if len(values) != len(pairs) {
				return fmt.Errorf("%d scores for %d pairs", len(values), len(pairs))
			}
			for i, v := range values {
				if !finite(float64(float32(v))) { // as it is stored
					return fmt.Errorf("a score of %v, for %.40q after %.40q", v, pairs[i].Target, pairs[i].Source)
				}
			}
			return nil
		}
	},
}

// Grades of answers by a program, which checks them itself.
var Grades = &Making[backends.Pair, *float64]{
	Makes: "grades", failed: "grades by %s: %w", batch: 1000, key: store.PairKey,
	prompt: func(backends.Pair) string { return "" },
	read:   (*store.Store).Grades, write: (*store.Store).WriteGrades,
	check: func() func([]backends.Pair, []*float64) error {
		return func([]backends.Pair, []*float64) error { return nil }
	},
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Count looks up how many of the texts are on disk. It calls nothing.
func (j TextJob[T, V]) Count(st *store.Store) (Computed, error) {
	n, _, err := j.lookUp(context.Background(), st)
	return n, err
}

// lookUp counts the texts, and returns the keys of those that are not on disk.
func (j TextJob[T, V]) lookUp(ctx context.Context, st *store.Store) (n Computed, want map[short]struct{}, err error) {
	n.Model = j.Name
	read, err := j.read(st, j.Model)
	if err != nil {
		return n, nil, err
	}
	defer read.Close()
	read.As(j.Served)
	n.Path = read.Path()
	had := map[short]struct{}{}
	want = map[short]struct{}{}
	for item := range j.All {
		if n.Total++; n.Total%1024 == 0 && ctx.Err() != nil {
			break
		}
		k := j.key(item)
		key := short(k[:16])
		_, again := want[key]
		if _, there := had[key]; again || there {
			n.Shared++
		} else if read.Has(item) {
			had[key] = struct{}{}
		} else {
			want[key] = struct{}{}
		}
	}
	n.OnDisk, n.Calls = len(had), len(want)
	if ctx.Err() != nil {
		return n, nil, context.Cause(ctx)
	}
	return n, want, nil
}

// Run makes what is missing of all distinct texts. Each batch is on disk before it is counted. Its errors are those of
// the function Run; an error of the model ends it.
func (j TextJob[T, V]) Run(ctx context.Context, st *store.Store, opt Options, p Progress) (Computed, error) {
	rep, err := j.run(ctx, st, opt, p)
	if err != nil && !errors.As(err, new(*MissingError)) {
		err = fmt.Errorf(j.failed, j.Name, err)
	}
	return rep, err
}

func (j TextJob[T, V]) run(ctx context.Context, st *store.Store, opt Options, p Progress) (rep Computed, err error) {
	if p == nil {
		p = Silent{}
	}
	opt = opt.defaults()
	j.All = shareOf(opt.Shard, j.All, j.key)
	rep, want, err := j.lookUp(ctx, st)
	if err != nil {
		return rep, err
	}
	task := Task{Model: j.Name, Dataset: j.Makes}
	if len(want) == 0 {
		p.Start(task, rep.Total-rep.Shared, rep.OnDisk)
		p.Finish()
		return rep, nil
	}
	if opt.Offline {
		return rep, &MissingError{[]Missing{{Model: j.Name, Dataset: j.Makes, Count: len(want)}}}
	}
	if j.Open == nil {
		return rep, errors.New("there is no way to open the model")
	}
	out, err := j.write(st, j.Model)
	if err != nil {
		return rep, err
	}
	defer func() {
		if cerr := out.Close(); err == nil {
			err = cerr
		}
	}()
	ask, err := j.Open()
	if err != nil {
		return rep, err
	}
	p.Start(task, rep.Total-rep.Shared, rep.OnDisk)
	defer p.Finish()
	begin, stop := opt.Spending.deadline(ctx)
	defer stop()
	calls, end := opt.linger(begin, j.Model.Kind)
	defer end()
	w := &textRun[T, V]{TextJob: j, begin: begin, calls: calls, opt: opt, ask: ask, check: j.check(),
		out: out.As(j.Served), progress: p, report: &rep}
	if k := j.Model.Kind; k != backends.Lexical && k != backends.Command { // which are no models
		w.meter = opt.Spending.meter(Job{Model: j.Model, Price: j.Price}, nil)
	}
	err = w.all(want)
	if err != nil && ctx.Err() == nil && begin.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
		err = opt.Spending.exhausted("time")
	}
	return rep, err
}

// textRun asks for batches of texts and writes what comes back.
type textRun[T, V any] struct {
	TextJob[T, V]
	begin    context.Context // context for starting calls
	calls    context.Context // context of calls in flight
	opt      Options
	ask      func(context.Context, []T) ([]V, error)
	check    func([]T, []V) error
	out      *store.Made[T, V]
	progress Progress
	report   *Computed
	meter    *meter // nil = no limit
}

// all asks for the wanted items.
func (w *textRun[T, V]) all(want map[short]struct{}) error {
	var batch []T
	size := w.Batch
	if size <= 0 {
		size = w.batch
	}
	for item := range w.All {
		key := w.key(item)
		if _, wanted := want[short(key[:16])]; !wanted {
			continue
		}
		delete(want, short(key[:16]))
		if batch = append(batch, item); len(batch) == size {
			if err := w.make(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	if len(batch) > 0 {
		return w.make(batch)
	}
	return nil
}

// make asks for a batch, writes it, then counts it.
func (w *textRun[T, V]) make(batch []T) error {
	if w.begin.Err() != nil {
		return context.Cause(w.begin)
	}
	entries, err := w.call(batch)
	if err != nil {
		return err
	}
	n, err := w.out.Append(entries)
	if err != nil {
		return fmt.Errorf("%w; %d that were received are not on disk and will be asked for again", err, len(entries))
	}
	w.report.Made += n
	w.progress.Add(n)
	return nil
}

// call asks for a batch within the limits.
func (w *textRun[T, V]) call(batch []T) (entries []store.Entry[T, V], err error) {
	items := make([]Item, len(batch))
	for i, x := range batch {
		items[i].Request.Prompt = w.prompt(x)
	}
	reserved, over, err := w.meter.enter(w.begin, items)
	if err != nil {
		return nil, err
	}
	if over != "" {
		return nil, w.opt.Spending.exhausted(over)
	}
	received := make([]backends.Answer, len(batch)) // without usage: what was expected counts
	defer func() {
		if err != nil {
			received = nil
		}
		w.meter.leave(reserved, items, received)
	}()
	defer context.AfterFunc(w.begin, func() { w.opt.announce(1, w.Model.Kind) })()
	values, err := w.ask(w.calls, batch)
	switch {
	case err != nil && w.begin.Err() != nil:
		return nil, context.Cause(w.begin)
	case err == nil:
		err = w.check(batch, values)
	}
	if err != nil {
		return nil, err
	}
	for i, v := range values {
		entries = append(entries, store.Entry[T, V]{Of: batch[i], Value: v})
	}
	return entries, nil
}
