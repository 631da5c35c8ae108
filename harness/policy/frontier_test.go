package policy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Points returns all points, fewest errors first, deferrals strictly falling.
func (f *Frontier) Points() []Point {
	out := make([]Point, f.Len())
	for i := range out {
		out[i] = f.Point(i)
	}
	return out
}

// The frontier of an instance, by trying every combination of thresholds.
func (b *brute) frontier() []coordinates {
	best := map[int64]int64{}
	b.each(func(theta []float64) {
		d, e := b.outcome(theta)
		if old, ok := best[int64(e)]; !ok || int64(d) < old {
			best[int64(e)] = int64(d)
		}
	})
	var out []coordinates
	for e, d := range best {
		dominated := false
		for e2, d2 := range best {
			dominated = dominated || e2 < e && d2 <= d
		}
		if !dominated {
			out = append(out, coordinates{e, d})
		}
	}
	// Few points: insertion sort.
	for i := range out {
		for j := i; j > 0 && out[j].e < out[j-1].e; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

// Every point of the frontier is there and no other, and applying a point's
// thresholds to the records gives what the point says.
func TestFrontierIsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t)
		single := rapid.Bool().Draw(t, "single")
		f, err := newFrontier(in.Records, in.Options, single)
		if err != nil {
			t.Fatal(err)
		}
		points := f.Points()
		if f.Whole() {
			var got []coordinates
			for _, p := range points {
				got = append(got, coordinates{p.Error.Units, p.Value})
			}
			if want := newBrute(in.Records, in.Options, single).frontier(); !cmp.Equal(got, want,
				cmp.AllowUnexported(coordinates{})) {
				t.Fatalf("%+v\nfrontier %v, want %v", in, got, want)
			}
		} else if single || f.c.scale == 1 {
			t.Fatalf("%+v: the frontier is not whole", in)
		}
		r := in.Records
		for i, p := range points {
			out, err := r.Outcome(Policy{Thresholds: p.Thresholds}.Decide(r))
			if err != nil || out.Error != p.Error || out.Deferred != p.Deferred {
				t.Fatalf("%+v\npoint %+v comes to %+v (%v)", in, p, out, err)
			}
			if i > 0 && (points[i-1].Price < p.Price || points[i-1].Value <= p.Value) {
				t.Fatalf("%+v\nprice or objective rises: %+v", in, points)
			}
		}
	})
}

// A look-up at any budget gives the policy a fit gives, to the last field.
func TestFrontierAtEqualsFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t)
		single := rapid.Bool().Draw(t, "single")
		fit := FitMulti
		if single {
			fit = FitSingle
		}
		f, err := newFrontier(in.Records, in.Options, single)
		if err != nil {
			t.Fatal(err)
		}
		targets := []Target{in.Options.Target}
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, 20), 3, 3).Draw(t, "twentieths") {
			target, err := ParseTarget(fmt.Sprint(float64(i) / 20))
			if err != nil {
				t.Fatal(err)
			}
			targets = append(targets, target)
		}
		for _, target := range targets {
			in.Options.Target = target
			want, err := fit(in.Records, in.Options)
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.At(target)
			if err != nil || !cmp.Equal(got, want, cmp.Comparer(Target.Equal)) {
				t.Fatalf("%+v\nat %s: %v %s", in, target, err, cmp.Diff(want, got, cmp.Comparer(Target.Equal)))
			}
		}
	})
}

// On more records than brute force can try: at every budget the frontier has
// the value and thresholds of the bounded search, and its own bound holds.
func TestFrontierEqualsSearch(t *testing.T) {
	for _, tc := range []struct {
		n, k      int
		objective Objective
	}{
		{n: 300, k: 2}, {n: 600, k: 7}, {n: 500, k: 40}, {n: 80, k: 80}, {n: 300, k: 5, objective: Cost},
	} {
		r := world(rand.New(rand.NewPCG(9, uint64(tc.k))), tc.n, tc.k, false)
		f, err := FrontierMulti(r, Options{Objective: tc.objective})
		if err != nil {
			t.Fatal(err)
		}
		if !f.Whole() {
			t.Fatalf("n=%d k=%d: the frontier is not whole", tc.n, tc.k)
		}
		for b := f.points[0].e; b <= f.points[f.Len()-1].e+3; b++ {
			want := exact(f.ms, b, 1<<40)
			got := f.choice(f.index(b))
			if !cmp.Equal(got, want.choice) {
				t.Errorf("n=%d k=%d %s budget %d: options %v, want %v", tc.n, tc.k, tc.objective, b, got, want.choice)
			}
		}
	}
}

// A pass that may not work leaves the hull, says so, and At still finds the
// optimum.
func TestFrontierWorkLimit(t *testing.T) {
	r := world(rand.New(rand.NewPCG(5, 5)), 400, 5, false)
	f, err := FrontierMulti(r, Options{WorkLimit: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	if f.sums = newSums(f.hull, 1); f.sums != nil {
		t.Error("one step of work sufficed for a frontier")
	}
	f.whole, f.points = false, nil
	for i := range f.hull.e {
		f.points = append(f.points, coordinates{f.hull.e[i], f.hull.d[i]})
	}
	want, err := FitMulti(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.At(Best)
	if err != nil || !cmp.Equal(got.Thresholds, want.Thresholds) {
		t.Errorf("θ = %v (%v), want %v", got.Thresholds, err, want.Thresholds)
	}
}

// Vectors take the same as one cell after the other, whatever the length.
func TestTakeLess(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		cells, below := make([]int64, n), make([]int64, n+3)
		for i := range below {
			below[i] = r.Int64N(20) - 5
			if i%7 == 3 {
				below[i] = none
			}
			if i < n {
				cells[i] = r.Int64N(20)
			}
		}
		want := slices.Clone(cells)
		takeLessPortable(want, below, 3)
		if takeLess(cells, below, 3); !slices.Equal(cells, want) {
			t.Errorf("%d cells: %v, want %v", n, cells, want)
		}
	}
}
