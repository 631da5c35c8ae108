package gbdt

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBinsAgainstCounting: a value's bin is the number of borders below it, for
// values of every size and spacing.
func TestBinsAgainstCounting(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	kinds := map[string]func() float64{
		"normal":             r.NormFloat64,
		"whole":              func() float64 { return float64(r.IntN(9)) },
		"one":                func() float64 { return 3 },
		"of all magnitudes":  func() float64 { return math.Exp(80*r.Float64()-40) * float64(1-2*r.IntN(2)) },
		"neighbours":         func() float64 { return float64(math.Float32frombits(0x3f800000 + r.Uint32N(400))) },
		"the smallest there": func() float64 { return float64(math.Float32frombits(r.Uint32N(400))) },
		"the largest there": func() float64 {
			return float64(math.Float32frombits(0x7f7fffff-r.Uint32N(400))) * float64(1-2*r.IntN(2))
		},
		"a pile and a tail": func() float64 { return 1 - math.Pow(r.Float64(), 30) },
		"one outlier":       func() float64 { return r.Float64() + 1e30*float64(r.IntN(3000)/2999) },
	}
	for name, draw := range kinds {
		for _, n := range []int{1, 2, 300, 3000} {
			column := make([]float64, n)
			for i := range column {
				column[i] = draw()
			}
			f, err := NewFeatures(n, [][]float64{column})
			if err != nil {
				t.Fatal(err)
			}
			bins, cuts := f.bin()
			for i, x := range f.x[0] {
				want := 0
				for _, c := range cuts[0] {
					if float64(x) > c {
						want++
					}
				}
				if int(bins[0][i]) != want {
					t.Fatalf("%s, %d values: %g is in bin %d of %d; want %d", name, n, x, bins[0][i], len(cuts[0])+1, want)
				}
			}
		}
	}
}

// TestLongTablesAreSampled: the borders come near those of all rows, a value at
// either end is seen however rare it is, and a period of the rows does no harm.
func TestLongTablesAreSampled(t *testing.T) {
	n := 5*sampled + 7
	even, rare, period := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		even[i] = float64((i * 7919) % n)
		period[i] = float64(i % 5)
	}
	rare[n/3] = 1
	f, err := NewFeatures(n, [][]float64{even, rare, period})
	if err != nil {
		t.Fatal(err)
	}
	_, cuts := f.bin()
	if len(cuts[0]) != MaxBins-1 {
		t.Fatalf("%d borders", len(cuts[0]))
	}
	for k, c := range cuts[0] {
		if share := c / float64(n); math.Abs(share-float64(k+1)/MaxBins) > 0.007 { // five standard deviations
			t.Errorf("border %d of %d lies at the quantile %g", k+1, MaxBins, share)
		}
	}
	if !slices.Equal(cuts[1], []float64{.5}) {
		t.Errorf("one record in %d has a 1: borders %v", n, cuts[1])
	}
	if !slices.Equal(cuts[2], []float64{.5, 1.5, 2.5, 3.5}) {
		t.Errorf("values in turns: borders %v", cuts[2])
	}
}

// TestFewAndManyRecordsAreLookedAtAlike: the search with sides and that without
// find the same splits.
func TestFewAndManyRecordsAreLookedAtAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for range 500 {
		n, rowsOf, minLeaf := 2+r.IntN(300), 1+r.IntN(MaxBins), 1+r.IntN(5)
		p := packedBy(50)
		bins := make([]int64, rowsOf*lanes)
		total := int64(0)
		for range n {
			residual := r.Int64N(1<<21) - 1<<20
			total += residual
			for l := range lanes {
				bins[r.IntN(rowsOf)*lanes+l] += p.one + residual
			}
		}
		level := []node{{end: int32(n), fixed: total, search: true}}
		var s sides
		s.level(&hist{shift: 50, bins: n}, level, minLeaf)
		var want, got best
		end := (rowsOf - 1) * lanes
		l := look{packing: p, sides: s.of(0), mean: float64(total) / float64(n),
			borders: [lanes]int(slices.Repeat([]int{rowsOf - 1}, lanes))}
		l.scan(bins[:end], &want)
		m := many{look: l, records: n, minLeaf: minLeaf}
		m.scan(bins[:end], &got)
		if got != want {
			t.Fatalf("%d records in %d bins: %+v with sides, %+v without", n, rowsOf, want, got)
		}
	}
}
