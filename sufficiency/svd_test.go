package sufficiency

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The columns are scikit-learn's, whose exact solver (ARPACK) made
// testdata/svd.json.gz; make_svd.py says how. Signs are fixed on both sides.
func TestEmbeddingsAsScikitLearn(t *testing.T) {
	f, err := os.Open("testdata/svd.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Vectors [][]float32
		Columns [][]float64
		Kept    float64
	}
	if err := json.NewDecoder(z).Decode(&want); err != nil {
		t.Fatal(err)
	}
	got, err := Embeddings("e", want.Vectors, len(want.Columns))
	if err != nil {
		t.Fatal(err)
	}
	far, length := 0.0, 0.0
	for k, column := range want.Columns {
		for i, x := range column {
			far = max(far, math.Abs(got.Columns[k].Values[i]-x))
			length = max(length, math.Abs(x))
		}
	}
	if far > 1e-10*length {
		t.Errorf("a coordinate is %g from scikit-learn's; the largest is %g", far, length)
	}
	if math.Abs(got.Truncated.Kept-want.Kept) > 5e-4 {
		t.Errorf("%+v; scikit-learn's columns keep %g", got.Truncated, want.Kept)
	}
}

// Against gonum's whole singular value decomposition: as many columns as have a
// length, each as long as its singular value, and each coordinate up to the sign
// where a singular value is set apart.
func TestEmbeddingsAgainstTheWholeDecomposition(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	normal := func(int, int) float64 { return r.NormFloat64() }
	left, right := make([]float64, 200), make([]float64, 200)
	for i := range left {
		left[i], right[i] = r.NormFloat64(), r.NormFloat64()
	}
	for _, tt := range []struct {
		name    string
		n, d, k int
		at      func(i, j int) float64
	}{
		{"tall", 90, 20, 7, normal},
		{"wide", 20, 90, 7, normal},
		{"nearly all", 40, 40, 39, normal},
		{"constant columns", 60, 10, 5, func(i, j int) float64 { return float64(j) + normal(i, j)*float64(j%2) }},
		{"rank one", 50, 12, 6, func(i, j int) float64 { return left[i] * right[j] }},
		{"rank one, wide", 12, 50, 6, func(i, j int) float64 { return left[i] * right[j] }},
		{"rank two of small numbers", 30, 12, 6, func(i, j int) float64 {
			return 1e-20 * (left[i]*right[j] + float64(i%3)*right[j+50])
		}},
		{"large numbers", 30, 12, 4, func(i, j int) float64 { return 1e30 * normal(i, j) }},
		{"all directions alike", 24, 8, 5, func(i, j int) float64 { return map[bool]float64{true: 2}[i%8 == j] }},
		{"three texts over again", 60, 20, 8, func(i, j int) float64 { return left[20*(i%3)+j] }},
		{"zero", 9, 5, 3, func(int, int) float64 { return 0 }},
		{"two records", 2, 5, 1, normal},
	} {
		vectors, a := make([][]float32, tt.n), mat.NewDense(tt.n, tt.d, nil)
		for i := range vectors {
			for j := range tt.d {
				vectors[i] = append(vectors[i], float32(tt.at(i, j)))
				a.Set(i, j, float64(vectors[i][j]))
			}
		}
		got, err := Embeddings("e", vectors, tt.k)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		var svd mat.SVD
		if !svd.Factorize(a, mat.SVDThin) {
			t.Fatal("gonum finds no decomposition")
		}
		var u mat.Dense
		svd.UTo(&u)
		values := svd.Values(nil)
		want := 1
		for want < tt.k && values[want] > rounding*values[0] {
			want++
		}
		if len(got.Columns) != want || got.Truncated.Dimensions != want {
			t.Errorf("%s: %d columns; want %d", tt.name, len(got.Columns), want)
			continue
		}
		for k, c := range got.Columns {
			length := math.Sqrt(squareOf(c.Values))
			if math.Abs(length-values[k]) > 1e-8*values[0] {
				t.Errorf("%s: column %d is %g long; gonum's singular value is %g", tt.name, k, length, values[k])
			}
			apart := values[0]
			for l, v := range values {
				if l != k {
					apart = min(apart, math.Abs(v-values[k]))
				}
			}
			met := 0.0
			for i, x := range c.Values {
				met += x * u.At(i, k)
			}
			if apart > 1e-3*values[0] && math.Abs(math.Abs(met)-length) > 1e-8*values[0] {
				t.Errorf("%s: column %d has %g of its length %g along gonum's", tt.name, k, met, length)
			}
		}
	}
}
