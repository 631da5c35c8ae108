package leading

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// spectra are the eigenvalues of test matrices, by kind.
var spectra = map[string]func(i, n int) float64{
	"random":            func(i, n int) float64 { return math.Abs(math.Sin(float64(i*i + 1))) },
	"one of all":        func(i, n int) float64 { return map[bool]float64{true: 1}[i == 0] },
	"rank three":        func(i, n int) float64 { return map[bool]float64{true: float64(9 - i)}[i < 3] },
	"all equal":         func(i, n int) float64 { return 2 },
	"pairs":             func(i, n int) float64 { return float64(1 + i/2) },
	"two heaps":         func(i, n int) float64 { return float64(1 + i%2) },
	"geometric":         func(i, n int) float64 { return math.Pow(0.5, float64(i)) },
	"nearly equal":      func(i, n int) float64 { return 1 + 1e-12*float64(i) },
	"zero":              func(i, n int) float64 { return 0 },
	"heap and outlier":  func(i, n int) float64 { return map[bool]float64{true: 1e6, false: 1 + 1e-9*float64(i)}[i == 0] },
	"very small":        func(i, n int) float64 { return 1e-70 * float64(i+1) },
	"very large":        func(i, n int) float64 { return 1e70 * float64(i+1) },
	"spread like noise": func(i, n int) float64 { x := float64(i+1) / float64(n); return (1 + x) * (1 + x) },
}

// symmetric is a random matrix of these eigenvalues.
func symmetric(values []float64, r *rand.Rand) []float64 {
	n := len(values)
	noise := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			noise.Set(i, j, r.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(noise)
	var q, a mat.Dense
	qr.QTo(&q)
	a.Mul(&q, mat.NewDiagDense(n, values))
	a.Mul(&a, q.T())
	for i := range n {
		for j := range i {
			a.Set(i, j, a.At(j, i))
		}
	}
	return a.RawMatrix().Data
}

// TestEigenvectorsAgainstTheWholeDecomposition: values are those of gonum's
// decomposition, vectors satisfy their equation and are orthonormal, and together
// they project like gonum's wherever an eigenvalue is set apart.
func TestEigenvectorsAgainstTheWholeDecomposition(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for name, spectrum := range spectra {
		for _, n := range []int{1, 2, 3, 8, 31, 33, 64, 100} {
			for _, k := range []int{1, n/3 + 1, n, n + 5} {
				t.Run(fmt.Sprintf("%s/%d of %d", name, k, n), func(t *testing.T) {
					values := make([]float64, n)
					for i := range values {
						values[i] = spectrum(i, n)
					}
					a := symmetric(values, r)
					checkEigen(t, a, n, k)
				})
			}
		}
	}
}

// checkEigen checks the leading eigenvectors of a.
func checkEigen(t *testing.T, a []float64, n, k int) {
	t.Helper()
	wanted, want, err := whole(append([]float64(nil), a...), n, min(k, n))
	if err != nil {
		t.Fatal(err)
	}
	got, vectors, err := Eigenvectors(append([]float64(nil), a...), n, k)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) < 1 || len(got) != len(wanted) && wanted[min(len(got), len(wanted)-1)] > 10*negligible*wanted[0] {
		t.Fatalf("%d eigenvalues; gonum has %d above rounding", len(got), len(wanted))
	}
	norm := math.Abs(wanted[0])
	var product mat.Dense
	product.Mul(vectors, mat.NewDense(n, n, a).T())
	for j, value := range got {
		if math.Abs(value-wanted[j]) > 1e-13*float64(n)*norm {
			t.Errorf("eigenvalue %d is %g; gonum has %g", j, value, wanted[j])
		}
		residual := 0.0
		for i := range n {
			residual = max(residual, math.Abs(product.At(j, i)-value*vectors.At(j, i)))
		}
		if residual > 1e-12*norm {
			t.Errorf("vector %d of %d is off its equation by %g of the largest value", j, n, residual/norm)
		}
		for l := range j + 1 {
			met, same := mat.Dot(vectors.RowView(j), vectors.RowView(l)), 0.0
			if l == j {
				same = 1
			}
			if math.Abs(met-same) > 1e-11 {
				t.Errorf("vectors %d and %d have the product %g", j, l, met)
			}
		}
		apart := norm
		for l, other := range wanted {
			if l != j {
				apart = min(apart, math.Abs(other-wanted[j]))
			}
		}
		if j == len(wanted)-1 && len(wanted) < n {
			continue // the next eigenvalue is not known here
		}
		if dot := math.Abs(mat.Dot(vectors.RowView(j), want.RowView(j))); apart > 1e-3*norm && math.Abs(dot-1) > 1e-10 {
			t.Errorf("vector %d meets gonum's at %v; want 1 or −1", j, dot)
		}
	}
}

