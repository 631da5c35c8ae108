package doubt

import "math"

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
		p += math.Exp(choose(column, x) + choose(n-column, row-x) - choose(n, row))
	}
	return math.Min(1, p)
}

// upper is the p-value of a first cell of a or more.
func upper(a, b, c, d int) float64 { return lower(b, a, d, c) }

// choose is the logarithm of n over k.
func choose(n, k int) float64 {
	x, _ := math.Lgamma(float64(n + 1))
	y, _ := math.Lgamma(float64(k + 1))
	z, _ := math.Lgamma(float64(n - k + 1))
	return x - y - z
}

// sign is the one-sided p-value of the sign test: the probability of k or more
// heads in n tosses of a fair coin.
func sign(k, n int) float64 {
	p := 0.0
	for x := k; x <= n; x++ {
		p += math.Exp(choose(n, x) - float64(n)*math.Ln2)
	}
	return math.Min(1, p)
}
