package pcm

import "math"

// cholesky factors a symmetric positive definite p×p matrix into the lower
// triangle of itself.
func cholesky(a []float64, p int) {
	for j := range p {
		rowJ := a[j*p : j*p+j]
		d := math.Sqrt(max(a[j*p+j]-dot(rowJ, rowJ), math.SmallestNonzeroFloat64))
		a[j*p+j] = d
		for i := j + 1; i < p; i++ {
			a[i*p+j] = (a[i*p+j] - dot(a[i*p:i*p+j], rowJ)) / d
		}
	}
}

// dot is the scalar product in four sums side by side. Products are rounded
// before they are added, so that the bits are the same on every processor.
func dot(x, y []float64) float64 {
	var a, b, c, d float64
	y = y[:len(x)]
	k := 0
	for ; k+3 < len(x); k += 4 {
		a += float64(x[k] * y[k])
		b += float64(x[k+1] * y[k+1])
		c += float64(x[k+2] * y[k+2])
		d += float64(x[k+3] * y[k+3])
	}
	for ; k < len(x); k++ {
		a += float64(x[k] * y[k])
	}
	return (a + b) + (c + d)
}

// solve puts the solution of L·Lᵀ·x = c in the place of c.
func solve(l, c []float64) {
	p := len(c)
	for i := range p {
		c[i] = (c[i] - dot(l[i*p:i*p+i], c[:i])) / l[i*p+i]
	}
	for i := p - 1; i >= 0; i-- {
		v := c[i] / l[i*p+i]
		c[i] = v
		for k, x := range l[i*p : i*p+i] {
			c[k] -= float64(x * v)
		}
	}
}
