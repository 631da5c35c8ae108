package population_test

import (
	"fmt"

	"infnet/harness/population"
)

// Two classes, confidences spread evenly, the student surer than it should be
// on the second: the excess errors at the thresholds are equal.
func ExamplePopulation_Multi() {
	pop, err := population.UniformPopulation([]float64{.7, .3}, []float64{1, .5}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	sol, err := pop.Multi(.1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range sol.Boundaries {
		fmt.Printf("class %d: accept from %.4f on, where the excess error is %.4f\n", b.Class, sol.Thresholds[b.Class], b.Excess)
	}
	fmt.Printf("defers %.1f %% at an error of %.2f\n", 100*sol.Deferred, sol.Error)
	// Output:
	// class 0: accept from 0.4811 on, where the excess error is 0.5189
	// class 1: accept from 0.9623 on, where the excess error is 0.5189
	// defers 62.5 % at an error of 0.10
}
