package kernel

import (
	"math"
	"sync"
	"unsafe"

	"infnet/backends/runtime/number"
)

// place is where column j of a panel lies in its rows. Columns j and j+16 of
// bfloat16 share 32 bits, so that a shift and a mask make two vectors of one.
func place(f number.Format, j int) int {
	if f == number.BFloat16 {
		return j%(Width/2)*2 + j/(Width/2)
	}
	return j
}

type halfOps struct {
	gemm  func(dst *float32, ldc int, a *float32, lda int, b *uint16, k, m int) // as ops.gemm
	widen func(dst *float32, b *uint16, k int)                                  // one panel
	rows  int                                                                   // from which on widening first is faster
}

// halves returns what multiplies numbers of a format.
func (o *ops) halves(f number.Format) *halfOps {
	if f == number.BFloat16 {
		return &o.brain
	}
	return &o.half
}

var brainGo, halfGo = halvesGo(number.BFloat16), halvesGo(number.Float16)

// scratch holds widened panels between products.
var scratch = sync.Pool{New: func() any { return new([]float32) }}

// halvesGo multiplies and widens numbers of a format.
func halvesGo(f number.Format) halfOps {
	gemm := func(dst *float32, ldc int, a *float32, lda int, b *uint16, k, m int) {
		c, x, w := unsafe.Slice(dst, (m-1)*ldc+Width), unsafe.Slice(a, (m-1)*lda+k), unsafe.Slice(b, k*Width)
		for i := range m {
			var sum, wide [Width]float32
			for l, v := range x[i*lda : i*lda+k] {
				widenRow(f, &wide, (*[Width]uint16)(w[l*Width:]))
				for j, p := range wide {
					sum[j] = float32(v*p) + sum[j]
				}
			}
			copy(c[i*ldc:], sum[:])
		}
	}
	return halfOps{gemm: gemm, rows: 4, widen: func(dst *float32, b *uint16, k int) { widenPanel(f, dst, b, k) }}
}

// widenRow widens a row of a panel.
func widenRow(f number.Format, dst *[Width]float32, w *[Width]uint16) {
	if f == number.BFloat16 {
		for j := range Width / 2 {
			dst[j] = math.Float32frombits(uint32(w[2*j]) << 16)
			dst[j+Width/2] = math.Float32frombits(uint32(w[2*j+1]) << 16)
		}
		return
	}
	for j, h := range w {
		dst[j] = f.Widen(h)
	}
}

func widenPanel(f number.Format, dst *float32, b *uint16, k int) {
	d, w := unsafe.Slice(dst, k*Width), unsafe.Slice(b, k*Width)
	for l := 0; l < len(d); l += Width {
		widenRow(f, (*[Width]float32)(d[l:]), (*[Width]uint16)(w[l:]))
	}
}
