package compare

import (
	"math"
	"sort"

	"infnet/harness/calc"
)

// power is the probability with which the smallest detectable difference is seen, and the planned number of records
// suffices.
const power = 0.8

// upper is the point of the standard normal distribution above which the given share lies.
func upper(share float64) float64 { return -calc.NormalQuantile(math.Max(share, 1e-300)) }

// planned is what a mean needs at a one-sided level: (z_{1−α} + z_{power})². Times the squared standard error of the
// paired difference, it is the square of the smallest one that is seen with probability 0.8.
func planned(alpha float64) float64 {
	z := upper(alpha) + upper(1-power)
	return z * z
}

// neededMean is the number of records for which the difference that was seen would be detectable, where se is that of n
// records; 0 = no number.
func neededMean(alpha, se, difference float64, n int) int {
	if difference == 0 || se == 0 {
		return 0
	}
	return ceiling(float64(n) * planned(alpha) * (se / difference) * (se / difference))
}

// detectableRate is the smallest difference of rates that McNemar's exact test at a one-sided level sees with
// probability 0.8 on n records, where noise is the number of records that differ by chance, as many for the better as
// for the worse. It is a whole number of records, divided by n; 0 = not even n records suffice.
func detectableRate(alpha float64, noise, n int) float64 {
	lo, hi := 0, n-noise // excess records for the worse: lo does not suffice, hi does
	if hi <= 0 || seen(alpha, noise, hi) < power {
		return 0
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; seen(alpha, noise, mid) >= power {
			hi = mid
		} else {
			lo = mid
		}
	}
	return float64(hi) / float64(n)
}

// seen is the power of McNemar's exact test at a one-sided level, given that excess + noise records differ: each of
// them for the worse with probability (excess + noise/2) / (excess + noise).
func seen(alpha float64, noise, excess int) float64 {
	differ := noise + excess
	p := float64(2*excess+noise) / float64(2*differ)
	at := critical(alpha, differ)
	if at > differ {
		return 0
	}
	if p >= 1 {
		return 1
	}
	return 1 - calc.BinomialAtMost(at-1, differ, p)
}

// critical is the least number of records for the worse, of those that differ, at which the test rejects; one more than
// there are, where it never does.
func critical(alpha float64, differ int) int {
	least := differ/2 + 1
	return least + sort.Search(differ-differ/2, func(i int) bool { // by symmetry, exact in the tail
		return calc.BinomialAtMost(differ-least-i, differ, 0.5) <= alpha
	})
}

// neededRate is the number of records on which McNemar's test sees the rates that were seen, with probability 0.8:
// worsened and improved records of n; 0 = no number.
//
//	n = (z_{1−α}·√ψ + z_{power}·√(ψ − δ²))² / δ²
//
// with ψ the share of records that differ and δ the difference.
func neededRate(alpha float64, worsened, improved, n int) int {
	// R. J. Connor, "Sample size for testing differences in proportions for the paired-sample design", Biometrics 43
	// (1987), equation 3.
	psi, delta := float64(worsened+improved)/float64(n), float64(worsened-improved)/float64(n)
	if delta == 0 {
		return 0
	}
	root := float64(upper(alpha)*math.Sqrt(psi)) + float64(upper(1-power)*math.Sqrt(psi-float64(delta*delta)))
	return ceiling(root * root / (delta * delta))
}

// ceiling rounds a number of records up; 0 where it is beyond all bounds.
func ceiling(n float64) int {
	if math.IsNaN(n) || n > 1e12 {
		return 0
	}
	return int(math.Ceil(n))
}
