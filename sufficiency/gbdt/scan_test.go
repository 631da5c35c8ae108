package gbdt

import (
	"math/rand/v2"
	"testing"
)

// The histograms of random nodes, scanned and subtracted as the machine does
// and as the portable code does: equal to the bit. Few values make ties.
func TestVectorsAsPortable(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 2000 {
		n, rowsOf := 2+r.IntN(300), 1+r.IntN(MaxBins)
		p := packedBy(uint(44 + r.IntN(12)))
		values := int64(1) << r.IntN(40)
		bins := make([]int64, rowsOf*lanes)
		total := int64(0)
		for range n {
			residual := r.Int64N(2*values+1) - values
			total += residual
			for l := range lanes {
				bins[r.IntN(rowsOf)%(1+l*40)*lanes+l] += p.one + residual
			}
		}
		level := []node{{end: int32(n), fixed: total, search: true}}
		var s sides
		minLeaf := 1 + r.IntN(5)
		s.level(level, func(x *node) int64 { return x.fixed }, minLeaf, func(*node) bool { return true })
		mean := float64(total) / float64(n)
		score := 0.0
		if r.IntN(2) == 0 {
			score = float64(values) * r.Float64()
		}
		var got, want best
		look := look{packing: p, sides: s.of(0), mean: mean, score: score, borders: bordersOf(rowsOf)}
		look.scan(bins[:(rowsOf-1)*lanes], &got)
		look.scanPortable(bins[:(rowsOf-1)*lanes], &want)
		if got != want {
			t.Fatalf("%d records in %d bins, from %g: %+v, portable %+v", n, rowsOf, score, got, want)
		}
		one, two := make([]int64, rowsOf*lanes), make([]int64, rowsOf*lanes)
		subtract(one, bins, two)
		subtractPortable(two, bins, bins)
		for b := range bins {
			if one[b] != bins[b] || two[b] != 0 {
				t.Fatalf("bin %d: less nothing %v, less itself %v", b, one[b], two[b])
			}
		}
	}
}

// bordersOf is the borders of 8 columns with that many bins.
func bordersOf(bins int) (out [lanes]int) {
	for l := range out {
		out[l] = bins - 1
	}
	return out
}
