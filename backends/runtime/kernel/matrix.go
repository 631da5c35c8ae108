package kernel

import (
	"fmt"
	"slices"

	"infnet/backends/runtime/number"
)

// Matrix is a weight matrix of N outputs by K inputs, packed once for
// multiplication: panels of Width outputs, each panel K rows of Width numbers.
// Missing outputs of the last panel are zero. It is never changed after it was
// packed, so any number of goroutines may share it.
//
// Its numbers are kept in the format they are stored in: products widen them
// on the way, exactly, so a matrix of 16-bit numbers takes half the memory of
// its float32 twin and gives the same bits.
type Matrix struct {
	N, K   int
	format number.Format
	panels []float32 // number.Float32
	halves []uint16  // the other formats; the places within a row are place's
}

// NewMatrix returns a packed matrix of zeros.
func NewMatrix(n, k int, f number.Format) *Matrix {
	m := &Matrix{N: n, K: k, format: f}
	if f == number.Float32 {
		m.panels = make([]float32, Round(n)*k)
	} else {
		m.halves = make([]uint16, Round(n)*k)
	}
	largePages(m.panels)
	largePages(m.halves)
	return m
}

// Format is how the matrix keeps its numbers.
func (m *Matrix) Format() number.Format { return m.format }

// SetRow sets the weights of output i. A matrix of 16-bit numbers takes those of its own format
// alone. It must not be called once the matrix is shared.
func (m *Matrix) SetRow(i int, w number.Slice) {
	if w.Len() != m.K || w.Format != m.format && m.format != number.Float32 {
		panic(fmt.Sprintf("kernel: %d numbers of format %d for a matrix of %d inputs in format %d", w.Len(), w.Format, m.K,
			m.format))
	}
	at := i/Width*m.K*Width + place(m.format, i%Width)
	switch {
	case m.format != number.Float32:
		for k, v := range w.Halves {
			m.halves[at+k*Width] = v
		}
	case w.Format != number.Float32:
		for k, v := range w.Halves {
			m.panels[at+k*Width] = w.Format.Widen(v)
		}
	default:
		for k, v := range w.Wide {
			m.panels[at+k*Width] = v
		}
	}
}

// Row copies the weights of output i into dst.
func (m *Matrix) Row(dst []float32, i int) {
	at := i/Width*m.K*Width + place(m.format, i%Width)
	for k := range dst[:m.K] {
		if m.format == number.Float32 {
			dst[k] = m.panels[at+k*Width]
		} else {
			dst[k] = m.format.Widen(m.halves[at+k*Width])
		}
	}
}

// Equal reports whether two matrices hold equal numbers, however they keep them.
func (m *Matrix) Equal(o *Matrix) bool {
	if m.N != o.N || m.K != o.K {
		return false
	}
	x, y := make([]float32, m.K), make([]float32, m.K)
	for i := range m.N {
		m.Row(x, i)
		o.Row(y, i)
		if !slices.Equal(x, y) {
			return false
		}
	}
	return true
}

// Mul writes rows rows of outputs from..to (multiples of Width, or to = N):
// dst[i][j] = Σ_k a[i][k]·W[from+j][k]. Rows of dst are ldc apart and hold the
// outputs rounded up to a multiple of Width.
func (m *Matrix) Mul(dst []float32, ldc int, a []float32, lda, rows, from, to int) {
	if rows == 0 {
		return
	}
	if m.format != number.Float32 {
		m.mulHalves(dst, ldc, a, lda, rows, from, to)
		return
	}
	for n := from; n < to; n += Width {
		Panel(dst[n-from:], ldc, a, lda, m.panels[n*m.K:], m.K, rows)
	}
}

// mulHalves is Mul of 16-bit numbers. Few rows widen a panel in registers; for many it is
// widened once, next to the processor.
func (m *Matrix) mulHalves(dst []float32, ldc int, a []float32, lda, rows, from, to int) {
	few := best.halves(m.format)
	var wide *[]float32
	if rows >= few.rows {
		wide = scratch.Get().(*[]float32)
		defer scratch.Put(wide)
		if cap(*wide) < m.K*Width {
			*wide = make([]float32, m.K*Width)
		}
	}
	for n := from; n < to; n += Width {
		panel, out := m.halves[n*m.K:(n+Width)*m.K], dst[n-from:]
		if wide != nil {
			few.widen(&(*wide)[:m.K*Width][0], &panel[0], m.K)
			Panel(out, ldc, a, lda, (*wide)[:m.K*Width], m.K, rows)
			continue
		}
		checkPanel(len(out), ldc, len(a), lda, len(panel), m.K, rows)
		few.gemm(&out[0], ldc, &a[0], lda, &panel[0], m.K, rows)
	}
}
