package collect_test

import (
	"fmt"
	"iter"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/simulated"
	"infnet/harness/collect"
	"infnet/harness/store"
)

var modelID = backends.ModelID{ID: "m", Revision: "1", Kind: backends.Simulated}

func request(prompt string) backends.Request {
	return backends.Request{Model: modelID, Prompt: prompt, MaxTokens: 4}
}

// job asks a model for the prompts "p0", "p1", …; opened counts the openings.
func job(m backends.Model, n int) (j collect.Job, opened *atomic.Int64) {
	opened = &atomic.Int64{}
	items := make([]collect.Item, n)
	for i := range items {
		items[i] = collect.Item{ID: fmt.Sprint("ex", i), Request: request(fmt.Sprint("p", i))}
	}
	return collect.Job{
		Model: modelID, Name: "student", Dataset: "reviews", Hash: "d0", Items: all(items),
		Open: func() (backends.Model, error) {
			opened.Add(1)
			return m, nil
		},
	}, opened
}

// all yields the items.
func all(items []collect.Item) iter.Seq2[collect.Item, error] {
	return func(yield func(collect.Item, error) bool) {
		for _, it := range items {
			if !yield(it, nil) {
				return
			}
		}
	}
}

func newStore(t testing.TB) *store.Store {
	return store.Open(t.TempDir(), store.Options{})
}

// contents reads everything the store has of the job, by example id.
func contents(t testing.TB, st *store.Store, j collect.Job) map[string]backends.Answer {
	t.Helper()
	a, err := st.Answers(store.ID{Model: j.Model, Dataset: j.Hash, Name: j.Dataset})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	out := map[string]backends.Answer{}
	for r, err := range a.All() {
		if err != nil {
			t.Fatal(err)
		}
		out[r.Example] = r.Answer
	}
	return out
}

// same compares two stores' contents, latency aside.
func same(t testing.TB, want, got map[string]backends.Answer) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%d answers, want %d", len(got), len(want))
	}
	for id, w := range want {
		if why := backendtest.Differ(w, got[id]); why != "" {
			t.Errorf("%s: %s", id, why)
		}
	}
}

// recorder is a Progress that remembers, and looks at the disk at every count.
type recorder struct {
	t     testing.TB
	store *store.Store
	job   collect.Job

	starts               []string
	added, failed, ended int
}

func (r *recorder) Start(t collect.Task, total, done int) {
	r.starts = append(r.starts, fmt.Sprintf("%s on %s: %d of %d", t.Model, t.Dataset, done, total))
}

func (r *recorder) Add(n int) {
	r.added += n
	if r.store == nil {
		return
	}
	if got := len(contents(r.t, r.store, r.job)); got < r.added {
		r.t.Errorf("%d answers counted, %d on disk", r.added, got)
	}
}

func (r *recorder) Fail(_ backends.Cause, n int) { r.failed += n }
func (r *recorder) Finish()                      { r.ended++ }

// drawn is a job of simulated classifications and generations.
func drawn(t testing.TB, n int, delay time.Duration) collect.Job {
	t.Helper()
	cfg := backends.Config{Model: modelID,
		Settings: &backends.SimulatedConfig{Alpha: 2, Beta: 1, Intercept: 0.5, Slope: -0.4, Seed: 9}}
	m, err := simulated.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	labels := []string{" good", " bad"}
	return collect.Job{
		Model: modelID, Name: "student", Dataset: "draws", Hash: "d1",
		Open: func() (backends.Model, error) { return slow{m, delay}, nil },
		Items: func(yield func(collect.Item, error) bool) {
			for i := range n {
				it := collect.Item{ID: fmt.Sprint(i)}
				if i%2 == 0 {
					prompt := fmt.Sprintf("Draw %d. The label is%s", i, labels[i%len(labels)])
					it.Request = backends.Request{Model: modelID, Prompt: prompt, Labels: labels}
				} else {
					prompt := fmt.Sprintf("Draw the number.\nanswer: number %d", i)
					it.Request = backends.Request{Model: modelID, Prompt: prompt, MaxTokens: 8}
				}
				if !yield(it, nil) {
					return
				}
			}
		},
	}
}

func TestMain(m *testing.M) {
	if root := os.Getenv(childStore); root != "" {
		child(root)
	}
	if os.Getenv(childServer) != "" {
		serveAtOnce()
	}
	os.Exit(m.Run())
}
