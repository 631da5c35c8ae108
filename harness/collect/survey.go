package collect

import (
	"context"
	"fmt"

	"infnet/backends"
	"infnet/harness/store"
)

// short is enough of a key to distinguish requests.
type short [16]byte

// survey is what a first pass over a job's items finds.
type survey struct {
	total, had, shared, earlier int
	causes                      map[backends.Cause]int
	groups                      groups
	ask                         positions // of the items to be asked
	calls                       int       // how many they are
	first                       []string  // ids of the first few of them
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

// lookUp classifies the items of a job by what the store holds. fn, if not nil, is called for every
// item to be asked, once per key.
func lookUp(ctx context.Context, j Job, a *store.Answers, retryFailed bool, fn func(Item) error) (survey, error) {
	s := survey{causes: map[backends.Cause]int{}, groups: groups{}}
	asked := map[short]struct{}{}
	for it, err := range j.Items {
		if err != nil {
			return s, err
		}
		if s.total++; s.total%1024 == 0 && ctx.Err() != nil {
			return s, context.Cause(ctx)
		}
		if it.Request.Model != j.Model {
			return s, fmt.Errorf("example %q: the request is for model %q, the job for %q", it.ID, it.Request.Model.ID,
				j.Model.ID)
		}
		key := it.Request.Key()
		ok := a.Has(key)
		if _, dup := asked[short(key[:16])]; dup && !ok {
			s.shared++
			continue
		}
		if ok {
			s.had++
			continue
		}
		if !retryFailed {
			f, failed, err := a.Failure(key)
			if err != nil {
				return s, err
			}
			if failed && !(j.Thinks && f.Failure.Cause == backends.Thoughts) {
				s.earlier++
				s.causes[f.Failure.Cause]++
				s.groups.add(f.Failure, f.Example)
				continue
			}
		}
		asked[short(key[:16])] = struct{}{}
		s.ask.add(s.total - 1)
		s.calls++
		if len(s.first) < 3 {
			s.first = append(s.first, it.ID)
		}
		if fn != nil {
			if err := fn(it); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

// Tally counts the requests of one shard.
type Tally struct {
	Total   int // different requests
	There   int // answered
	Failed  int // failed, and not to be asked again
	Missing int // to be asked
}

// AddTallies counts a job's requests, each in its shard of shards. It calls nothing.
func AddTallies(ctx context.Context, st *store.Store, j Job, shards []Tally, retryFailed bool) error {
	a, err := st.Answers(store.ID{Model: j.Model, Dataset: j.Hash, Name: j.Dataset})
	if err != nil {
		return err
	}
	defer a.Close()
	seen := map[short]struct{}{}
	items := 0
	for it, err := range j.Items {
		if err != nil {
			return err
		}
		if items++; items%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		k := it.Request.Key()
		if _, again := seen[short(k[:16])]; again {
			continue
		}
		seen[short(k[:16])] = struct{}{}
		t := &shards[Of(k, len(shards))-1]
		t.Total++
		_, failed, err := a.Failure(k)
		switch {
		case a.Has(k):
			t.There++
		case err != nil && !retryFailed:
			return fmt.Errorf("count %s on %s: %w", j.Name, j.Dataset, err)
		case failed && !retryFailed:
			t.Failed++
		default:
			t.Missing++
		}
	}
	return nil
}
