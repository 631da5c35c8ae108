//go:build amd64 && !purego

package kernel

import "golang.org/x/sys/cpu"

func fastest() ops {
	v := variants()
	return v[len(v)-1]
}

// variants lists what this machine can run, slowest first.
func variants() []ops {
	list := []ops{portable}
	if !cpu.X86.HasAVX2 {
		return list
	}
	avx2 := ops{
		name: "avx2", gemm: gemmAVX2, sumsq: sumsqAVX2, maximum: maximumAVX2, expSum: expSumAVX2,
		scale: scaleAVX2, addScale: addScaleAVX2, geluMul: geluMulAVX2, siluMul: siluMulAVX2, rotate: rotateAVX2,
		sum: sumAVX2, add: addAVX2, geluBias: geluBiasAVX2,
		blocks: blocksAVX2, brain: halfOps{gemm: gemmBrainAVX2, widen: widenBrainAVX2, rows: 16}, half: halfGo,
	}
	if cpu.X86.HasF16C {
		avx2.half = halfOps{gemm: gemmHalfF16C, widen: widenHalfF16C, rows: 16}
	}
	list = append(list, avx2)
	if cpu.X86.HasAVX512F {
		avx512 := avx2
		avx512.name, avx512.gemm = "avx512", gemmAVX512
		avx512.blocks = nil
		avx512.brain.rows, avx512.half.rows = 8, min(avx512.half.rows, 8)
		list = append(list, avx512)
	}
	return list
}

//go:noescape
func gemmAVX512(dst *float32, ldc int, a *float32, lda int, b *float32, k, m int)

//go:noescape
func gemmAVX2(dst *float32, ldc int, a *float32, lda int, b *float32, k, m int)

//go:noescape
func sumsqAVX2(x *float32, n int) float32

//go:noescape
func maximumAVX2(x *float32, n int) float32

//go:noescape
func expSumAVX2(x *float32, max float32, n int) float32

//go:noescape
func scaleAVX2(dst, x, w *float32, r float32, n int)

//go:noescape
func addScaleAVX2(dst, x, w *float32, r float32, n int)

//go:noescape
func geluMulAVX2(dst, gate, up *float32, n int)

//go:noescape
func siluMulAVX2(dst, gate, up *float32, n int)

//go:noescape
func rotateAVX2(dst, x, cos, sin *float32, half int)

//go:noescape
func sumAVX2(x *float32, n int) float32

//go:noescape
func addAVX2(dst, x *float32, n int)

//go:noescape
func geluBiasAVX2(dst, x, bias *float32, n int)

//go:noescape
func gemmBrainAVX2(dst *float32, ldc int, a *float32, lda int, b *uint16, k, m int)

//go:noescape
func gemmHalfF16C(dst *float32, ldc int, a *float32, lda int, b *uint16, k, m int)

//go:noescape
func widenBrainAVX2(dst *float32, b *uint16, k int)

//go:noescape
func widenHalfF16C(dst *float32, b *uint16, k int)

//go:noescape
func blocksAVX2(dst *float32, ldc int, a *float32, lda int, b *float32, k, m int)
