package pool

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// By hand. Models: 40 errors at 1, 20 errors at 3, 10 errors at 10.
func TestCheapest(t *testing.T) {
	errs, costs := []float64{40, 20, 10}, []float64{1, 3, 10}
	for _, tt := range []struct {
		name string
		most float64
		want Coin
		none bool
	}{
		{name: "the cheapest errs no more", most: 40, want: Alone(0)},
		{name: "exactly the second", most: 20, want: Alone(1)},
		{name: "half way between the first and the second", most: 30, want: Coin{First: 1, Second: 0, P: 0.5}},
		{name: "between the second and the third", most: 15, want: Coin{First: 2, Second: 1, P: 0.5}},
		{name: "the best", most: 10, want: Alone(2)},
		{name: "nothing errs so rarely", most: 9, none: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Cheapest(errs, costs, tt.most)
			if ok == tt.none || ok && got != tt.want {
				t.Errorf("got %+v %v, want %+v", got, ok, tt.want)
			}
		})
	}
}

// No lottery over three models is cheaper: compared with a grid over all of them.
func TestCheapestBeatsEveryLottery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		errs, costs := make([]float64, 3), make([]float64, 3)
		for i := range errs {
			errs[i], costs[i] = float64(rapid.IntRange(0, 20).Draw(t, "error")), float64(rapid.IntRange(0, 20).Draw(t, "cost"))
		}
		most := float64(rapid.IntRange(0, 20).Draw(t, "most"))
		best, ok := Cheapest(errs, costs, most)
		if ok && best.Value(errs) > most+1e-9 {
			t.Fatalf("%+v errs %v, more than %v", best, best.Value(errs), most)
		}
		const steps = 20
		for a := 0; a <= steps; a++ {
			for b := 0; a+b <= steps; b++ {
				w := []float64{float64(a) / steps, float64(b) / steps, float64(steps-a-b) / steps}
				e, c := 0.0, 0.0
				for i := range w {
					e, c = e+w[i]*errs[i], c+w[i]*costs[i]
				}
				if e <= most-1e-9 && (!ok || c < best.Value(costs)-1e-9) {
					t.Fatalf("lottery %v errs %v and costs %v; found %+v %v at %v", w, e, c, best, ok, best.Value(costs))
				}
			}
		}
	})
}

// By hand: the cascade pays the master for .65 of the queries. Where it errs as the master does, every coin of no more
// error asks the master always, and it breaks even at 1 − .65; where it may err half way up to the student, at a
// coin of one half it pays more at every price.
func TestTurnOf(t *testing.T) {
	const n = 40
	rs := resampled(t, rand.New(rand.NewPCG(1, 2)), n, 200)
	of := func(cost, errs float64) Measured {
		return Measured{slices.Repeat([]float64{cost}, n), slices.Repeat([]float64{errs}, n)}
	}
	for _, tt := range []struct {
		name                  string
		ours, student, master Measured
		margin, ratio, want   float64
		method                string
	}{
		{name: "as the master", ours: of(2.6, .25), student: of(1, .5), master: of(4, .25), ratio: .25, want: .35},
		{name: "half way", ours: of(2.6, .375), student: of(1, .5), master: of(4, .25), ratio: .25, want: 0},
		{name: "half way by the margin", ours: of(1.6, .25), student: of(1, .5), master: of(4, .25), margin: .125,
			ratio: .25, want: .2}, // 1 − .4/.5
		{name: "the student errs no more", ours: of(2.6, .5), student: of(1, .5), master: of(4, .25), ratio: .25, want: 0,
			method: "by definition"},
		{name: "better than both", ours: of(2.6, .1), student: of(1, .5), master: of(4, .25), ratio: .25, want: .35},
		{name: "a free master", ours: of(0, .25), student: of(0, .5), master: of(0, .25), ratio: 1, want: 0,
			method: "by definition"},
	} {
		got, err := TurnOf(rs, tt.ours, tt.student, tt.master, tt.margin)
		if err != nil || got.Ratio != tt.ratio || math.Abs(got.BreakEven.Value-tt.want) > 1e-9 ||
			(tt.method != "") != (got.BreakEven.Method == tt.method) {
			t.Errorf("%s: %+v %v, want %v", tt.name, got, err, tt.want)
		}
	}
}
