package collect

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"infnet/backends"
)

// Counted is how many of the different texts or pairs of a job are on disk.
type Counted struct {
	Path    string // of the file
	Had     int    // on disk
	Missing int    // to be computed
}

// Computed counts texts or pairs. In a run that was not stopped,
//
//	Total = Had + Shared + Made
type Computed struct {
	Model  string
	Path   string // the file of the values
	Total  int    // texts or pairs, repeats included
	Had    int    // on disk before
	Shared int    // repeats of one that was computed in this run
	Made   int    // computed in this run, and on disk
}

// file is where the store keeps one entry E for each item T.
type file[T, E any] interface {
	Path() string
	Has(T) bool
	Append([]E) (int, error)
	Close() error
}

// batches computes one entry E for each distinct item T, several per call.
type batches[T, E any] struct {
	model backends.ModelID
	name  string // the model's, for people
	makes string // what it computes, for people
	price Price
	size  int // items a call

	all    iter.Seq[T] // repeats included; ranged over more than once
	key    func(T) backends.Key
	prompt func(T) string // what the model reads, for estimates of tokens
	file   func(write bool) (file[T, E], error)
	open   func() (ask func(context.Context, []T) ([]E, error), err error) // nil if the model cannot be opened
}

// count looks up which items are on disk.
func (b *batches[T, E]) count() (n Counted, err error) {
	read, err := b.file(false)
	if err != nil {
		return n, err
	}
	defer read.Close()
	n.Path = read.Path()
	seen := map[short]struct{}{}
	for item := range b.all {
		key := b.key(item)
		if _, again := seen[short(key[:16])]; again {
			continue
		}
		seen[short(key[:16])] = struct{}{}
		if read.Has(item) {
			n.Had++
		} else {
			n.Missing++
		}
	}
	return n, nil
}

// run computes what is missing and writes each batch before it counts it.
func (b *batches[T, E]) run(ctx context.Context, opt Options, p Progress) (rep Computed, err error) {
	if p == nil {
		p = Silent{}
	}
	opt = opt.defaults()
	b.all = shareOf(opt.Shard, b.all, b.key)
	rep.Model = b.name
	want, err := b.wanted(ctx, &rep)
	if err != nil {
		return rep, err
	}
	task := Task{Model: b.name, Dataset: b.makes}
	if len(want) == 0 {
		p.Start(task, rep.Total-rep.Shared, rep.Had)
		p.Finish()
		return rep, nil
	}
	if opt.Offline {
		return rep, &MissingError{[]Missing{{Model: b.name, Dataset: b.makes, Count: len(want)}}}
	}
	if b.open == nil {
		return rep, errors.New("there is no way to open the model")
	}
	out, err := b.file(true)
	if err != nil {
		return rep, err
	}
	defer func() {
		if cerr := out.Close(); err == nil {
			err = cerr
		}
	}()
	ask, err := b.open()
	if err != nil {
		return rep, err
	}
	p.Start(task, rep.Total-rep.Shared, rep.Had)
	defer p.Finish()
	begin, stop := opt.Spending.deadline(ctx)
	defer stop()
	calls, end := opt.linger(begin, b.model.Kind)
	defer end()
	w := &batchWriter[T, E]{batches: b, begin: begin, calls: calls, opt: opt, ask: ask, out: out, progress: p,
		report: &rep}
	if b.model.Kind != backends.Lexical { // which is not a model
		w.meter = opt.Spending.meter(Job{Model: b.model, Price: b.price}, nil)
	}
	err = w.all(want)
	if err != nil && ctx.Err() == nil && begin.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
		err = opt.Spending.exhausted("time")
	}
	return rep, err
}

// wanted returns the keys of the items that are not on disk.
func (b *batches[T, E]) wanted(ctx context.Context, rep *Computed) (map[short]struct{}, error) {
	read, err := b.file(false)
	if err != nil {
		return nil, err
	}
	defer read.Close()
	rep.Path = read.Path()
	want := map[short]struct{}{}
	for item := range b.all {
		if rep.Total++; rep.Total%1024 == 0 && ctx.Err() != nil {
			break
		}
		key := b.key(item)
		if _, again := want[short(key[:16])]; again {
			rep.Shared++
		} else if read.Has(item) {
			rep.Had++
		} else {
			want[short(key[:16])] = struct{}{}
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return want, nil
}

// batchWriter asks for batches and writes what comes back.
type batchWriter[T, E any] struct {
	*batches[T, E]
	begin    context.Context // context for starting calls
	calls    context.Context // context of calls in flight
	opt      Options
	ask      func(context.Context, []T) ([]E, error)
	out      file[T, E]
	progress Progress
	report   *Computed
	meter    *meter // nil = no limit
}

// all asks for the wanted items.
func (w *batchWriter[T, E]) all(want map[short]struct{}) error {
	var batch []T
	for item := range w.batches.all {
		key := w.key(item)
		if _, wanted := want[short(key[:16])]; !wanted {
			continue
		}
		delete(want, short(key[:16]))
		if batch = append(batch, item); len(batch) == w.size {
			if err := w.write(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	if len(batch) > 0 {
		return w.write(batch)
	}
	return nil
}

// write asks for a batch, writes it, then counts it.
func (w *batchWriter[T, E]) write(batch []T) error {
	if w.begin.Err() != nil {
		return context.Cause(w.begin)
	}
	entries, err := w.call(batch)
	if err != nil {
		return err
	}
	n, err := w.out.Append(entries) // with an error, n are on the disk all the same
	w.report.Made += n
	w.progress.Add(n)
	if err != nil && n < len(entries) {
		return fmt.Errorf("%w; %d more that were received are not on disk and will be asked for again", err, len(entries)-n)
	}
	return err
}

// call asks for a batch within the limits.
func (w *batchWriter[T, E]) call(batch []T) (entries []E, err error) {
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
	defer context.AfterFunc(w.begin, func() { w.opt.announce(1, w.model.Kind) })()
	entries, err = w.ask(w.calls, batch)
	if err != nil && w.begin.Err() != nil {
		err = context.Cause(w.begin)
	}
	return entries, err
}
