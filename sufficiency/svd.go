package sufficiency

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Embeddings makes J of vectors, one for each record, by a truncated singular
// value decomposition over all of them: column j holds their coordinates along
// the j-th right singular vector. Nothing is centred, as in scikit-learn's
// TruncatedSVD. All records take part, since what is computed before the
// permutations must not change under them; no label does.
//
// No fewer dimensions than the vectors have leave the vectors as they
// are. Directions along which the vectors are shorter than a millionth of the
// longest are rounding, and left out.
func Embeddings(name string, vectors [][]float32, dimensions int) (Set, error) {
	if len(vectors) == 0 || len(vectors[0]) == 0 {
		return Set{}, fmt.Errorf("set %q: no vectors", name)
	}
	width := len(vectors[0])
	data := make([]float32, 0, len(vectors)*width)
	for i, v := range vectors {
		if len(v) != width {
			return Set{}, fmt.Errorf("set %q, record %d: %d numbers; record 0 has %d", name, i, len(v), width)
		}
		for j, x := range v {
			if x-x != 0 { // NaN, or infinite
				return Set{}, fmt.Errorf("set %q, record %d: number %d of the vector is %g", name, i, j, x)
			}
		}
		data = append(data, v...)
	}
	set := Set{Name: name}
	var columns [][]float64
	if dimensions < min(width, len(vectors)) {
		var err error
		set.Truncated = &Truncation{Of: width}
		if columns, set.Truncated.Kept, err = truncate(data, width, dimensions); err != nil {
			return Set{}, fmt.Errorf("set %q: %w", name, err)
		}
		set.Truncated.Dimensions = len(columns)
	} else {
		for j := range width {
			column := make([]float64, len(vectors))
			for i, v := range vectors {
				column[i] = float64(v[j])
			}
			columns = append(columns, column)
		}
	}
	for j, column := range columns {
		set.Columns = append(set.Columns, Covariate{Name: fmt.Sprintf("%s %d", name, j+1), Values: column})
	}
	return set, nil
}

const (
	rounding   = 1e-6  // of the longest direction
	negligible = 1e-13 // of the largest eigenvalue of a Gram matrix, the square of a length: no more than rounding
	together   = 2048  // records that are widened at a time
)

// truncate returns the columns of a·V of the leading right singular vectors V, k
// at most, and the share of the squared Frobenius norm they keep. a is dense, by
// rows of d. Each vector's sign makes its largest component positive.
func truncate(a []float32, d, k int) (columns [][]float64, kept float64, err error) {
	v, err := directions(a, d, k)
	if err != nil {
		return nil, 0, err
	}
	k, _ = v.Dims()
	for j := range k {
		row, largest := v.RawRowView(j), 0.0
		for _, x := range row {
			if math.Abs(x) > math.Abs(largest) {
				largest = x
			}
		}
		for i := 0; largest < 0 && i < d; i++ {
			row[i] = -row[i]
		}
	}
	columns = make([][]float64, k)
	all := 0.0
	for part := range slices.Chunk(a, together*d) {
		rows := widened(part, d)
		all += squareOf(rows.RawMatrix().Data)
		var product mat.Dense // k × records
		product.Mul(v, rows.T())
		for j := range k {
			columns[j] = append(columns[j], product.RawRowView(j)...)
		}
	}
	square := make([]float64, k)
	for j := range k {
		square[j] = squareOf(columns[j])
	}
	for k > 1 && square[k-1] <= rounding*rounding*square[0] {
		k--
	}
	if all > 0 {
		kept = total(square[:k]) / all
	}
	return columns[:k], kept, nil
}

// widened is a matrix in float64.
func widened(a []float32, d int) *mat.Dense {
	out := make([]float64, len(a))
	for i, x := range a {
		out[i] = float64(x)
	}
	return mat.NewDense(len(a)/d, d, out)
}

// squareOf is the sum of squares, a few at a time for less rounding.
func squareOf(x []float64) float64 {
	sum := 0.0
	for part := range slices.Chunk(x, 512) {
		some := 0.0
		for _, v := range part {
			some += float64(v * v)
		}
		sum += some
	}
	return sum
}

// directions returns the leading right singular vectors as rows, k at most, from the
// eigenvectors of aᵀa, or of a·aᵀ where that is smaller. Vectors along which a is
// no longer than rounding may be missing.
func directions(a []float32, d, k int) (*mat.Dense, error) {
	n := len(a) / d
	if d > n {
		wide := widened(a, d)
		var gram mat.SymDense
		gram.SymOuterK(1, wide)
		values, u, err := eigenvectors(&gram, k)
		if err != nil {
			return nil, err
		}
		var v mat.Dense
		v.Mul(u, wide) // uᵀ·a/σ
		for j, value := range values {
			scale := 0.0
			if value > rounding*rounding*values[0] {
				scale = 1 / math.Sqrt(value)
			}
			floats.Scale(scale, v.RawRowView(j))
		}
		return &v, nil
	}
	gram := mat.NewSymDense(d, nil)
	for part := range slices.Chunk(a, together*d) {
		gram.SymRankK(gram, 1, widened(part, d).T())
	}
	_, v, err := eigenvectors(gram, k)
	return v, err
}

// eigenvectors returns the k largest eigenvalues of a positive semidefinite matrix,
// in descending order, and their eigenvectors of length 1 as rows. Those whose
// eigenvalue is negligible are left out, but for the first.
func eigenvectors(a *mat.SymDense, k int) (values []float64, vectors *mat.Dense, err error) {
	var eigen mat.EigenSym
	if !eigen.Factorize(a, true) {
		return nil, nil, errors.New("the decomposition of the vectors did not converge")
	}
	var all mat.Dense
	eigen.VectorsTo(&all)
	values = eigen.Values(nil)
	n := len(values)
	slices.Reverse(values)
	k = min(k, n)
	for k > 1 && values[k-1] <= negligible*values[0] {
		k--
	}
	vectors = mat.NewDense(k, n, nil)
	for j := range k {
		vectors.SetRow(j, mat.Col(nil, n-1-j, &all))
	}
	return values[:k], vectors, nil
}
