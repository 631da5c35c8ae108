package sufficiency

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Embeddings makes J of vectors, one for each record, by a truncated singular
// value decomposition over all of them: column j holds their coordinates along
// the j-th right singular vector. Nothing is centred, as in scikit-learn's
// TruncatedSVD. All records take part, since what is computed before the
// permutations must not change under them; no label does.
//
// dimensions 0, or no less than the vectors have, leaves the vectors as they
// are. Directions along which the vectors are shorter than a millionth of the
// longest are rounding, and left out. The decomposition is exact where records
// or dimensions are at most 1,536; beyond that it is iterated from directions
// drawn from r, and as exact as scikit-learn's default.
func Embeddings(name string, vectors [][]float32, dimensions int, r *rand.Rand) (Set, error) {
	if len(vectors) == 0 || len(vectors[0]) == 0 {
		return Set{}, fmt.Errorf("set %q: no vectors", name)
	}
	width := len(vectors[0])
	a := mat.NewDense(len(vectors), width, nil)
	for i, v := range vectors {
		if len(v) != width {
			return Set{}, fmt.Errorf("set %q, record %d: %d numbers; record 0 has %d", name, i, len(v), width)
		}
		for j, x := range v {
			if x != x || math.IsInf(float64(x), 0) {
				return Set{}, fmt.Errorf("set %q, record %d: number %d of the vector is %g", name, i, j, x)
			}
			a.Set(i, j, float64(x))
		}
	}
	set := Set{Name: name}
	if dimensions > 0 && dimensions < min(width, len(vectors)) {
		b, kept, err := truncate(a, dimensions, r)
		if err != nil {
			return Set{}, fmt.Errorf("set %q: %w", name, err)
		}
		a = b
		_, dimensions = a.Dims()
		set.Truncated = &Truncation{Dimensions: dimensions, Of: width, Kept: kept}
	}
	n, d := a.Dims()
	for j := range d {
		c := Covariate{Name: fmt.Sprintf("%s %d", name, j+1), Values: make([]float64, n)}
		mat.Col(c.Values, j, a)
		set.Columns = append(set.Columns, c)
	}
	return set, nil
}

const (
	exactUpTo   = 1536 // records or dimensions, whichever are fewer
	rounding    = 1e-6 // of the longest direction
	oversampled = 10   // directions beyond those wanted
	iterations  = 4    // of subspace iteration
)

// truncate returns a·V of the k leading right singular vectors V, and the share
// of the squared Frobenius norm they keep. Each vector's sign makes its largest
// component positive.
func truncate(a *mat.Dense, k int, r *rand.Rand) (*mat.Dense, float64, error) {
	n, d := a.Dims()
	find := exactly
	if min(n, d) > exactUpTo {
		find = func(a *mat.Dense, k int) (*mat.Dense, error) { return iterated(a, k, r) }
	}
	v, err := find(a, k)
	if err != nil {
		return nil, 0, err
	}
	for j := range k {
		largest := 0.0
		for i := range d {
			if x := v.At(i, j); math.Abs(x) > math.Abs(largest) {
				largest = x
			}
		}
		for i := 0; largest < 0 && i < d; i++ {
			v.Set(i, j, -v.At(i, j))
		}
	}
	var out mat.Dense
	out.Mul(a, v)
	longest := mat.Norm(out.ColView(0), 2)
	for k > 1 && mat.Norm(out.ColView(k-1), 2) <= rounding*longest {
		k--
	}
	out = *mat.DenseCopyOf(out.Slice(0, n, 0, k))
	kept := 0.0
	if norm := mat.Norm(a, 2); norm > 0 {
		ratio := mat.Norm(&out, 2) / norm
		kept = ratio * ratio
	}
	return &out, kept, nil
}

// exactly returns the k leading right singular vectors from the eigenvectors of
// aᵀa, or of a·aᵀ where that is smaller.
func exactly(a *mat.Dense, k int) (*mat.Dense, error) {
	n, d := a.Dims()
	var gram mat.SymDense
	if d <= n {
		gram.SymOuterK(1, a.T())
	} else {
		gram.SymOuterK(1, a)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(&gram, true) {
		return nil, errNoDecomposition
	}
	var all mat.Dense
	eigen.VectorsTo(&all)
	side, values := min(n, d), eigen.Values(nil) // ascending
	leading := mat.NewDense(side, k, nil)
	for j := range k {
		leading.SetCol(j, mat.Col(nil, side-1-j, &all))
	}
	if d <= n {
		return leading, nil
	}
	var v mat.Dense // aᵀ·u/σ
	v.Mul(a.T(), leading)
	for j := range k {
		scale := 0.0
		if value := values[side-1-j]; value > rounding*rounding*values[side-1] {
			scale = 1 / math.Sqrt(value)
		}
		for i := range d {
			v.Set(i, j, v.At(i, j)*scale)
		}
	}
	return &v, nil
}

var errNoDecomposition = errors.New("the singular value decomposition did not converge")

// iterated approximates the k leading right singular vectors by randomized
// subspace iteration (N. Halko, P.-G. Martinsson, J. A. Tropp, Finding structure
// with randomness, SIAM Review 53, 2011, algorithms 4.4 and 5.1).
func iterated(a *mat.Dense, k int, r *rand.Rand) (*mat.Dense, error) {
	n, d := a.Dims()
	width := min(k+oversampled, n, d)
	start := mat.NewDense(d, width, nil)
	for i := range d {
		for j := range width {
			start.Set(i, j, r.NormFloat64())
		}
	}
	var y, z mat.Dense
	y.Mul(a, start)
	for range iterations {
		q := orthonormal(&y)
		z.Reset()
		z.Mul(a.T(), q)
		q = orthonormal(&z)
		y.Reset()
		y.Mul(a, q)
	}
	var small mat.Dense
	small.Mul(orthonormal(&y).T(), a) // width × d
	var svd mat.SVD
	if !svd.Factorize(&small, mat.SVDThin) {
		return nil, errNoDecomposition
	}
	var v mat.Dense
	svd.VTo(&v)
	return mat.DenseCopyOf(v.Slice(0, d, 0, k)), nil
}

// orthonormal returns an orthonormal basis of the columns, by Householder
// reflections; there must be no more columns than rows.
func orthonormal(a *mat.Dense) *mat.Dense {
	q := mat.DenseCopyOf(a)
	raw := q.RawMatrix()
	tau := make([]float64, raw.Cols)
	work := make([]float64, 1)
	lapack64.Geqrf(raw, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Geqrf(raw, tau, work, len(work))
	work = make([]float64, 1)
	lapack64.Orgqr(raw, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Orgqr(raw, tau, work, len(work))
	return q
}
