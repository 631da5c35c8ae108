package infer

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// Several is of every value at once what it is of one, on any number of threads.
func TestSeveral(t *testing.T) {
	groups := []string{"a", "", "a", "b", "", "b", "b"}
	x := []float64{1, 2, 4, 8, 16, 32, 64}
	dot := func(counts []uint8) (sum float64) {
		for i, c := range counts {
			sum += float64(float64(c) * x[i])
		}
		return sum
	}
	for _, threads := range []int{1, 2, 5} {
		before := runtime.GOMAXPROCS(threads)
		rs, err := NewResamples(rand.New(rand.NewPCG(1, 2)), groups, Options{Count: 2003})
		if err != nil {
			t.Fatal(err)
		}
		prepared := make(chan bool, 100)
		got := rs.Several(2, func() func(counts []uint8, out []float64) {
			prepared <- true
			return func(counts []uint8, out []float64) { out[0], out[1] = dot(counts), drawnOf(counts) }
		})
		runtime.GOMAXPROCS(before)
		if !slices.Equal(got[0], each(rs, dot)) || !slices.Equal(got[1], each(rs, drawnOf)) {
			t.Errorf("%d threads: other values than Each's", threads)
		}
		if len(prepared) != threads {
			t.Errorf("%d threads prepared %d times", threads, len(prepared))
		}
	}
}

// By hand, 2,001 values so that the quantiles .025 and .975 are those at 50 and
// 1,950; and between a finite value and an infinite one lies the infinite one.
func TestRange(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name      string
		count     int
		value     func(i int) float64
		low, high float64
	}{
		{name: "finite", count: 2001, value: func(i int) float64 { return float64(2000 - i) }, low: 50, high: 1950},
		{name: "between two", count: 2000, value: func(i int) float64 { return float64(i) }, low: 49.975, high: 1949.025},
		{name: "some above", count: 2001, value: func(i int) float64 {
			if i > 1900 {
				return inf
			}
			return float64(i)
		}, low: 50, high: inf},
		{name: "from a finite to an infinite value", count: 2000, value: func(i int) float64 {
			if i >= 1950 {
				return inf
			}
			return float64(i)
		}, low: 49.975, high: inf},
		{name: "from an infinite to a finite value", count: 2000, value: func(i int) float64 {
			if i <= 49 {
				return -inf
			}
			return float64(i)
		}, low: -inf, high: 1949.025},
		{name: "nothing finite", count: 2000, value: func(int) float64 { return -inf }, low: -inf, high: -inf},
	} {
		rs, err := NewResamples(rand.New(rand.NewPCG(1, 2)), make([]string, 5), Options{Count: c.count})
		if err != nil {
			t.Fatal(err)
		}
		var x []float64
		for i := range c.count {
			x = append(x, c.value(i))
		}
		low, high, err := rs.Range(x)
		if err != nil || math.Abs(low-c.low) > 1e-9 || math.Abs(high-c.high) > 1e-9 || math.IsNaN(low) || math.IsNaN(high) {
			t.Errorf("%s: [%v, %v], %v; want [%v, %v]", c.name, low, high, err, c.low, c.high)
		}
		x[3] = math.NaN()
		if _, _, err := rs.Range(x); err == nil {
			t.Errorf("%s: no error for NaN", c.name)
		}
		if _, _, err := rs.Range(x[1:]); err == nil {
			t.Errorf("%s: no error for one value less than resamples", c.name)
		}
	}
}

// Counts of some records are the sums of a column that is 1 there, whatever form the draws are kept in.
func TestCountsAreSumsOfOnes(t *testing.T) {
	for _, o := range []Options{{}, {Keep: -1}, {Keep: 30_000}} {
		groups := make([]string, 50)
		groups[3], groups[40] = "pair", "pair"
		o.Count = 1000
		rs, err := NewResamples(rand.New(rand.NewPCG(1, 2)), groups, o)
		if err != nil {
			t.Fatal(err)
		}
		column, of := make([]float64, len(groups)), []int{0, 3, 17, 40}
		for _, i := range of {
			column[i] = 1
		}
		if got, want := rs.Counts(of), rs.SumsOf(column)[0]; !slices.Equal(got, want) {
			t.Errorf("%+v: %v, want %v", o, got[:5], want[:5])
		}
	}
}
