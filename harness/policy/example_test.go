package policy_test

import (
	"fmt"

	"infnet/harness/policy"
)

// What could be had at any budget, from one pass; and the mixture that spends a
// budget of two errors exactly, on average.
func ExampleFrontierSingle() {
	records := policy.Records{
		Beta:    []float64{0.1, 0.1, 0.5, 0.5, 0.6},
		Student: []float64{1, 1, 1, 0, 0},
		Master:  []float64{0, 0, 0, 0, 0},
	}
	frontier, err := policy.FrontierSingle(records, policy.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range frontier.Len() {
		p := frontier.Point(i)
		fmt.Printf("errors %s, deferred %d, θ %v, one error more saves %g\n", p.Error, p.Deferred, p.Thresholds, p.Price)
	}
	target, err := policy.ParseTarget("0.6")
	if err != nil {
		fmt.Println(err)
		return
	}
	mix, err := frontier.Mix(target)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("α = %g between θ %v and %v: %g errors, %g deferred; without a coin %d\n",
		mix.Alpha, mix.Strict, mix.Lax, mix.Error, mix.Deferred, mix.Best.FitDeferred)
	// Output:
	// errors 0, deferred 4, θ [0.6], one error more saves 2
	// errors 1, deferred 2, θ [0.5], one error more saves 1
	// errors 3, deferred 0, θ [0], one error more saves 0
	// α = 0.5 between θ [0.5] and [0]: 2 errors, 1 deferred; without a coin 2
}
