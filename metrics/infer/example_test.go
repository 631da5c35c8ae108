package infer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"infnet/metrics/infer"
)

// Two policies on the same records share one set of resamples.
func ExampleResamples() {
	right := []float64{1, 1, 0, 1, 1, 0, 1, 1, 1, 1}
	paid := []float64{1, 1, 5, 1, 1, 5, 1, 1, 5, 1}
	master := []float64{4, 4, 4, 4, 4, 4, 4, 4, 4, 4}
	context := []string{"a", "a", "b", "b", "c", "c", "d", "d", "e", "e"} // records of one passage go together

	rs, err := infer.NewResamples(rand.New(rand.NewPCG(1, 2)), context, infer.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	accuracy, _ := rs.RateOf(right)
	least, most := slices.Repeat([]float64{1}, 10), slices.Repeat([]float64{5}, 10)
	saved, _ := rs.Saved(paid, least, most, master)
	fmt.Printf("accuracy %.2f, n = %d, %s\n", accuracy.Value, accuracy.N, accuracy.Method)
	fmt.Printf("cost saved %.0f %%\n", saved.Value)
	// Output:
	// accuracy 0.80, n = 10, clopper-pearson, effective sample
	// cost saved 45 %
}
