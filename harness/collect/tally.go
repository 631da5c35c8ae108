package collect

import (
	"context"
	"fmt"

	"infnet/harness/store"
)

// Tally counts the requests of one shard.
type Tally struct {
	Total   int // different requests
	There   int // answered
	Failed  int // failed, and not to be asked again
	Missing int // to be asked
}

// Tallies counts a job's requests by shard, of n. It calls nothing.
func Tallies(ctx context.Context, st *store.Store, j Job, n int, retryFailed bool) ([]Tally, error) {
	out := make([]Tally, n)
	a, err := st.Answers(store.ID{Model: j.Model, Dataset: j.Hash, Name: j.Dataset})
	if err != nil {
		return nil, err
	}
	defer a.Close()
	seen := map[short]struct{}{}
	items := 0
	for it, err := range j.Items {
		if err != nil {
			return nil, err
		}
		if items++; items%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		k := it.Request.Key()
		if _, again := seen[short(k[:16])]; again {
			continue
		}
		seen[short(k[:16])] = struct{}{}
		t := &out[Of(k, n)-1]
		t.Total++
		if a.Has(k) {
			t.There++
			continue
		}
		failed := false
		if !retryFailed {
			if _, failed, err = a.Failure(k); err != nil {
				return nil, fmt.Errorf("count %s on %s: %w", j.Name, j.Dataset, err)
			}
		}
		if failed {
			t.Failed++
		} else {
			t.Missing++
		}
	}
	return out, nil
}
