package kernel

import (
	"fmt"
	"math"
	"unsafe"
)

// Operations that BERT-like encoders need and decoders do not: biases, a layer norm with a mean,
// and the exact GELU.

// The normal distribution function for x ≥ 0 is 1 - e^(-x²/2)·t·(b1 + … + b5·t⁴)
// with t = 1/(1 + p·x), to 7.5e-8. Abramowitz and Stegun, Handbook of
// Mathematical Functions, 1964, 26.2.17, the factor 1/sqrt(2π) taken into b.
const (
	normalP  = 0.2316419
	normalB1 = 0.1274147958962986
	normalB2 = -0.14224836829963933
	normalB3 = 0.7107068706716199
	normalB4 = -0.7265760130580615
	normalB5 = 0.5307027142649737
)

// GeluBias writes the exact GELU of x plus a bias:
//
//	dst = y·Φ(y),  y = x + bias
//
// with an error below 2e-7 of max(1, |y|). dst may be x. Hendrycks and Gimpel,
// Gaussian Error Linear Units, 2016.
func GeluBias(dst, x, bias []float32) {
	same(len(dst), len(x), len(bias))
	best.geluBias(&dst[0], &x[0], &bias[0], len(x))
}

// ReluBias writes max(0, x + bias). dst may be x.
func ReluBias(dst, x, bias []float32) {
	same(len(dst), len(x), len(bias))
	for i, v := range x {
		dst[i] = max(0, v+bias[i])
	}
}

// Add adds x to dst.
func Add(dst, x []float32) {
	same(len(dst), len(x), len(x))
	best.add(&dst[0], &x[0], len(x))
}

// LayerNorm writes the normed first d numbers of x, times w plus bias:
//
//	dst = (x - mean(x)) / sqrt(mean((x - mean(x))²) + eps) · w + bias
//
// All are padded with zeros to equal lengths, and dst is; dst may be x.
// Ba, Kiros and Hinton, Layer Normalization, 2016.
func LayerNorm(dst, x, w, bias []float32, d int, eps float32) {
	same(len(dst), len(x), len(w))
	if len(bias) != len(x) || d <= 0 || d > len(x) {
		panic(fmt.Sprintf("kernel.LayerNorm: %d numbers of rows of %d, and a bias of %d", d, len(x), len(bias)))
	}
	mean := best.sum(&x[0], len(x)) / float32(d)
	for i, v := range x[:d] {
		dst[i] = v - mean
	}
	clear(dst[d:])
	r := inverseRMS(dst, d, eps)
	best.scale(&dst[0], &dst[0], &w[0], r, len(dst))
	best.add(&dst[0], &bias[0], len(dst))
}

func sumGo(x *float32, n int) float32 {
	var s [lanes]float32
	for i, v := range unsafe.Slice(x, n) {
		s[i%lanes] += v
	}
	return tree(&s)
}

func addGo(dst, x *float32, n int) {
	d := unsafe.Slice(dst, n)
	for i, v := range unsafe.Slice(x, n) {
		d[i] += v
	}
}

func geluBiasGo(dst, x, bias *float32, n int) {
	d, xs, bs := unsafe.Slice(dst, n), unsafe.Slice(x, n), unsafe.Slice(bias, n)
	for i, v := range xs {
		y := v + bs[i]
		t := 1 / (float32(math.Float32frombits(math.Float32bits(y)&0x7fffffff)*normalP) + 1)
		p := float32(t*normalB5) + normalB4
		p = float32(p*t) + normalB3
		p = float32(p*t) + normalB2
		p = float32(p*t) + normalB1
		p = float32(p * t * expGo(float32(y*y)*-0.5))
		if !math.Signbit(float64(y)) {
			p = 1 - p
		}
		d[i] = y * p
	}
}
