package infer

import "infnet/harness/calc"

// Holm returns p-values adjusted for testing all of them at once, in the order
// given: rejecting where the adjusted value is ≤ α keeps the probability of
// any false rejection ≤ α, whatever their dependence.
//
//	adjusted of the i-th smallest (from 0) = max over j ≤ i of min(1, (m−j)·p_(j))
func Holm(p []float64) []float64 {
	// S. Holm, "A simple sequentially rejective multiple test procedure",
	// Scandinavian Journal of Statistics 6 (1979).
	out, order := make([]float64, len(p)), calc.Ascending(p)
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, float64(len(p)-rank)*p[i]))
		out[i] = least
	}
	return out
}

// BenjaminiHochberg returns p-values adjusted so that rejecting where they are
// ≤ α keeps the expected share of false rejections among the rejections ≤ α,
// for independent or positively dependent tests.
//
//	adjusted of the i-th smallest (from 0) = min over j ≥ i of min(1, m·p_(j)/(j+1))
func BenjaminiHochberg(p []float64) []float64 {
	// Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate",
	// Journal of the Royal Statistical Society B 57 (1995).
	out, order := make([]float64, len(p)), calc.Ascending(p)
	most := 1.0
	for rank := len(order) - 1; rank >= 0; rank-- {
		i := order[rank]
		most = min(most, float64(len(p))*p[i]/float64(rank+1))
		out[i] = most
	}
	return out
}
