package router

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"infnet/harness/split"
)

// fixture is routers.json, by scikit-learn and SciPy; testdata/make_routers.py says which and how.
type fixture struct {
	X, Quality, Cost, Queries [][]float64
	KNN                       [][]float64
	Factors                   struct {
		Penalty, Loss float64
		Right         [][]float64
	}
	Tokens   [][]float64
	Label    []float64
	ByTokens []float64 `json:"by_tokens"`
}

func readFixture(t *testing.T) (f fixture, task Task, queries []Sample) {
	t.Helper()
	read(t, "routers", &f)
	task = Task{Quality: f.Quality, Cost: f.Cost, Seed: 1, Name: "fixture", Threads: 1}
	for i, x := range f.X {
		task.Samples = append(task.Samples, Sample{ID: fmt.Sprintf("r%04d", i), Embedding: x})
	}
	for i, x := range f.Queries {
		queries = append(queries, Sample{ID: fmt.Sprintf("q%04d", i), Embedding: x})
	}
	return f, task, queries
}

// read reads a file of expected values.
func read(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".json")
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// near compares numbers within a tolerance.
func near(t *testing.T, what string, got, want any, by float64) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, by)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestNeighboursAreScikitLearns(t *testing.T) {
	f, task, queries := readFixture(t)
	e, err := NewNeighbours().Learn(t.Context(), task, queries)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range queries {
		near(t, q.ID, e.Estimates[i], Estimate{Quality: f.KNN[i]}, 1e-12)
	}
}

// A cluster that loses its vectors takes the farthest one: of 0, 1 and 10 with centres at 0 and 100, that is 10.
func TestKMeansFillsEmptyClusters(t *testing.T) {
	m := kMeans{x: [][]float64{{0}, {1}, {10}}, centre: [][]float64{{0}, {100}}, of: make([]int, 3)}
	for m.step() {
	}
	if !slices.Equal(m.of, []int{0, 0, 1}) || m.inertia != 0.5 { // ¼ + ¼ around ½
		t.Errorf("%+v", m)
	}
}

func TestTokenQuantilesAreScikitLearns(t *testing.T) {
	f, _, _ := readFixture(t)
	task := Task{Labels: f.Label, Answered: true}
	for i, x := range f.Tokens {
		task.Samples = append(task.Samples, Sample{ID: fmt.Sprintf("%03d", i), Features: x})
	}
	got, err := NewTokenQuantiles().Learn(t.Context(), task, append(task.Samples, Sample{ID: "no token"}))
	if err != nil || got.Scores[80] != 0 || got.Report.Records != 80 || len(got.Report.Digest) != 64 {
		t.Fatalf("%+v, %v", got, err)
	}
	near(t, "scores", got.Scores[:80], f.ByTokens, 1e-6)
}

// The score orders by gain per cost: a = ½ at b = 1 gives ½·(1 − ½/1½) = ⅓.
func TestKeep(t *testing.T) {
	for _, tt := range []struct {
		e    Estimate
		want float64
	}{
		{Estimate{[]float64{0.25, 0.75}, nil}, 1.0 / 3},
		{Estimate{[]float64{0.25, 0.75}, []float64{0.5, 1}}, 0.25}, // a = b
		{Estimate{[]float64{0.75, 0.25}, []float64{0.5, 1}}, 0.75},
		{Estimate{[]float64{0.5, 0.5}, []float64{0.5, 1}}, 0.5},
	} {
		near(t, "keep", tt.e.keep(), tt.want, 1e-15)
	}
	if dearer := (Estimate{[]float64{0.5, 0.6}, []float64{2, 1}}).keep(); dearer > 1e-7 {
		t.Errorf("a dearer and worse student is kept with %v", dearer)
	}
}

// estimators are those of whose fits CrossFit leaves the scores as they are.
func estimators() []Learner {
	return []Learner{NewNeighbours(), NewCarrot(), NewClusters(), NewFactors()}
}

// The order of the records and the number of threads do not matter, to the last bit; pools are estimated as pairs are.
func TestEstimatesDoNotDependOnOrderOrThreads(t *testing.T) {
	_, task, queries := readFixture(t)
	task.Labels = make([]float64, len(task.Samples))
	for i := range task.Labels {
		if task.Quality[0][i] >= task.Quality[1][i] {
			task.Labels[i] = 1
		}
	}
	folds := split.Folds{K: 5, Of: make([]int, len(task.Samples))}
	for i := range folds.Of {
		folds.Of[i] = i % 5
	}
	for _, l := range estimators() {
		want, err := CrossFit(t.Context(), l, task, folds, queries)
		if err != nil {
			t.Fatal(err)
		}
		order := rand.New(rand.NewPCG(4, 4)).Perm(len(task.Samples))
		mixed, other := task.only(order), split.Folds{K: 5, Of: pickOf(folds.Of, order)}
		mixed.Threads = 3
		got, err := CrossFit(t.Context(), l, mixed, other, queries)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Applied, want.Applied) || !slices.Equal(got.OutOfFold, pickOf(want.OutOfFold, order)) {
			t.Errorf("%s: other scores in another order", l.Name)
		}
		if !math.IsNaN(want.FLOPs) && want.FLOPs <= 0 || reflect.DeepEqual(want.Applied[0], want.Applied[1]) {
			t.Errorf("%s: %v FLOPs, scores %v", l.Name, want.FLOPs, want.Applied)
		}
	}
}

func TestEstimatorsRefuseMissingEmbeddings(t *testing.T) {
	_, task, _ := readFixture(t)
	task.Samples[3].Embedding = nil
	for _, l := range estimators() {
		if err := run(t.Context(), l, task, []job{{task: task}}); err == nil {
			t.Errorf("%s takes a record without an embedding", l.Name)
		}
	}
}
