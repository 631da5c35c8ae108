package leading

import "math"

// tridiagonal is a symmetric matrix of three diagonals.
type tridiagonal struct{ diagonal, off []float64 }

// reflectors are Householder reflections I − τ·v·vᵀ; v is a row, 0 up to its own
// number and 1 behind it.
type reflectors struct {
	v   view[float64]
	tau []float64
}

// together is the number of reflections applied at a time.
const together = 32

// tridiagonalise reduces a symmetric matrix to T with A = Q·T·Qᵀ, and returns the
// reflections whose product Q is, in the place of a. Only the upper triangle is
// read. (J. J. Dongarra, S. J. Hammarling and D. C. Sorensen, Block reduction of
// matrices to condensed forms for eigenvalue computations, Journal of
// Computational and Applied Mathematics 27, 1989.)
func tridiagonalise(a []float64, n int) (tridiagonal, reflectors) {
	r := &reduction{a: a, n: n, w: make([]float64, together*n), sum: make([]float64, n)}
	r.t = tridiagonal{make([]float64, n), make([]float64, max(0, n-1))}
	r.tau = make([]float64, max(0, n-1))
	for first := 0; first < n; first += together {
		last := min(first+together, n)
		for i := first; i < last; i++ {
			r.column(first, i)
		}
		if last < n {
			r.update(first, last)
		}
	}
	return r.t, reflectors{byRows(a, n, n), r.tau}
}

// reduction is a reduction in progress.
type reduction struct {
	a     []float64 // reflections so far, and the rest of the matrix, without those of the block
	n     int
	w     []float64 // by reflection of the block: A loses v·wᵀ + w·vᵀ
	sum   []float64
	t     tridiagonal
	tau   []float64
	m     multiplier
	left  []float64
	right []float64
}

func (r *reduction) row(i int) []float64 { return r.a[i*r.n : (i+1)*r.n] }

// column makes the reflection of row i, in the block that begins with first.
func (r *reduction) column(first, i int) {
	row := r.row(i)
	for l := first; l < i; l++ {
		v, w := r.row(l), r.w[(l-first)*r.n:][:r.n]
		addScaled(row[i:], -v[i], w[i:])
		addScaled(row[i:], -w[i], v[i:])
	}
	r.t.diagonal[i] = row[i]
	clear(row[:i+1])
	if i == r.n-1 {
		return
	}
	v := row[i+1:]
	r.t.off[i], r.tau[i] = reflect(v)
	if r.tau[i] == 0 {
		clear(r.w[(i-first)*r.n:][:r.n])
		return
	}
	w := r.w[(i-first)*r.n:][:r.n]
	clear(w)
	y := w[i+1:]
	for k, x := range v { // the matrix times v, by its upper triangle
		at := r.row(i + 1 + k)[i+1+k:]
		y[k] += float64(at[0]*x) + sweep(at[1:], v[k+1:], y[k+1:], x)
	}
	for l := first; l < i; l++ {
		before, less := r.row(l)[i+1:], r.w[(l-first)*r.n:][i+1:r.n]
		inW, inV := dot(less, v), dot(before, v)
		addScaled(y, -inW, before)
		addScaled(y, -inV, less)
	}
	for k := range y {
		y[k] *= r.tau[i]
	}
	addScaled(y, -r.tau[i]/2*dot(y, v), v)
}

// reflect replaces x by v with x − τ·v·(vᵀx) = (β, 0, 0, …), v[0] = 1.
func reflect(x []float64) (beta, tau float64) {
	largest := 0.0
	for _, v := range x[1:] {
		largest = max(largest, math.Abs(v))
	}
	first := x[0]
	x[0] = 1
	if largest == 0 {
		return first, 0
	}
	largest = max(largest, math.Abs(first))
	square := float64(first / largest * (first / largest))
	for _, v := range x[1:] {
		v /= largest
		square += float64(v * v)
	}
	beta = -math.Copysign(largest*math.Sqrt(square), first)
	for k := range x[1:] {
		x[1+k] /= first - beta
	}
	return beta, (beta - first) / beta
}

// update takes the reflections of a block off the rest of the matrix.
func (r *reduction) update(first, last int) {
	n, rest := r.n, r.n-last
	r.left, r.right = r.left[:0], r.right[:0]
	for l := first; l < last; l++ {
		v, w := r.row(l)[last:], r.w[(l-first)*n:][last:n]
		r.left, r.right = append(append(r.left, v...), w...), append(append(r.right, w...), v...)
	}
	depth := 2 * (last - first)
	r.m.left = pack(r.m.left, byRows(r.left, depth, rest), 0)
	r.m.right = pack(r.m.right, byRows(r.right, depth, rest), 0)
	blocks(byRows(r.a, n, n).part(last, last, rest, rest), -1, r.m.left, r.m.right, depth, true)
}

// apply multiplies Q with the rows of z, in z's place.
func (r reflectors) apply(z view[float64]) {
	var m multiplier
	n := len(r.tau)
	for last := n; last > 0; {
		first := (last - 1) / together * together
		count, width := last-first, z.cols-first-1
		v, at := r.v.part(first, first+1, count, width), z.part(0, first+1, z.rows, width)
		product := make([]float64, z.rows*count)
		add(&m, byRows(product, z.rows, count), 1, at, v.transposed())
		block := r.block(first, last)
		for row := range z.rows {
			p := product[row*count:][:count]
			for i := range count { // times the block's triangle, transposed
				p[i] = dot(block[i*count+i:(i+1)*count], p[i:])
			}
		}
		add(&m, at, -1, byRows(product, z.rows, count), v)
		last = first
	}
}

// block returns the upper triangular T with H(first)·…·H(last−1) = I − Vᵀ·T·V, the
// rows of V being the reflections (R. Schreiber and C. Van Loan, A
// storage-efficient WY representation for products of Householder
// transformations, SIAM Journal on Scientific and Statistical Computing 10,
// 1989).
func (r reflectors) block(first, last int) []float64 {
	count := last - first
	t := make([]float64, count*count)
	met := make([]float64, count)
	for i := range count {
		v := r.v.data[(first+i)*r.v.down:][first+i+1 : r.v.cols]
		for l := range i {
			met[l] = dot(r.v.data[(first+l)*r.v.down:][first+i+1:r.v.cols], v)
		}
		tau := r.tau[first+i]
		t[i*count+i] = tau
		for l := range i {
			t[l*count+i] = -tau * dot(t[l*count+l:l*count+i], met[l:i])
		}
	}
	return t
}
