package policy

import (
	"math"

	"infnet/harness/calc"
)

// grid is the multipliers of LagrangianGrid: 0, and 60 from 0.01 to 100
// deferrals per error, evenly spaced in the logarithm. The paper names no grid.
func grid() []float64 {
	const n = 60
	ls := make([]float64, 1, n+1)
	for i := range n {
		ls = append(ls, calc.Pow(10, -2+4*float64(i)/(n-1)))
	}
	return ls
}

// sweep is the paper's alg:multi_nonoracle_lagrangian_compact: for each
// multiplier the options minimising d + λe, first option on ties; of those
// within the budget the one with the fewest deferrals, first multiplier on
// ties. hit is false if there is none; then the choice is the one of least error.
// O(L·U) for L multipliers and U options.
func sweep(ms []menu, budget Count) (choice []int, hit bool) {
	choice = make([]int, len(ms))
	for k, m := range ms {
		choice[k] = len(m) - 1
	}
	best := int64(math.MaxInt64)
	for _, lambda := range grid() {
		perUnit := lambda / float64(budget.Scale)
		try := make([]int, len(ms))
		var d, e int64
		for k, m := range ms {
			try[k] = m.cheapestAt(perUnit)
			d += m[try[k]].d
			e += m[try[k]].e
		}
		if e <= budget.Units && d < best {
			best, choice, hit = d, try, true
		}
	}
	return choice, hit
}

// cheapestAt returns the first option of least d + λe.
func (m menu) cheapestAt(perUnit float64) int {
	low, best := math.Inf(1), 0
	for j, o := range m {
		if v := float64(o.d) + float64(perUnit*float64(o.e)); v < low {
			low, best = v, j
		}
	}
	return best
}
