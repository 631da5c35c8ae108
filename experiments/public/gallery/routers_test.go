package gallery

import (
	"math"
	"slices"
	"testing"
)

// ten questions: the strong model alone is right on four, the weak one alone on
// one, so the gap is three.
func ten(t *testing.T) *Routed {
	t.Helper()
	s := &Set{Name: "ten", Models: []Model{
		{Name: weak, Correct: []bool{false, false, false, false, true, true, true, false, false, true}},
		{Name: strong, Correct: []bool{true, true, true, true, false, true, true, false, false, true}},
	}}
	for i := range 10 {
		s.Test = append(s.Test, i)
	}
	r, err := NewRouted(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// By hand: passed on in order of the questions, the gap recovered after each
// tenth is 1/3, 2/3, 1, 4/3, 1, 1, …
func TestRecovered(t *testing.T) {
	r := ten(t)
	got := r.recovered(r.all)
	want := []float64{0, 1. / 3, 2. / 3, 1, 4. / 3, 1, 1, 1, 1, 1, 1}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("at %d0 %%: %v, want %v", i, got[i], want[i])
		}
	}
	// half the gap at 10 % + (1/2 − 1/3)/(1/3)·10 % = 15 %, and 80 % of it at 20 % + 4 % = 24 %
	if x := reach(got, 0.5); math.Abs(x-15) > 1e-9 {
		t.Errorf("CPT(50 %%) = %v, want 15", x)
	}
	if x := reach(got, 0.8); math.Abs(x-24) > 1e-9 {
		t.Errorf("CPT(80 %%) = %v, want 24", x)
	}
	// trapezoids: the inner ten values sum to 1/3+2/3+1+4/3+5·1 = 25/3, and half of the last one is added
	if a, want := average(got), (25./3+0.5)/10; math.Abs(a-want) > 1e-12 {
		t.Errorf("APGR = %v, want %v", a, want)
	}
}

// The oracle begins with the questions that only the strong model answers, and
// ends with the one that only the weak model does.
func TestOracle(t *testing.T) {
	r := ten(t)
	order := r.oracle()
	if first := order[:4]; !slices.Equal(first, []int{0, 1, 2, 3}) || order[9] != 4 {
		t.Errorf("order %v", order)
	}
	if pgr := r.recovered(order); pgr[4] != 4./3 || pgr[9] != 4./3 || pgr[10] != 1 {
		t.Errorf("recovered %v", pgr)
	}
}

// The random router's runs scatter about its expectation, which is exact.
func TestRandom(t *testing.T) {
	r := ten(t)
	for q, want := range map[string]float64{"cpt50_pct": 50, "cpt80_pct": 80, "apgr": 0.5} {
		o := r.random(q)
		if o.Value != want || !(o.Low < want && want < o.High) {
			t.Errorf("%s: %v [%v, %v], want %v inside", q, o.Value, o.Low, o.High, want)
		}
	}
	// E PGR(c) = c: the mean area of 1,000 runs is 1/2 up to their scatter, three standard errors of less than 0.02
	sum := 0.0
	for _, x := range r.runs["apgr"] {
		sum += x
	}
	if mean := sum / drawn; math.Abs(mean-0.5) > 0.06 {
		t.Errorf("mean APGR of the runs %v", mean)
	}
}

func TestNoGap(t *testing.T) {
	s := &Set{Name: "even", Test: []int{0}, Models: []Model{{Name: weak, Correct: []bool{true}},
		{Name: strong, Correct: []bool{true}}}}
	if _, err := NewRouted(s); err == nil {
		t.Error("two models without a gap were compared")
	}
}
