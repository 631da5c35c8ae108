package sufficiency_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"infnet/sufficiency"
	"infnet/sufficiency/gbdt"
)

// Does the length of a question tell, beyond the confidence, when a student is
// wrong and its master right? Here it does: long questions are hard for the
// student, and it does not know.
func ExampleRun() {
	r := rand.New(rand.NewPCG(1, 2))
	n := 500
	in := sufficiency.Input{Beta: make([]float64, n), StudentErr: make([]float64, n), MasterErr: make([]float64, n)}
	length := make([]float64, n)
	for i := range n {
		in.Beta[i], length[i] = r.Float64(), float64(5+r.IntN(40))
		if r.Float64() > in.Beta[i] || length[i] > 30 && r.Float64() < 0.7 {
			in.StudentErr[i] = 1
		}
	}
	in.Sets = []sufficiency.Set{{Name: "length", Columns: []sufficiency.Covariate{{Name: "words", Values: length}}}}

	result, err := sufficiency.Run(context.Background(), in, sufficiency.Options{
		Seed:    42,
		Learner: gbdt.Options{Trees: 20},
		Threads: 2,
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	row := result.Rows[0]
	fmt.Printf("finding: %v, p < 0.001: %v, from %d random halves\n", row.Finding, row.P < 0.001, len(row.PCM.Splits))
	fmt.Printf("E[Δ | β] fits: %v\n", !row.PCM.Fit.Failed)
	// Output:
	// finding: true, p < 0.001: true, from 8 random halves
	// E[Δ | β] fits: true
}
