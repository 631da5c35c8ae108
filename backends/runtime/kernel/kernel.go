// Package kernel owns the float32 arithmetic of models in this process: packed
// matrix products, row norms, softmax, the gated activation and rotary
// positions, in Go and in amd64 assembly (AVX2, AVX-512).
//
// Its opinion: a result depends on its inputs alone, never on how it was computed. Every product
// out[m][n] is accumulated in the order k = 0..K-1 with a separately rounded multiplication and
// addition (no fused multiply-add), and every sum over a row has the same sixteen partial sums and
// the same tree above them. So any blocking, any number of rows, any SIMD width and the portable Go
// code give the same bits, and the tests hold them to it.
//
// It refuses to know models, files or threads.
package kernel

import (
	"fmt"
	"math"
)

// Width is the number of columns in a panel of a packed matrix. Rows handed
// to this package are padded with zeros to a multiple of it.
const Width = 32

const lanes = 16

// Round returns n rounded up to a multiple of Width.
func Round(n int) int { return (n + Width - 1) / Width * Width }

// ops is one implementation of the arithmetic. Pointers are to the first
// element; lengths n are multiples of lanes; strides count elements.
type ops struct {
	name     string
	gemm     func(dst *float32, ldc int, a *float32, lda int, b *float32, k, m int)
	sumsq    func(x *float32, n int) float32
	maximum  func(x *float32, n int) float32
	expSum   func(x *float32, max float32, n int) float32
	scale    func(dst, x, w *float32, r float32, n int)
	addScale func(dst, x, w *float32, r float32, n int)
	geluMul  func(dst, gate, up *float32, n int)
	siluMul  func(dst, gate, up *float32, n int)
	rotate   func(dst, x, cos, sin *float32, half int)
	sum      func(x *float32, n int) float32
	add      func(dst, x *float32, n int)
	geluBias func(dst, x, bias *float32, n int)

	brain, half halfOps // BFloat16, Float16

	// As gemm, but added to dst, and m a multiple of blockRows; nil where gemm is as fast.
	blocks func(dst *float32, ldc int, a *float32, lda int, b *float32, k, m int)
}

var portable = ops{
	name: "portable", gemm: gemmGo, sumsq: sumsqGo, maximum: maximumGo, expSum: expSumGo,
	scale: scaleGo, addScale: addScaleGo, geluMul: geluMulGo, siluMul: siluMulGo, rotate: rotateGo,
	sum: sumGo, add: addGo, geluBias: geluBiasGo, brain: brainGo, half: halfGo,
}

var best = fastest()

// The rows that ops.blocks takes at a time, and how much of a panel it is given: half of that stays in
// the first cache. Sums go on in memory between parts of a panel, in the same order.
const (
	blockRows  = 6
	blockDepth = 256
)

// Panel multiplies m rows of a, k numbers each and lda apart, with one panel
// of k×Width numbers and writes m rows of Width numbers, ldc apart:
//
//	dst[i][j] = Σ_l a[i][l]·panel[l][j]
func Panel(dst []float32, ldc int, a []float32, lda int, panel []float32, k, m int) {
	if m == 0 {
		return
	}
	checkPanel(len(dst), ldc, len(a), lda, len(panel), k, m)
	at := 0
	if best.blocks != nil && m >= blockRows {
		at = m - m%blockRows
		for i := range at {
			clear(dst[i*ldc : i*ldc+Width])
		}
		for l := 0; l < k; l += blockDepth {
			best.blocks(&dst[0], ldc, &a[l], lda, &panel[l*Width], min(blockDepth, k-l), at)
		}
	}
	if at < m {
		best.gemm(&dst[at*ldc], ldc, &a[at*lda], lda, &panel[0], k, m-at)
	}
}

func checkPanel(dst, ldc, a, lda, panel, k, m int) {
	if k <= 0 || dst < (m-1)*ldc+Width || a < (m-1)*lda+k || panel < k*Width {
		panic(fmt.Sprintf("kernel.Panel: buffers of %d, %d, %d numbers for m=%d k=%d ldc=%d lda=%d", dst, a, panel, m, k,
			ldc, lda))
	}
}

