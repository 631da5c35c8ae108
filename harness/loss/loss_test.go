package loss

import (
	"math/rand/v2"
	"testing"

	"infnet/metrics/infer"
)

// By hand: of 100 records the second policy loses 1 more on some, and the same on all others. On 30 that is shown, on
// 29 it is not for being few, and where they are the same they do not compete.
func TestFewDifferingRecordsShowNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	rs, err := infer.NewResamples(random, make([]string, 100), infer.Options{Count: 500, Level: .95})
	if err != nil {
		t.Fatal(err)
	}
	for differing, settled := range map[int]bool{0: true, 29: false, 30: true} {
		losses := [][]float64{make([]float64, 100), make([]float64, 100)}
		for i := range differing {
			losses[1][i] = 1
		}
		advice, err := Advise(rs, losses, []int{0, 1})
		if err != nil {
			t.Fatal(err)
		}
		if iv := advice.More[1]; advice.Best != 0 || advice.Settled != settled || iv.Value != float64(differing)/100 ||
			(iv.Low > 0) != (differing == 30) {
			t.Errorf("%d differ: %+v", differing, advice)
		}
	}
}
