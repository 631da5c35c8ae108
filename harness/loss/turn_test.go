package loss

import (
	"math"
	"math/rand/v2"
	"testing"

	"infnet/metrics/infer"
)

// By hand: ten records, the student right on the first eight, the master on the first nine; costs 1 and 4. One policy,
// from price 0 on, accepts everything: D(E) = (10 − 40)/10 + E·(2 − 1)/10, which is 0 at 30. Where the student is as
// good it is never 0; where the models cost the same, it is 0 at a price of 0.
func TestTurnByHand(t *testing.T) {
	rs, err := infer.NewResamples(rand.New(rand.NewPCG(1, 2)), make([]string, 10), infer.Options{Count: 200, Level: .95})
	if err != nil {
		t.Fatal(err)
	}
	fill := func(v float64) (out []float64) {
		for range 10 {
			out = append(out, v)
		}
		return out
	}
	worse := fill(0)
	worse[8] = 1
	for _, tc := range []struct {
		name      string
		path      Path
		value     float64
		low, high func(float64) bool
	}{
		{"one error more", Path{From: []float64{0}, Accepts: make([]int, 10), Student: fill(1), Master: fill(4), More: worse},
			30, func(v float64) bool { return v > 5 && v < 30 }, func(v float64) bool { return math.IsInf(v, 1) }},
		{"a tenth of an error more on every record, so that all resamples say the same",
			Path{From: []float64{0}, Accepts: make([]int, 10), Student: fill(1), Master: fill(4), More: fill(.1)}, 30,
			func(v float64) bool { return math.Abs(v-30) < 1e-6 }, func(v float64) bool { return math.Abs(v-30) < 1e-6 }},
		{"as good", Path{From: []float64{0}, Accepts: make([]int, 10), Student: fill(1), Master: fill(4), More: fill(0)},
			math.Inf(1), func(v float64) bool { return math.IsInf(v, 1) }, func(v float64) bool { return math.IsInf(v, 1) }},
		{"as dear", Path{From: []float64{0}, Accepts: make([]int, 10), Student: fill(4), Master: fill(4), More: fill(1)},
			0, func(v float64) bool { return v == 0 }, func(v float64) bool { return v == 0 }},
		{"two policies: from 10 on nothing is accepted, and the student's cost lost",
			Path{From: []float64{10, 0}, Accepts: []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, Student: fill(1), Master: fill(4),
				More: fill(.01)}, 10, func(v float64) bool { return v == 10 }, func(v float64) bool { return v == 10 }},
	} {
		got, err := TurnOf(rs, tc.path)
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if math.Abs(got.Value-tc.value) > 1e-6 || !tc.low(got.Low) || !tc.high(got.High) {
			t.Errorf("%s: %+v, want %v", tc.name, got, tc.value)
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
