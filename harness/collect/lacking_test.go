package collect_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/store"
)

// filled is a store in which p0 was answered live and p1 in a batch file, and p2 failed.
func filled(t *testing.T) *store.Store {
	t.Helper()
	st := newStore(t)
	w, err := st.WriteAnswers(store.ID{Model: modelID, Dataset: "d0", Name: "reviews"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Append([]store.Record{
		{Example: "ex0", Answer: backends.Answer{Key: request("p0").Key(), Text: "a", Latency: 4 * time.Millisecond}},
		{Example: "ex1", Answer: backends.Answer{Key: request("p1").Key(), Text: "b", Batch: "openai"}},
	})
	failed := w.Fail([]store.Failed{{Key: request("p2").Key(), Example: "ex2",
		Failure: backends.Failure{Cause: backends.TooLong, Message: "long"}}})
	if err := errors.Join(err, failed, w.Close()); err != nil {
		t.Fatal(err)
	}
	return st
}

// What has no answer comes once for each key, with the failure of an earlier run.
func TestLacking(t *testing.T) {
	st := filled(t)
	j, opened := job(nil, 5)
	items := slices.Collect(func(yield func(collect.Item) bool) {
		for it := range j.Items {
			if !yield(it) {
				return
			}
		}
	})
	j.Items = all(append(items, items...))
	var lacks []string
	causes := map[string]backends.Cause{}
	for l, err := range collect.Lacking(t.Context(), st, j) {
		if err != nil {
			t.Fatal(err)
		}
		lacks = append(lacks, l.ID)
		if l.Failed != nil {
			causes[l.ID] = l.Failed.Cause
		}
	}
	if !slices.Equal(lacks, []string{"ex2", "ex3", "ex4"}) || len(causes) != 1 || causes["ex2"] != backends.TooLong ||
		opened.Load() != 0 {
		t.Errorf("%v, %v; opened %d times", lacks, causes, opened.Load())
	}
}
