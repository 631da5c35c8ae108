package kernel

import "fmt"

// Matrix is a weight matrix of N outputs by K inputs, packed once for
// multiplication: panels of Width outputs, each panel K rows of Width numbers.
// Missing outputs of the last panel are zero. It is never changed after it was
// packed, so any number of goroutines may share it.
type Matrix struct {
	N, K   int
	panels []float32
}

// Pack packs w, N rows of K numbers as checkpoints store linear layers.
func Pack(w []float32, n, k int) *Matrix {
	if len(w) != n*k {
		panic(fmt.Sprintf("kernel.Pack: %d numbers for %d×%d", len(w), n, k))
	}
	m := NewMatrix(n, k)
	for i := range n {
		m.SetRow(i, w[i*k:(i+1)*k])
	}
	return m
}

// NewMatrix returns a packed matrix of zeros.
func NewMatrix(n, k int) *Matrix {
	return &Matrix{N: n, K: k, panels: make([]float32, Round(n)*k)}
}

// SetRow sets the weights of output i. It must not be called once the matrix is shared.
func (m *Matrix) SetRow(i int, w []float32) {
	p := m.panels[i/Width*m.K*Width+i%Width:]
	for k, v := range w[:m.K] {
		p[k*Width] = v
	}
}

// Row copies the weights of output i into dst.
func (m *Matrix) Row(dst []float32, i int) {
	p := m.panels[i/Width*m.K*Width+i%Width:]
	for k := range dst[:m.K] {
		dst[k] = p[k*Width]
	}
}

// Mul writes rows rows of outputs from..to (multiples of Width, or to = N):
// dst[i][j] = Σ_k a[i][k]·W[from+j][k]. Rows of dst are ldc apart and hold the
// outputs rounded up to a multiple of Width.
func (m *Matrix) Mul(dst []float32, ldc int, a []float32, lda, rows, from, to int) {
	for n := from; n < to; n += Width {
		Panel(dst[n-from:], ldc, a, lda, m.panels[n*m.K:], m.K, rows)
	}
}
