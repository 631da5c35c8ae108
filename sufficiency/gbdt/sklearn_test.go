package gbdt

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// fixture is a file of testdata/make_fixtures.py.
type fixture struct {
	Tool  string `json:"tool"`
	Cases []struct {
		Name   string `json:"name"`
		Loss   string `json:"loss"`
		Train  int    `json:"train"`
		Params struct {
			Trees        int     `json:"trees"`
			Depth        int     `json:"depth"`
			LearningRate float64 `json:"learning_rate"`
			MinLeaf      int     `json:"min_leaf"`
			MinSplit     int     `json:"min_split"`
		} `json:"params"`
		X     [][]float64 `json:"x"`
		Y     []float64   `json:"y"`
		Trees []struct {
			Feature   []int32   `json:"feature"`
			Threshold []float64 `json:"threshold"`
			Left      []int32   `json:"left"`
			Right     []int32   `json:"right"`
			Value     []float64 `json:"value"`
			Records   []int32   `json:"records"`
		} `json:"trees"`
		Raw         []float64 `json:"raw"`
		Importances []float64 `json:"importances"`
	} `json:"cases"`
}

func readFixture(t *testing.T) fixture {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "sklearn.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var fx fixture
	if err := json.NewDecoder(z).Decode(&fx); err != nil {
		t.Fatal(err)
	}
	return fx
}

func view(t testing.TB, columns ...[]float64) View {
	t.Helper()
	table, err := NewFeatures(len(columns[0]), columns)
	if err != nil {
		t.Fatal(err)
	}
	return table.View()
}

func upTo(n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// Every tree, threshold and prediction as scikit-learn 1.9.1 has them
// (testdata/make_fixtures.py, seed in the file); the fixtures are free of ties
// between splits, values within a column do tie.
func TestExactGrowsScikitLearnsTrees(t *testing.T) {
	for _, c := range readFixture(t).Cases {
		t.Run(c.Name, func(t *testing.T) {
			v := view(t, c.X...)
			o := Options{Trees: c.Params.Trees, Depth: c.Params.Depth, LearningRate: c.Params.LearningRate,
				MinLeaf: c.Params.MinLeaf, MinSplit: c.Params.MinSplit}
			if c.Loss == "logistic" {
				o.Loss = Logistic
			}
			m, err := Fit(v, c.Y, upTo(c.Train), o)
			if err != nil {
				t.Fatal(err)
			}
			if m.Trees() != len(c.Trees) {
				t.Fatalf("%d trees, want %d", m.Trees(), len(c.Trees))
			}
			scale := 0.0
			for _, y := range c.Y {
				scale = max(scale, math.Abs(y))
			}
			for i, want := range c.Trees {
				var same func(at, ref int32)
				same = func(at, ref int32) {
					got := m.Tree(i)[at]
					if got.Records != want.Records[ref] ||
						math.Abs(got.Value-want.Value[ref]) > 1e-12*max(1, scale) && (c.Loss == "squared" || want.Feature[ref] < 0) {
						t.Fatalf("tree %d node %d: %d records, value %g; want %d, %g", i, ref, got.Records, got.Value, want.Records[ref],
							want.Value[ref])
					}
					if want.Feature[ref] < 0 {
						if got.Feature >= 0 {
							t.Fatalf("tree %d node %d is split on %d; want a leaf", i, ref, got.Feature)
						}
						return
					}
					if got.Feature != want.Feature[ref] || got.Threshold != want.Threshold[ref] {
						t.Fatalf("tree %d node %d: %d at %v; want %d at %v", i, ref, got.Feature, got.Threshold, want.Feature[ref],
							want.Threshold[ref])
					}
					same(got.Left, want.Left[ref])
					same(got.Right, want.Right[ref])
				}
				same(0, 0)
			}
			pred := make([]float64, v.n)
			m.Predict(pred, v, nil)
			for i := range pred {
				if math.Abs(pred[i]-c.Raw[i]) > 1e-10*max(1, scale) {
					t.Fatalf("prediction %d is %v, want %v", i, pred[i], c.Raw[i])
				}
			}
			for i, got := range importances(m) {
				if math.Abs(got-c.Importances[i]) > 1e-9 {
					t.Errorf("importance of column %d is %v, want %v", i, got, c.Importances[i])
				}
			}
		})
	}
}

// importances returns for each column the share of the trees' gain that its
// splits have: non-negative, summing to 1, or all 0 without any split. Each
// tree's gain counts per record of its root, as in scikit-learn.
func importances(m *Model) []float64 {
	out := make([]float64, m.Columns)
	sum := 0.0
	for t := range m.Trees() {
		tree := m.Tree(t)
		for _, node := range tree {
			if node.Feature >= 0 {
				gain := node.Gain / float64(tree[0].Records)
				out[node.Feature] += gain
				sum += gain
			}
		}
	}
	if sum > 0 {
		for i := range out {
			out[i] /= sum
		}
	}
	return out
}
