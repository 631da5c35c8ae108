package collect

import (
	"context"
	"fmt"
	"iter"

	"infnet/backends"
	"infnet/harness/store"
)

// short is enough of a key to distinguish requests.
type short [16]byte

// Counts say what the store holds of requests, texts or pairs.
type Counts struct {
	Total   int // all, repeats included
	OnDisk  int // answered before
	Shared  int // the same as an earlier one (equal examples), asked once
	Earlier int // failed in an earlier run, and not to be asked again
	Calls   int // to be asked: Total − OnDisk − Shared − Earlier
}

// state is what the store says of a request: which of the counts it is one of.
type state int

const (
	calls state = iota
	onDisk
	shared
	earlier
)

func (c *Counts) add(s state) {
	c.Total++
	switch s {
	case calls:
		c.Calls++
	case onDisk:
		c.OnDisk++
	case shared:
		c.Shared++
	case earlier:
		c.Earlier++
	}
}

// Look is one request of a job with what the store says of it.
type Look struct {
	Item
	Key    backends.Key
	Failed *backends.Failure // why an earlier run has no answer; nil = it was not asked
	state  state
	by     string // the record that failed
}

// Lacking yields the requests of a job that have no answer, once for each key. It calls no model.
func Lacking(ctx context.Context, st *store.Store, j Job) iter.Seq2[Look, error] {
	return func(yield func(Look, error) bool) {
		a, err := st.Answers(j.id())
		if err != nil {
			yield(Look{}, err)
			return
		}
		defer a.Close()
		for l, err := range looks(ctx, j, a, true) {
			if (err != nil || l.state == calls) && !yield(l, err) {
				return
			}
		}
	}
}

// looks goes through the requests of a job.
func looks(ctx context.Context, j Job, a *store.Answers, retryFailed bool) iter.Seq2[Look, error] {
	return func(yield func(Look, error) bool) {
		asked, n := map[short]struct{}{}, 0
		for it, err := range j.Items {
			if n++; err == nil && n%1024 == 0 && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			l := Look{Item: it}
			if err == nil {
				err = l.find(j, a, asked, retryFailed)
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

// find looks a request up; asked are those so far that are to be asked.
func (l *Look) find(j Job, a *store.Answers, asked map[short]struct{}, retryFailed bool) error {
	if l.Request.Model != j.Model {
		return fmt.Errorf("example %q: the request is for model %q, the job for %q", l.ID, l.Request.Model.ID, j.Model.ID)
	}
	l.Key = l.Request.Key()
	key := short(l.Key[:16])
	_, again := asked[key]
	switch {
	case a.Has(l.Key):
		l.state = onDisk
		return nil
	case again:
		l.state = shared
		return nil
	}
	f, failed, err := a.Failure(l.Key)
	if err != nil && !retryFailed {
		return err
	}
	if failed {
		l.Failed, l.by = &f.Failure, f.Example
	}
	if failed && !retryFailed && !(j.Thinks && f.Failure.Cause == backends.Thoughts) {
		l.state = earlier
		return nil
	}
	asked[key] = struct{}{}
	return nil
}

// survey is what a first pass over a job's items finds.
type survey struct {
	Counts
	groups groups
	ask    positions // of the items to be asked
}

// positions is a set of items by where they come in the job: a bit each.
type positions []uint64

func (p *positions) add(i int) {
	for len(*p) <= i/64 {
		*p = append(*p, 0)
	}
	(*p)[i/64] |= 1 << (i % 64)
}

func (p positions) has(i int) bool { return i/64 < len(p) && p[i/64]>>(i%64)&1 == 1 }

// lookUp classifies the items of a job by what the store holds.
func lookUp(ctx context.Context, j Job, a *store.Answers, retryFailed bool) (survey, error) {
	s := survey{groups: groups{}}
	for l, err := range looks(ctx, j, a, retryFailed) {
		if err != nil {
			return s, err
		}
		switch l.state {
		case earlier:
			s.groups.add(*l.Failed, l.by)
		case calls:
			s.ask.add(s.Total)
		}
		s.add(l.state)
	}
	return s, nil
}