// TestAwkwardTridiagonals: Wilkinson's matrix, whose eigenvalues come in pairs
// closer than rounding, and several of them glued together.
func TestAwkwardTridiagonals(t *testing.T) {
	for _, glued := range []int{1, 5} {
		n := 21 * glued
		a := make([]float64, n*n)
		for i := range n {
			a[i*n+i] = math.Abs(float64(i%21 - 10))
			if i+1 < n {
				a[i*n+i+1], a[(i+1)*n+i] = 1, 1
				if i%21 == 20 {
					a[i*n+i+1], a[(i+1)*n+i] = 1e-8, 1e-8
				}
			}
		}
		for _, k := range []int{4, 2 * glued, n / 2} {
			checkEigen(t, a, n, k)
		}
	}
}

// TestProductsHaveTheBitsOfOneOrder: sums are taken over 128 rows at a time, in
// order, whatever the shape and whether in vectors or not.
func TestProductsHaveTheBitsOfOneOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	random := func(n int) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32(r.NormFloat64() * math.Exp(10*r.NormFloat64()))
		}
		return out
	}
	for _, size := range [][3]int{
		{1, 1, 1}, {1, 5, 1}, {7, 200, 9}, {8, 128, 8}, {9, 129, 17}, {30, 500, 210}, {3, 1000, 1},
	} {
		rows, inner, cols := size[0], size[1], size[2]
		a, b := random(rows*inner), random(inner*cols)
		double := make([]float64, len(a))
		for i, x := range a {
			double[i] = float64(x)
		}
		naive := func(i, j int, at func(i, l int) float64, bt func(l, j int) float64) float64 {
			sum := 0.0
			for first := 0; first < inner; first += deep {
				part := 0.0
				for l := first; l < min(first+deep, inner); l++ {
					part += float64(at(i, l) * bt(l, j))
				}
				sum += part
			}
			return sum
		}
		inA := func(i, l int) float64 { return double[i*inner+l] }
		got := Mul(double, rows, inner, b, cols)
		transposed := make([]float32, len(b))
		for l := range inner {
			for j := range cols {
				transposed[j*inner+l] = b[l*cols+j]
			}
		}
		again := MulTransposed(double, rows, transposed, cols, inner)
		for i := range rows {
			for j := range cols {
				want := naive(i, j, inA, func(l, j int) float64 { return float64(b[l*cols+j]) })
				if got[i*cols+j] != want || again[i*cols+j] != want {
					t.Fatalf("%v: element %d, %d is %v and %v; want %v", size, i, j, got[i*cols+j], again[i*cols+j], want)
				}
			}
		}
		gram, outer := Gram(b, inner, cols), OuterGram(a, rows, inner)
		for i := range cols {
			for j := i; j < cols; j++ {
				in := func(i, l int) float64 { return float64(b[l*cols+i]) }
				if want := naive(i, j, in, func(l, j int) float64 { return float64(b[l*cols+j]) }); gram[i*cols+j] != want {
					t.Fatalf("%v: Gram %d, %d is %v; want %v", size, i, j, gram[i*cols+j], want)
				}
			}
		}
		for i := range rows {
			for j := i; j < rows; j++ {
				if want := naive(i, j, inA, func(l, j int) float64 { return inA(j, l) }); outer[i*rows+j] != want {
					t.Fatalf("%v: outer Gram %d, %d is %v; want %v", size, i, j, outer[i*rows+j], want)
				}
			}
		}
	}
}

// TestVectorsAsPortable: tile and sweep have the portable code's bits.
func TestVectorsAsPortable(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for n := range 70 {
		a, b := make([]float64, n*panel), make([]float64, n*panel)
		for i := range a {
			a[i], b[i] = r.NormFloat64(), r.NormFloat64()
		}
		got, want := make([]float64, 7*11+panel), make([]float64, 7*11+panel)
		for i := range got {
			got[i] = r.NormFloat64()
		}
		copy(want, got)
		tile(got, 11, -0.7, a, b)
		tilePortable(want, 11, -0.7, a, b)
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%d rows: number %d of the tiles is %v and %v", n, i, got[i], want[i])
			}
		}
		x, y := a[:n], append([]float64(nil), b[:n]...)
		z := append([]float64(nil), y...)
		row := b[len(b)-n:]
		one, two := sweep(row, x, y, 0.3), sweepPortable(row, x, z, 0.3)
		if one != two {
			t.Fatalf("%d numbers: sums %v and %v", n, one, two)
		}
		for i := range y {
			if y[i] != z[i] {
				t.Fatalf("%d numbers: number %d is %v and %v", n, i, y[i], z[i])
			}
		}
	}
}

// TestWhereAVectorFails: numbers that no iteration can use lead to the whole
// decomposition's error, not to a wrong vector.
func TestWhereAVectorFails(t *testing.T) {
	var it iteration
	it.begin(tridiagonal{diagonal: []float64{1, 2}, off: []float64{0.5}}, span{0, 2})
	it.norm = 2
	if it.vector(make([]float64, 2), 7, 1) {
		t.Error("7 passes for an eigenvalue of [[1, ½], [½, 2]]")
	}
	if _, _, err := Eigenvectors([]float64{math.NaN(), 1, 1, 2}, 2, 1); err == nil {
		t.Error("a NaN passes")
	}
}
