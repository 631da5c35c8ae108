package pool

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The break-even ratio at a share of the gap, on small pools: of all thresholds that close so much of it, written out
// by Play, the one that defers least. A cascade costs r + deferred, the coin that errs as often r + share·(1 − r), with
// the master's price 1.
func TestTurnAtEveryThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawn(t, 2)
		share := rapid.SampledFrom([]float64{1, 0.5, 0.25}).Draw(t, "share")
		f, err := Search(r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		student, master := r.Alone(0).Mean(), r.Alone(1).Mean()
		got, ok := f.TurnAt(f.Pairs[0], share)
		if ok != (student.Error > master.Error) {
			t.Fatalf("ok %v for errors of %v and %v", ok, student.Error, master.Error)
		}
		if !ok {
			return
		}
		want := 0.0
		most := student.Error - share*(student.Error-master.Error)
		for _, theta := range r[0].Beta {
			played, err := Policy{Kind: Cascade, Models: []int{0, 1}, Theta: []float64{theta}}.Play(r)
			if err != nil {
				t.Fatal(err)
			}
			if p := played.Mean(); p.Error <= most+1e-9 && master.Cost > 0 {
				want = max(want, 1-(p.Cost-student.Cost)/master.Cost/share)
			}
		}
		if math.Abs(got.BreakEven-want) > 1e-9 {
			t.Errorf("break-even %v, want %v", got.BreakEven, want)
		}
		if any := f.Turn(f.Pairs[0]).BreakEven; any < got.BreakEven-1e-9 {
			t.Errorf("break-even %v at any error, %v at a share %v of the gap", any, got.BreakEven, share)
		}
	})
}

// By hand: of four records the student is right on two, where it is confident, and the master, at ten times its price,
// on all. The pair that errs as rarely as the master defers half; half of the gap is closed by a quarter.
func TestTurnAtTheMastersError(t *testing.T) {
	r := Records{
		{Error: []float64{1, 1, 0, 0}, Cost: []float64{1, 1, 1, 1}, Beta: []float64{0.1, 0.2, 0.8, 0.9}},
		{Error: []float64{0, 0, 0, 0}, Cost: []float64{10, 10, 10, 10}},
	}
	f, err := Search(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ share, even, theta float64 }{{1, 0.5, 0.8}, {0.5, 0.5, 0.2}} {
		got, ok := f.TurnAt(f.Pairs[0], tt.share)
		if !ok || math.Abs(got.BreakEven-tt.even) > 1e-12 || got.At.Theta[0] != tt.theta || got.Now != 0.1 {
			t.Errorf("at a share %v of the gap: %+v, want %v by the threshold %v", tt.share, got, tt.even, tt.theta)
		}
	}
}

// Price ratios where a model is free.
func TestPriceRatioOfFreeModels(t *testing.T) {
	for _, tt := range []struct{ student, master, want float64 }{
		{0, 0, 1}, {0, 2, 0}, {1, 0, math.Inf(1)}, {1, 4, 0.25},
	} {
		r := Records{
			{Error: []float64{1, 0}, Cost: []float64{tt.student, tt.student}, Beta: []float64{0.1, 0.9}},
			{Error: []float64{0, 0}, Cost: []float64{tt.master, tt.master}},
		}
		f, err := Search(r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		turn := f.Turn(f.Pairs[0])
		if turn.Now != tt.want || math.IsNaN(turn.BreakEven) || tt.master == 0 && turn.BreakEven != 0 {
			t.Errorf("prices %v and %v: %+v, want a ratio of %v, and no break-even with a free master", tt.student, tt.master,
				turn, tt.want)
		}
	}
}

// Sums of the same errors and costs in another order are no better choice.
func TestHullIgnoresRounding(t *testing.T) {
	at := func(cost, err float64) Candidate { return Candidate{Point: Point{cost, err}} }
	for _, tt := range []struct {
		name string
		list []Candidate
		want []Point
	}{
		{name: "errors", list: []Candidate{at(1, 0.3), at(2, 0.3-5e-17), at(3, 0.1)}, want: []Point{{1, 0.3}, {3, 0.1}}},
		{name: "costs", list: []Candidate{at(1, 0.3), at(1+2e-16, 0.2), at(2, 0.1)},
			want: []Point{{1 + 2e-16, 0.2}, {2, 0.1}}},
		{name: "nothing costs anything", list: []Candidate{at(0, 0.3), at(0, 0.2)}, want: []Point{{0, 0.2}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Hull(tt.list)
			if len(got) != len(tt.want) {
				t.Fatalf("%+v, want %v", got, tt.want)
			}
			for k, w := range tt.want {
				if got[k].Point != w {
					t.Errorf("point %d is %v, want %v", k, got[k].Point, w)
				}
			}
		})
	}
}
