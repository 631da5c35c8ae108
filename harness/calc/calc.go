// Package calc owns the functions of real numbers that results are computed
// with: powers and logarithms, sines, the gamma and beta functions, and the
// distributions built on them, and the order of numbers, ties and the AUROC.
// Each gives the same bits on every processor.
//
// The library's do not. Its Exp takes another path where a processor has no
// fused multiply-add, and everything above Exp follows it; and on arm64 the
// compiler fuses x*y + z by itself. Here every product that is added to
// something is rounded first, float64(x*y) + z, and math.FMA, which rounds
// once on every processor, stands where an exact product is needed.
//
// It refuses nothing: outside its domain a function returns NaN or ±Inf, as
// the library's does.
package calc

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strconv"
)

// pair is the unevaluated sum of two numbers, the second far smaller: about 106 bits.
type pair struct{ hi, lo float64 }

// sum returns a + b exactly. (D. E. Knuth, TAOCP 2, 4.2.2, theorem B.)
func sum(a, b float64) pair {
	s := a + b
	t := s - a
	return pair{s, (a - (s - t)) + (b - t)}
}

// product returns a·b exactly.
func product(a, b float64) pair {
	p := float64(a * b)
	return pair{p, math.FMA(a, b, -p)}
}

func (x pair) times(y pair) pair {
	p := product(x.hi, y.hi)
	return sum(p.hi, p.lo+(float64(x.hi*y.lo)+float64(x.lo*y.hi)))
}

func (x pair) plus(y pair) pair {
	s := sum(x.hi, y.hi)
	return sum(s.hi, s.lo+(x.lo+y.lo))
}

// value is the pair as one number.
func (x pair) value() float64 { return x.hi + x.lo }

// The parts of ln 2 have so few bits that a product with an exponent is exact.
const (
	ln2High = 0x1.62e42fefp-01 // 33 bits
	ln2Low  = math.Ln2 - ln2High
)

const (
	parts = 128 // of a doubling, in the table of Exp
	cells = 256 // of the unit, in the table of Log
)

var (
	power  = powers() // 2^(j/parts)
	logOf  = logs()   // −ln(i/cells), for i from leastCell on
	inLog2 = pair{math.Log2E, log2ELow}
	inLog1 = pair{math.Log10E, log10ELow}
)

// What the nearest numbers leave of 1/ln 2 and 1/ln 10.
const (
	log2ELow  = math.Log2E - 0x1.71547652b82fep+00
	log10ELow = math.Log10E - 0x1.bcb7b1526e50ep-02
)

func powers() (t [parts]pair) {
	root := pair{2, 0}
	for n := parts; n > 1; n /= 2 {
		r := math.Sqrt(root.hi)
		square := product(r, r)
		root = sum(r, ((root.hi-square.hi)-square.lo+root.lo)/(2*r)) // a step of Newton's method
	}
	t[0] = pair{1, 0}
	for j := 1; j < parts; j++ {
		t[j] = t[j-1].times(root)
	}
	return t
}

const leastCell, lastCell = 181, 363 // 256/√2 and 256·√2, rounded outwards

func logs() (t [lastCell - leastCell + 1]pair) {
	rise := func(i int) (r pair) { // ln((i+1)/i) = 2·artanh(1/(2i+1)), by its series
		s := reciprocal(float64(2*i + 1))
		square := s.times(s)
		for k := 15; k > 0; k -= 2 {
			r = r.times(square).plus(reciprocal(float64(k)))
		}
		return r.times(s).times(pair{2, 0})
	}
	for i := cells; i < lastCell; i++ {
		r := rise(i)
		t[i+1-leastCell] = t[i-leastCell].plus(pair{-r.hi, -r.lo})
	}
	for i := cells - 1; i >= leastCell; i-- {
		t[i-leastCell] = t[i+1-leastCell].plus(rise(i))
	}
	return t
}

func reciprocal(x float64) pair {
	r := 1 / x
	return pair{r, math.FMA(-r, x, 1) / x}
}

// Significant rounds to so many significant digits, as printing does. What is no finite number becomes 0.
func Significant(x float64, digits int) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		return 0 // beyond the largest number
	}
	return y
}

// Ascending returns the places of numbers from the least to the largest, of equal ones the first
// first. NaNs come before all numbers.
func Ascending(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	return order
}

// Ties yields, from the least value to the largest, the places at which each value stands. A NaN
// equals nothing and comes first.
func Ties(x []float64) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		order := Ascending(x)
		for start, end := 0, 0; start < len(order); start = end {
			for end = start + 1; end < len(order) && x[order[end]] == x[order[start]]; end++ {
			}
			if !yield(order[start:end]) {
				return
			}
		}
	}
}

// AUROC is the share of pairs of a hit and a miss in which the hit scores higher, ties counting
// half (Mann and Whitney, 1947). It is exact but for its one division; NaN where there are no pairs.
func AUROC(score []float64, hit func(i int) bool) float64 {
	won, hits, misses := 0.0, 0, 0
	for equal := range Ties(score) {
		h := 0
		for _, i := range equal {
			if hit(i) {
				h++
			}
		}
		m := len(equal) - h
		won += float64(float64(h) * (float64(misses) + float64(m)/2))
		hits, misses = hits+h, misses+m
	}
	if hits == 0 || misses == 0 {
		return math.NaN()
	}
	return won / (float64(hits) * float64(misses))
}
