package analyze

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/result"
	"infnet/harness/store"
	"infnet/sufficiency"
)

// memory is a cache that counts.
type memory struct {
	files     map[string][]byte
	had, kept int
}

func (m *memory) Get(key string) ([]byte, bool) {
	data, ok := m.files[key]
	if ok {
		m.had++
	}
	return data, ok
}

func (m *memory) Put(key string, data []byte) error {
	m.files[key] = data
	m.kept++
	return nil
}

// withSufficiency is the study by hand with a [sufficiency] table.
func withSufficiency(table string) string {
	return handTOML + "\n[sufficiency]\n" + table
}

// uncertain makes n records: the master is always right, and the student is right
// with probability β.
func uncertain(n int) []said {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]said, n)
	for i := range out {
		beta := 0.5 + 0.49*r.Float64()
		truth := byte("rb"[r.IntN(2)])
		answer := truth
		if r.Float64() > beta {
			answer = "rb"[1-class(truth)]
		}
		out[i] = said{truth, answer, beta, truth}
	}
	return out
}

// embedded stores a vector for the input of every record.
func embedded(t *testing.T, in *Input, vector func(record int) []float32) {
	t.Helper()
	var list []store.Vector
	for i := range in.Sheets["colours"].Len() {
		list = append(list, store.Vector{Of: in.Sheets["colours"].Input(i), Value: vector(i)})
	}
	keepVectors(t, in, list)
}

// Two labels: all statistics of the distribution follow from β, and with the
// class too the labels' own. Embeddings that give the errors away are found,
// with the smallest p there is.
func TestSufficiencyOfEachSet(t *testing.T) {
	t.Parallel()
	records := uncertain(240)
	s := load(t, withSufficiency("extra = [\"output-stats\", \"embeddings\"]\n"))
	in := handInput(t, s, records, nil)
	r := rand.New(rand.NewPCG(3, 4))
	embedded(t, &in, func(i int) []float32 {
		v := []float32{float32(r.NormFloat64()), float32(r.NormFloat64())}
		if records[i].student != records[i].truth {
			v[1] += 3
		}
		return v
	})
	var reported []string
	in.Progress = func(what string, done, total int) {
		if done < 0 || done > total {
			t.Errorf("progress %d of %d", done, total)
		}
		reported = append(reported, what)
	}
	_, d := analysed(t, in)
	q := d.Sufficiency
	if q == nil || q.Records != 120 || q.Folds != 5 || q.Method != "pcm" || q.Smallest != 0 ||
		len(q.Rows) != 4 {
		t.Fatalf("%+v; want 120 records, 5 folds and 4 rows", q)
	}
	if len(reported) == 0 || reported[0] != "sufficiency · colours" {
		t.Errorf("progress %v", reported)
	}
	for i, want := range []struct {
		set     string
		null    sufficiency.Null
		state   sufficiency.State
		finding bool
	}{
		{"output-stats", sufficiency.Beta, sufficiency.Tested, false},
		{"output-stats", sufficiency.BetaAndClass, sufficiency.Determined, false},
		{"embeddings", sufficiency.Beta, sufficiency.Tested, true},
		{"embeddings", sufficiency.BetaAndClass, sufficiency.Tested, true},
	} {
		row := q.Rows[i]
		if row.Set != want.set || row.Null != want.null || row.State != want.state ||
			(want.finding && (!row.Finding || row.P > 0.01)) {
			t.Errorf("row %d: %s given %s is %s, finding %v at p = %v; want %+v", i, row.Set, row.Null, row.State, row.Finding,
				row.P, want)
		}
	}
	// Holm over the three tested rows: the smallest p counts three times.
	if got, least := q.Rows[2].Holm, min(q.Rows[2].P, q.Rows[3].P); got < 3*least {
		t.Errorf("Holm %v, want at least 3 · %v", got, least)
	}
	if v := q.Rows[2].Value; v == nil || !(v.Saved.Low <= v.Saved.Value && v.Saved.Value <= v.Saved.High) {
		t.Errorf("value %+v", v)
	}
}

// What was tested once is not tested again, unless something that it depends
// on has changed; a damaged file is worked out again.
func TestSufficiencyIsCached(t *testing.T) {
	t.Parallel()
	s := load(t, withSufficiency(""))
	in := handInput(t, s, uncertain(80), nil)
	cache := &memory{files: map[string][]byte{}}
	in.Cache = cache
	worked := 0
	in.Progress = func(string, int, int) { worked++ }
	_, first := analysed(t, in)
	if cache.kept != 1 || worked == 0 {
		t.Fatalf("%d files kept, %d steps reported of; want 1 and some", cache.kept, worked)
	}
	worked = 0
	in.Threads = 3
	_, second := analysed(t, in)
	if cache.had != 1 || worked != 0 {
		t.Errorf("on other threads: %d found, %d steps; want 1 and 0", cache.had, worked)
	}
	if diff := cmp.Diff(encoded(t, first), encoded(t, second)); diff != "" {
		t.Errorf("from the cache (-computed +cached):\n%s", diff)
	}
	for key := range cache.files {
		cache.files[key] = []byte("{\"rows\":[{")
	}
	_, third := analysed(t, in)
	if diff := cmp.Diff(encoded(t, first), encoded(t, third)); diff != "" || worked == 0 {
		t.Errorf("from a damaged cache, %d steps (-want +got):\n%s", worked, diff)
	}
	for name, changed := range map[string]string{"another option": "method = \"plain\"",
		"another target": "[policy]\ntarget = 0.6"} {
		other := in
		other.Study = load(t, withSufficiency(changed))
		before := cache.kept
		analysed(t, other)
		if cache.kept != before+1 {
			t.Errorf("%s: taken from the cache", name)
		}
	}
}

// encoded is a dataset's results as a file has them.
func encoded(t *testing.T, d result.Dataset) string {
	t.Helper()
	b, err := result.Encode(&result.Results{Cascades: []result.Cascade{{Datasets: []result.Dataset{d}}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSufficiencyWithoutAnAnswer(t *testing.T) {
	t.Run("embeddings that were not collected", func(t *testing.T) {
		_, err := Run(context.Background(), handInput(t, load(t, withSufficiency("extra = [\"embeddings\"]")), byHand, nil))
		if err == nil || !strings.Contains(err.Error(), "run collect first") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("stopped", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		in := handInput(t, load(t, withSufficiency("")), uncertain(80), nil)
		in.Progress = func(string, int, int) { cancel() }
		if _, err := Run(ctx, in); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of the context", err)
		}
	})
}
