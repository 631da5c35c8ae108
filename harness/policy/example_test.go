package policy_test

import (
	"fmt"

	"infnet/harness/policy"
)

// Six answers of a student in two classes. The cascade may make as many errors
// as the master, none. The student is surest where it is right in class 0, but
// not in class 1, so class 1 needs a higher threshold.
func ExampleFitMulti() {
	records := policy.Records{
		Classes: 2,
		Class:   []int{0, 0, 0, 1, 1, 1},
		Beta:    []float64{0.55, 0.7, 0.9, 0.6, 0.8, 0.95},
		Student: []float64{1, 0, 0, 0, 1, 0},
		Master:  []float64{0, 0, 0, 0, 0, 0},
	}
	multi, err := policy.FitMulti(records, policy.Options{Target: policy.Master})
	if err != nil {
		fmt.Println(err)
		return
	}
	single, err := policy.FitSingle(records, policy.Options{Target: policy.Master})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("per class:", multi.Thresholds, "defers", multi.FitDeferred, "of", multi.N, "optimal:",
		multi.Certificate.Optimal)
	fmt.Println("single:   ", single.Thresholds, "defers", single.FitDeferred, "of", single.N)
	fmt.Println("a class 1 answer at 0.9 stands:", multi.Accept(1, 0.9))
	// Output:
	// per class: [0.7 0.95] defers 3 of 6 optimal: true
	// single:    [0.9] defers 4 of 6
	// a class 1 answer at 0.9 stands: false
}

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
