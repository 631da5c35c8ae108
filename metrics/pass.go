package metrics

// PassAtK estimates the probability that at least one of k samples is right, from n samples of which c are, 1 ≤ k ≤ n:
//
//	1 − C(n−c, k) / C(n, k) = 1 − ∏ (1 − k/i), i from n−c+1 to n
//
// in [0,1]; without bias, whatever n is. It is 1 where fewer than k are wrong; pass@1 is c/n.
func PassAtK(n, c, k int) float64 {
	// Mark Chen et al., Evaluating Large Language Models Trained on Code, 2021, equation 1, and its figure 3 for the
	// product.
	if n-c < k {
		return 1
	}
	fail := 1.0
	for i := n - c + 1; i <= n; i++ {
		fail = float64(fail * (1 - float64(k)/float64(i)))
	}
	return 1 - fail
}
