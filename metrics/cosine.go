package metrics

import (
	"fmt"
	"math"
)

// CosineOf returns the cosine of two vectors, in [-1, 1]:
//
//	Σ a·b / sqrt(Σ a² · Σ b²)
//
// and 0 where one has no direction (an empty text's zero vector). Vectors of
// different length panic.
func CosineOf(a, b []float32) float64 {
	if len(a) != len(b) {
		panic(fmt.Sprintf("metrics: cosine of vectors of %d and %d numbers", len(a), len(b)))
	}
	var dot, aa, bb float64
	for i, x := range a {
		x, y := float64(x), float64(b[i])
		dot += float64(x * y)
		aa += float64(x * x)
		bb += float64(y * y)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return max(-1, min(1, dot/(math.Sqrt(aa)*math.Sqrt(bb))))
}

// CosineBest returns the largest cosine of the answer's vector with a
// reference's; 0 without references.
func CosineBest(answer []float32, references [][]float32) float64 {
	if len(references) == 0 {
		return 0
	}
	top := -1.0
	for _, r := range references {
		top = max(top, CosineOf(answer, r))
	}
	return top
}
