package permute_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"infnet/sufficiency/permute"
)

// Is x related to y, given the class? Rows of x move within a class.
func ExampleTest() {
	beta := []float64{.1, .1, .2, .2, .3, .3, .4, .4, .5, .5, .6, .6}
	class := []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}
	x := []float64{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}
	y := []float64{0, 1, 0, 1, 1, 2, 1, 2, 2, 3, 2, 3}
	product := func(rows []uint32) float64 {
		sum := 0.0
		for i, j := range rows {
			sum += x[j] * y[i]
		}
		return sum
	}
	plan, err := permute.NewPlan(permute.Design{Beta: beta, Class: class})
	if err != nil {
		fmt.Println(err)
		return
	}
	statistic := func(_ context.Context, p int) (float64, error) {
		rows := make([]uint32, len(x))
		plan.Draw(rand.New(rand.NewPCG(42, uint64(p))), rows)
		return product(rows), nil
	}
	observed := product([]uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	result, err := permute.Test(context.Background(), observed, statistic, permute.Options{Count: 999, Threads: 4}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d strata, p < 0.02: %v, smallest possible %g\n", plan.Strata(), result.P < 0.02, result.Smallest)
	// Output:
	// 3 strata, p < 0.02: true, smallest possible 0.001
}
