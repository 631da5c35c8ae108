package pool

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"infnet/metrics/infer"
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

// The ratio is where the costs meet: r + D = (1 − p)·r + p.
func TestBreakEven(t *testing.T) {
	for _, tt := range []struct {
		name                            string
		student, master, most, deferred float64
		want                            float64
		none                            bool
	}{
		// ALGORITHMS: with Def = .81 nothing above 1 − .81 is cheaper than the master alone
		{name: "as good as the master", student: 40, master: 20, most: 20, deferred: 0.81, want: 0.19},
		// p = .5, D = .1: r + .1 = .5 r + .5 at r = .8
		{name: "half way", student: 40, master: 20, most: 30, deferred: 0.1, want: 0.8},
		{name: "too much deferred", student: 40, master: 20, most: 30, deferred: 0.6, want: 0},
		{name: "the student errs no more", student: 20, master: 30, most: 20, deferred: 0.2, want: 0},
		{name: "neither errs so rarely", student: 40, master: 20, most: 19, deferred: 0.2, none: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := BreakEven(tt.student, tt.master, tt.most, tt.deferred)
			if ok == tt.none || math.Abs(got-tt.want) > 1e-12 {
				t.Fatalf("got %v %v, want %v", got, ok, tt.want)
			}
			if p := MasterShare(tt.student, tt.master, tt.most); ok && got > 0 &&
				math.Abs(got+tt.deferred-((1-p)*got+p)) > 1e-12 {
				t.Errorf("at the ratio %v the costs differ", got)
			}
		})
	}
}

// A policy that costs 2.6 where its rival costs 4, on equal records: no interval is wider than a point.
func TestAgainst(t *testing.T) {
	const n = 20
	rs, err := infer.NewResamples(rand.New(rand.NewPCG(1, 2)), make([]string, n), infer.Options{Count: 200})
	if err != nil {
		t.Fatal(err)
	}
	column := func(v float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = v
		}
		return out
	}
	models := []Measured{{column(0), column(0.5)}, {column(4), column(0.25)}}
	r, err := Against(rs, Measured{column(2.6), column(0.25)}, models, Alone(1))
	if err != nil || math.Abs(r.Cost.Value-0.65) > 1e-12 || r.Verdict() != Cheaper || r.Error.Value != 0 {
		t.Errorf("%+v %v %v", r, r.Verdict(), err)
	}
	if r, err = Against(rs, Measured{column(5), column(0.25)}, models, Alone(1)); err != nil || r.Verdict() != Costlier {
		t.Errorf("%+v %v %v", r, r.Verdict(), err)
	}
	if r, err = Against(rs, Measured{column(5), column(0.5)}, models, Alone(0)); err != nil || !r.Free ||
		r.Verdict() != Costlier {
		t.Errorf("a rival that costs nothing: %+v %v %v", r, r.Verdict(), err)
	}
	turn, err := TurnOf(rs, 1, column(1), column(4), column(3.24))
	if err != nil || turn.Ratio != 0.25 || math.Abs(turn.BreakEven.Value-0.19) > 1e-12 {
		t.Errorf("%+v %v", turn, err)
	}
}
