package metrics_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infnet/metrics"
)

func TestCosine(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b []float32
		want float64 // by hand
	}{
		{name: "same direction", a: []float32{1, 2}, b: []float32{2, 4}, want: 1},
		{name: "opposite", a: []float32{1, 2}, b: []float32{-1, -2}, want: -1},
		{name: "right angle", a: []float32{1, 0}, b: []float32{0, 3}, want: 0},
		{name: "3-4-5", a: []float32{3, 4}, b: []float32{1, 0}, want: 0.6},
		{name: "no direction", a: []float32{0, 0}, b: []float32{1, 0}, want: 0},
		{name: "tiny", a: []float32{1e-20, 0}, b: []float32{1e-20, 0}, want: 1},
	} {
		if got := metrics.CosineOf(c.a, c.b); !near(got, c.want, 1e-15) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	references := [][]float32{{0, 1}, {1, 0}}
	if got := metrics.CosineBest([]float32{1, 0}, references); got != 1 {
		t.Errorf("best of two references %v, want 1", got)
	}
	first, _ := metrics.Get(metrics.CosineFirst)
	if got := first.Similarity([]float32{1, 0}, references); got != 0 {
		t.Errorf("first of two references %v, want 0", got)
	}
	if got := metrics.CosineBest([]float32{1, 0}, nil); got != 0 {
		t.Errorf("no reference %v, want 0", got)
	}
	if got := metrics.CosineBest([]float32{1, 0}, [][]float32{{-1, 0}}); got != -1 {
		t.Errorf("one opposite reference %v, want -1", got)
	}
}

// confusion counts records by true and predicted class.
func confusion(truth, predicted []int, k int) []float64 {
	counts := make([]float64, k*k)
	for i := range truth {
		counts[metrics.Cell(truth[i], predicted[i], k)]++
	}
	return counts
}

// The occupied cells of a matrix say all: every metric has the bits it has of the whole matrix, and that of a
// resample, whose classes are fewer.
func TestOccupiedCellsAreTheMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 60).Draw(t, "k")
		truth := rapid.SliceOfN(rapid.IntRange(0, k-1), 1, 40).Draw(t, "truth")
		pred := rapid.SliceOfN(rapid.IntRange(0, k-1), len(truth), len(truth)).Draw(t, "pred")
		cells := make([]int, len(truth))
		for i := range truth {
			cells[i] = metrics.Cell(truth[i], pred[i], k)
		}
		occupied, places := metrics.Occupied(k, cells)
		full, drawn := make([]float64, occupied.Len()), make([]float64, occupied.Len())
		whole, wholeDrawn := make([]float64, k*k), make([]float64, k*k)
		for i, place := range places[0] {
			weight := float64(rapid.IntRange(0, 3).Draw(t, "weight")) / 4
			full[place]++
			whole[cells[i]]++
			drawn[place] += weight
			wholeDrawn[cells[i]] += weight
		}
		matrix := metrics.Confusion{K: k}
		for _, m := range metrics.All() {
			if m.Counts == nil || m.Name == metrics.F1Binary && k != 2 {
				continue
			}
			if got, want := m.Counts(occupied, full)(occupied, drawn), m.Counts(matrix, whole)(matrix, wholeDrawn); got != want {
				t.Fatalf("%s is %v of the occupied cells, %v of the matrix", m.Name, got, want)
			}
		}
	})
}

func TestTheMetricsKnowThemselves(t *testing.T) {
	seen := map[metrics.Name]bool{}
	for _, m := range metrics.All() {
		if seen[m.Name] {
			t.Errorf("%s twice", m.Name)
		}
		seen[m.Name] = true
		set := map[metrics.Input]bool{metrics.Classes: m.Counts != nil, metrics.Texts: m.Score != nil,
			metrics.Vectors: m.Similarity != nil, metrics.Pairs: m.Given != nil}
		for in, has := range set {
			if has != (in == m.Input) {
				t.Errorf("%s looks at %s; function for %s set: %v", m.Name, m.Input, in, has)
			}
		}
		if m.Title == "" || m.Source == "" || m.High <= m.Low || (m.Sums == nil) != (m.Value == nil) {
			t.Errorf("%s is not fully described: %+v", m.Name, m)
		}
		var n metrics.Name
		if err := n.UnmarshalText([]byte(m.Name)); err != nil || n != m.Name {
			t.Errorf("%s does not decode: %v", m.Name, err)
		}
	}
	var n metrics.Name
	if err := n.UnmarshalText([]byte("rouge")); err == nil || !strings.Contains(err.Error(), "rouge-l") {
		t.Errorf("an unknown name must list the valid ones: %v", err)
	}
	if _, err := metrics.Get("rouge"); err == nil {
		t.Error("no error for an unknown metric")
	}
}

func BenchmarkRougeL(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	vocabulary := strings.Fields("the of committee decided running quickly generous formality 2019 house market price " +
		"relations an over under policies several national")
	text := func() string {
		var w []string
		for range 30 {
			w = append(w, vocabulary[rng.IntN(len(vocabulary))])
		}
		return strings.Join(w, " ")
	}
	answer, references := text(), []string{text()}
	for b.Loop() {
		metrics.ScoreRougeL(answer, references)
	}
}

func BenchmarkBLEUStatistics(b *testing.B) {
	answer := "Der Ausschuss hat am 3. Mai 2019 beschlossen, die Preise um 12,5 % zu senken - wie erwartet."
	references := []string{"Am 3. Mai 2019 beschloss der Ausschuss wie erwartet, die Preise um 12,5 % zu senken."}
	for b.Loop() {
		metrics.BLEUStatistics(answer, references)
	}
}