// Norm writes the root-mean-square norm of the first d numbers of x times w:
//
//	dst = x / sqrt(mean(x²) + eps) · w
//
// dst, x and w are padded with zeros to equal lengths; dst may be x.
// Zhang and Sennrich, Root Mean Square Layer Normalization, 2019, eq. 4.
func Norm(dst, x, w []float32, d int, eps float32) {
	r := inverseRMS(x, d, eps)
	same(len(dst), len(x), len(w))
	best.scale(&dst[0], &x[0], &w[0], r, len(x))
}

// AddNorm adds the norm of x (as in Norm) to dst.
func AddNorm(dst, x, w []float32, d int, eps float32) {
	r := inverseRMS(x, d, eps)
	same(len(dst), len(x), len(w))
	best.addScale(&dst[0], &x[0], &w[0], r, len(x))
}

func inverseRMS(x []float32, d int, eps float32) float32 {
	mean := best.sumsq(&x[0], len(x)) / float32(d)
	return 1 / float32(math.Sqrt(float64(mean+eps)))
}

// Scale multiplies x by r.
func Scale(x []float32, r float32) {
	for i := range x {
		x[i] *= r
	}
}

// Softmax replaces the first n numbers of x by exp(x - max x) and returns
// their sum; those from n on become zero. The caller divides when it suits
// it. len(x) is a multiple of Width; numbers equal to -Inf become zero, and
// those smaller than the maximum by more than 87.3 as well.
func Softmax(x []float32, n int) (max, sum float32) {
	inf := float32(math.Inf(-1))
	for i := n; i < len(x); i++ {
		x[i] = inf
	}
	same(len(x), len(x), len(x))
	max = best.maximum(&x[0], len(x))
	return max, best.expSum(&x[0], max, len(x))
}

// Max returns the largest number of x.
func Max(x []float32) float32 {
	same(len(x), len(x), len(x))
	return best.maximum(&x[0], len(x))
}

// GeluMul writes the gated activation:
//
//	dst = gelu(gate) · up,  gelu(x) = x/2·(1 + tanh(sqrt(2/π)·(x + 0.044715·x³)))
//
// Hendrycks and Gimpel, Gaussian Error Linear Units, 2016; Shazeer, GLU
// Variants Improve Transformer, 2020. dst may be gate or up.
func GeluMul(dst, gate, up []float32) {
	same(len(dst), len(gate), len(up))
	best.geluMul(&dst[0], &gate[0], &up[0], len(dst))
}

// SiluMul writes the other gated activation:
//
//	dst = silu(gate) · up,  silu(x) = x / (1 + e^-x)
//
// Elfwing, Uchibe and Doya, Sigmoid-weighted linear units, 2018; Shazeer, GLU
// Variants Improve Transformer, 2020 (SwiGLU). dst may be gate or up.
func SiluMul(dst, gate, up []float32) {
	same(len(dst), len(gate), len(up))
	best.siluMul(&dst[0], &gate[0], &up[0], len(dst))
}

// Rotate turns the pairs (x[i], x[i+half]) by the angles whose cosines and
// sines are given. dst may be x. Su et al., RoFormer, 2021, eq. 34, with the
// halves of the vector paired as the published Gemma and Llama weights expect.
func Rotate(dst, x, cos, sin []float32, half int) {
	if half <= 0 || len(dst) < 2*half || len(x) < 2*half || len(cos) < half || len(sin) < half {
		panic("kernel.Rotate: buffers shorter than the rotation")
	}
	if half%8 != 0 {
		rotateGo(&dst[0], &x[0], &cos[0], &sin[0], half)
		return
	}
	best.rotate(&dst[0], &x[0], &cos[0], &sin[0], half)
}

// same panics unless the three lengths are equal, positive and a multiple of
// the lanes: the assembly has no bounds checks of its own.
func same(a, b, c int) {
	if a != b || b != c || a <= 0 || a%lanes != 0 {
		panic(fmt.Sprintf("kernel: row lengths %d, %d, %d: want equal multiples of %d", a, b, c, lanes))
	}
}
