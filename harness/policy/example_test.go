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
	fmt.Println("per class:", multi.Thresholds, "defers", multi.FitDeferred, "of", multi.N, "optimal:", multi.Certificate.Optimal)
	fmt.Println("single:   ", single.Thresholds, "defers", single.FitDeferred, "of", single.N)
	fmt.Println("a class 1 answer at 0.9 stands:", multi.Accept(1, 0.9))
	// Output:
	// per class: [0.7 0.95] defers 3 of 6 optimal: true
	// single:    [0.9] defers 4 of 6
	// a class 1 answer at 0.9 stands: false
}

func ExampleNumericBudget() {
	target, err := policy.ParseTarget("0.9")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(policy.NumericBudget(target, 10, 1))
	// Output: 1 errors in 10 records
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

// A promise: with probability 0.95 the student's answers that stand make the
// cascade disagree with the master on at most 10 % of new queries. The student
// is right where its confidence is above 0.3.
func ExampleCertifySingle() {
	var records policy.Records
	var halves policy.Halves
	for i := range 400 {
		beta := float64(i%200) / 200
		wrong := 0.0
		if beta < 0.3 {
			wrong = 1
		}
		records.Beta, records.Student = append(records.Beta, beta), append(records.Student, wrong)
		if i < 200 {
			halves.Propose = append(halves.Propose, i)
		} else {
			halves.Test = append(halves.Test, i) // use a seeded shuffle where records have an order
		}
	}
	target, err := policy.ParseTarget("0.9")
	if err != nil {
		fmt.Println(err)
		return
	}
	got, err := policy.CertifySingle(records, halves, policy.Options{Setting: policy.Oracle, Target: target}, policy.Guarantee{Delta: 0.05})
	if err != nil {
		fmt.Println(err)
		return
	}
	last := got.Tests[len(got.Tests)-2] // the one after it failed
	fmt.Printf("certified: %t, θ = %v, risk on the tests %.3f, p = %.3f\n", got.Certified, got.Policy.Thresholds, last.Risk, last.P)
	fmt.Printf("without a promise: θ = %v\n", got.Free.Thresholds)
	// Output:
	// certified: true, θ = [0.24], risk on the tests 0.060, p = 0.032
	// without a promise: θ = [0.2]
}

// Three models in series: the middle one takes what it is sure of.
func ExampleFitChain() {
	records := policy.ChainRecords{
		Beta: [2][]float64{{0.9, 0.8, 0.3, 0.2, 0.1}, {0.9, 0.9, 0.9, 0.3, 0.8}},
		Err:  [3][]float64{{0, 0, 1, 1, 1}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 0}},
		Cost: [3]float64{1, 4, 20},
	}
	p, err := policy.FitChain(records, policy.Options{Target: policy.Master})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("θ:", p.Thresholds, "asked:", p.Asked, "cost per query:", p.Cost)
	// Output: θ: [0.8 0.8] asked: [5 3 1] cost per query: 7.4
}
