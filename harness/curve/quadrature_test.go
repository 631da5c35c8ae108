package curve

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/integrate/quad"
	"pgregory.net/rapid"
)

// A Kronrod rule of 15 nodes is exact for polynomials to degree 22, as is
// Gauss–Legendre with 12 nodes.
func TestIntegrateEqualsGaussLegendre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 23).Draw(t, "coefficients")
		f := func(x float64) float64 {
			y := 0.0
			for _, a := range c {
				y = y*x + a
			}
			return y
		}
		a, b := rapid.Float64Range(-1, 0).Draw(t, "a"), rapid.Float64Range(0, 1).Draw(t, "b")
		got := Integrate(f, a, b, math.Inf(1)) // a single application
		if want := quad.Fixed(f, a, b, 12, quad.Legendre{}, 0); math.Abs(got-want) > 1e-13 {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func TestRoot(t *testing.T) {
	// scipy.optimize.brentq(xtol=1e-15), SciPy 1.17.1
	if x, _, err := Bracket(func(x float64) float64 { return math.Cos(x) - x }, 0, 1, 0); err != nil ||
		math.Abs(x-0.7390851332151607) > 4e-16 {
		t.Errorf("cos x = x at %v (%v)", x, err)
	}
	for _, tc := range []struct {
		name       string
		f          func(float64) float64
		a, b, want float64
	}{
		{name: "at an end", f: func(x float64) float64 { return x }, a: 0, b: 1, want: 0},
		{name: "backwards", f: func(x float64) float64 { return x - .25 }, a: 1, b: 0, want: .25},
		{name: "flat", f: func(x float64) float64 { return math.Pow(x-.5, 9) }, a: 0, b: 1, want: .5},
		{name: "a jump", f: func(x float64) float64 { return math.Copysign(1, x-.3) }, a: 0, b: 1, want: .3},
		{name: "a pole", f: func(x float64) float64 { return 1 / (x - .3) }, a: 0, b: 1, want: .3},
	} {
		x, _, err := Bracket(tc.f, tc.a, tc.b, 0)
		tolerance := 1e-15
		if tc.name == "flat" { // f is within rounding of 0 there
			tolerance = 1e-3
		}
		if err != nil || math.Abs(x-tc.want) > tolerance {
			t.Errorf("%s: %v (%v), want %v", tc.name, x, err, tc.want)
		}
	}
	for _, f := range []func(float64) float64{func(float64) float64 { return 1 },
		func(float64) float64 { return math.NaN() }} {
		if _, _, err := Bracket(f, 0, 1, 0); err == nil || !strings.Contains(err.Error(), "no root bracketed") {
			t.Errorf("no root: %v", err)
		}
	}
	if _, _, err := Bracket(func(x float64) float64 {
		if x == 0 || x == 1 {
			return x - .5
		}
		return math.NaN()
	}, 0, 1, 0); err == nil {
		t.Error("NaN inside the bracket is no error")
	}
}

func TestBracketEndsOnBothSides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, p := rapid.Float64Range(.01, .99).Draw(t, "root"), rapid.SampledFrom([]float64{.2, 1, 3}).Draw(t, "power")
		f := func(x float64) float64 { return math.Copysign(math.Pow(math.Abs(x-r), p), x-r) }
		x, other, err := Bracket(f, 0, 1, 0)
		if err != nil || f(x) != 0 && (f(x) > 0) == (f(other) > 0) || math.Abs(x-other) > 1e-14 && f(x) != 0 {
			t.Fatalf("bracket %v, %v (%v) of the root %v", x, other, err, r)
		}
	})
}

func TestEqualMassByHand(t *testing.T) {
	bins := func(x []float64, m int) (out []int) {
		bs, err := EqualMass(x, x, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range bs {
			out = append(out, b.N)
		}
		return out
	}
	for _, tc := range []struct {
		name string
		x    []float64
		m    int
		want []int
	}{
		{name: "even", x: []float64{6, 5, 4, 3, 2, 1}, m: 3, want: []int{2, 2, 2}},
		{name: "uneven", x: []float64{1, 2, 3, 4, 5, 6, 7}, m: 3, want: []int{3, 2, 2}},
		{name: "a tie across the cut", x: []float64{1, 2, 2, 2, 2, 6}, m: 3, want: []int{5, 1}},
		{name: "a tie over everything", x: []float64{1, 1, 1}, m: 3, want: []int{3}},
		{name: "a tie that takes two shares", x: []float64{1, 1, 1, 1, 2, 3, 4, 5}, m: 4, want: []int{4, 2, 2}},
		{name: "more bins than points", x: []float64{2, 1}, m: 5, want: []int{1, 1}},
	} {
		if diff := cmp.Diff(tc.want, bins(tc.x, tc.m)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
	s, err := stepsOf([]float64{.1, .2, .2, .4, .6, .8}, []float64{1, 0, 1, 1, 0, 0}, 3)
	// bins {.1 .2 .2}, {.4}, {.6 .8}: the tie at .2 takes the second place of share two
	if diff := cmp.Diff(Steps{X: []float64{.1, .4, .6}, Y: []float64{2. / 3, 1, 0}}, s, near); err != nil || diff != "" {
		t.Errorf("steps (-want +got):\n%s%v", diff, err)
	}
	if diff := cmp.Diff([]float64{2. / 3, 2. / 3, 1, 1, 0, 0}, values(s.At, 0, .3999, .4, .5999, .6, 1),
		near); diff != "" {
		t.Errorf("step values (-want +got):\n%s", diff)
	}
	if _, err := EqualMass(nil, nil, 1); err == nil {
		t.Error("bins of nothing")
	}
	if _, err := EqualMass([]float64{1}, []float64{math.NaN()}, 1); err == nil {
		t.Error("bins of NaN")
	}
}

func TestLogitLine(t *testing.T) {
	for _, y := range [][]float64{{0, 0, 0}, {1, 1, 1}} {
		if c, err := FitLogitLine([]float64{.1, .5, .9}, y); err != nil || c(.3) != y[0] {
			t.Errorf("targets %v: %v; want a constant", y, err)
		}
	}
	line, err := FitLogitLine([]float64{.1, .5, .9}, []float64{1, .5, 0})
	if err != nil || math.Abs(line(.5)-.5) > 1e-9 || !(line(.1) > .9) {
		t.Errorf("a symmetric separated sample: %v at ½, %v", line(.5), err)
	}
	if _, err := FitLogitLine([]float64{1}, nil); err == nil {
		t.Error("unequal columns")
	}
}
