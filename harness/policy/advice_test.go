package policy

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

// Forms of one policy, and policies that decide alike, leave the advice settled; another that may be as good does not.
func TestAdvise(t *testing.T) {
	rs, err := infer.NewResamples(rand.New(rand.NewPCG(1, 2)), make([]string, 40), infer.Options{Count: 200, Level: .95})
	if err != nil {
		t.Fatal(err)
	}
	low, near, high := make([]float64, 40), make([]float64, 40), make([]float64, 40)
	for i := range low {
		low[i], near[i], high[i] = float64(i%2), float64(i%2), float64(i%2)+2
	}
	near[3]++
	for _, tc := range []struct {
		name    string
		losses  [][]float64
		kind    []int
		best    int
		settled bool
	}{
		{"clear", [][]float64{high, low}, []int{0, 1}, 1, true},
		{"a form of its own", [][]float64{high, near, low}, []int{0, 1, 1}, 2, true},
		{"another kind as near", [][]float64{high, near, low}, []int{0, 1, 2}, 2, false},
		{"the same", [][]float64{low, high, low}, []int{0, 1, 2}, 0, true},
	} {
		a, err := Advise(rs, tc.losses, tc.kind)
		if err != nil || a.Best != tc.best || a.Settled != tc.settled || len(a.More) != len(tc.losses) {
			t.Errorf("%s: %+v (%v), want %d, settled %t", tc.name, a, err, tc.best, tc.settled)
		}
	}
	if _, err := Advise(rs, nil, nil); err == nil {
		t.Error("advice about nothing")
	}
}
