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
