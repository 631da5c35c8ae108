// Package leading finds the leading singular vectors of a dense matrix, and
// multiplies matrices.
//
// It owns the product of matrices in blocks that stay in the cache, the
// reduction of a symmetric matrix to three diagonals, and the eigenvectors of
// those. It refuses to guess: where an eigenvector fails its own equation, the
// whole decomposition is made instead.
//
// Its opinion: of a tall matrix, only the product with itself is large, and of
// the eigenvectors of that, only those asked for are worth their time. Sums have
// one order, so results do not depend on the processor's vector instructions.
package leading

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// negligible is the eigenvalue, as a share of the largest, below which a Gram
// matrix holds rounding only: the square of a length.
const negligible = 1e-13

// ErrNoDecomposition says that the iteration behind the whole decomposition did
// not converge, or had to begin with numbers that are not finite.
var ErrNoDecomposition = errors.New("the eigenvalue decomposition did not converge")

// Eigenvectors returns the k largest eigenvalues of a positive semidefinite
// matrix, in descending order, and their eigenvectors of length 1 as rows. Those
// whose eigenvalue is at most 10⁻¹³ of the largest are left out, but for the
// first. The matrix, n×n and dense by rows, is overwritten. Its upper triangle is
// what counts.
func Eigenvectors(a []float64, n, k int) (values []float64, vectors *mat.Dense, err error) {
	k = min(k, n)
	kept := append([]float64(nil), a...)
	t, reflectors := tridiagonalise(a, n)
	values, z := t.leading(k)
	if z == nil {
		return whole(kept, n, k)
	}
	reflectors.apply(*z)
	return values, mat.NewDense(len(values), n, z.data), nil
}

// whole makes the whole decomposition.
func whole(a []float64, n, k int) ([]float64, *mat.Dense, error) {
	var eigen mat.EigenSym
	finite := !slices.ContainsFunc(a, func(v float64) bool { return v-v != 0 })
	if !finite || !eigen.Factorize(mat.NewSymDense(n, a), true) {
		return nil, nil, ErrNoDecomposition
	}
	var all mat.Dense
	eigen.VectorsTo(&all)
	ascending := eigen.Values(nil)
	for k > 1 && ascending[n-k] <= negligible*ascending[n-1] {
		k--
	}
	values, vectors := make([]float64, k), mat.NewDense(k, n, nil)
	for j := range k {
		values[j] = ascending[n-1-j]
		vectors.SetRow(j, mat.Col(nil, n-1-j, &all))
	}
	return values, vectors, nil
}
