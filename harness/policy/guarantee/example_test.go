package guarantee_test

import (
	"fmt"

	"infnet/harness/policy"
	"infnet/harness/policy/guarantee"
)

// A promise: with probability 0.95 the student's answers that stand make the
// cascade disagree with the master on at most 10 % of new queries. The student
// is right where its confidence is above 0.3.
func ExampleFitSingle() {
	var records policy.Records
	var halves guarantee.Halves
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
	got, err := guarantee.FitSingle(records, halves, policy.Options{Setting: policy.Oracle, Target: target},
		guarantee.Terms{Delta: 0.05})
	if err != nil {
		fmt.Println(err)
		return
	}
	last := got.Tests[len(got.Tests)-2] // the one after it failed
	fmt.Printf("certified: %t, θ = %v, risk on the tests %.3f, p = %.3f\n", got.Certified, got.Policy.Thresholds,
		last.Risk, last.P)
	// Output:
	// certified: true, θ = [0.24], risk on the tests 0.060, p = 0.032
}
