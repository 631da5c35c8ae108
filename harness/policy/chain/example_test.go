package chain_test

import (
	"fmt"

	"infnet/harness/policy"
	"infnet/harness/policy/chain"
)

// Three models in series: the middle one takes what it is sure of.
func ExampleFit() {
	records := chain.Records{
		Beta: [][]float64{{0.9, 0.8, 0.3, 0.2, 0.1}, {0.9, 0.9, 0.9, 0.3, 0.8}},
		Err:  [][]float64{{0, 0, 1, 1, 1}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 0}},
		Cost: []float64{1, 4, 20},
	}
	p, err := chain.Fit(records, policy.Options{Target: policy.Master})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("θ:", p.Thresholds, "asked:", p.Asked, "cost per query:", p.Cost)
	// Output: θ: [0.8 0.8] asked: [5 3 1] cost per query: 7.4
}
