package doubt

import (
	"math"

	"infnet/harness/calc"
)

// lower is the one-sided p-value of Fisher's exact test for a negative association
// in a 2×2 table: the probability of a first cell of a or less, given the margins
// and no association.
//
//	a b
//	c d
//
// In [0,1]; 1 where a margin is empty.
func lower(a, b, c, d int) float64 {
	// Fisher, Statistical Methods for Research Workers (1934), 21.02.
	row, column, n := a+b, a+c, a+b+c+d
	if row == 0 || row == n || column == 0 || column == n {
		return 1
	}
	p := 0.0
	for x := max(0, row+column-n); x <= a; x++ {
		p += calc.Exp(calc.LogChoose(column, x) + calc.LogChoose(n-column, row-x) - calc.LogChoose(n, row))
	}
	return math.Min(1, p)
}

// upper is the p-value of a first cell of a or more.
func upper(a, b, c, d int) float64 { return lower(b, a, d, c) }
