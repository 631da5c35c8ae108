package split

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func classes(counts ...int) []int {
	var out []int
	for k, n := range counts {
		for range n {
			out = append(out, k)
		}
	}
	return out
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s = %.17g, want %.17g", what, got, want)
	}
}

func TestShareDrift(t *testing.T) {
	// SciPy 1.17.1: fisher_exact and chi2_contingency(correction=False).
	tests := []struct {
		name      string
		fit, test []int
		by        string
		p         float64
	}{
		{"small 2×2", classes(8, 2), classes(1, 5), "fisher", 0.034965034965034975},
		{"large 2×2", classes(3100, 3300), classes(700, 900), "fisher", 0.0007840300806693762},
		{"three classes", classes(30, 40, 50), classes(20, 10, 35), "chi-square", 0.0316488236467307},
		{"one class", classes(0, 4), classes(0, 9), "fisher", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := ShareDrift(1, "label share", tt.fit, tt.test)
			if err != nil {
				t.Fatal(err)
			}
			if d.Test != tt.by || d.FitN != len(tt.fit) || d.TestN != len(tt.test) {
				t.Errorf("%+v, want test %s", d, tt.by)
			}
			near(t, "p", d.P, tt.p, 1e-8) // sums of exp(Lgamma) lose a few digits
		})
	}
	d, _ := ShareDrift(1, "label share", classes(30, 40, 50), classes(20, 10, 35))
	near(t, "chi-square", d.Statistic, 6.906108597285068, 1e-12)
}

func TestShareDriftPermutation(t *testing.T) {
	// 3 classes, 4 and 2 records: all C(6,2) = 15 ways to choose the test part of a,a,a,b,b,c. Seen: test part {b,b}.
	// Chi-square by hand for each: {b,b} is the most extreme (1 way), so p = 1/15; 1,999 permutations of it have
	// standard deviation 0.0056.
	d, err := ShareDrift(1, "label share", classes(3, 0, 1), classes(0, 2, 0))
	if err != nil {
		t.Fatal(err)
	}
	if d.Test != "permutation" || math.Abs(d.P-1.0/15) > 0.02 {
		t.Errorf("%+v, want a permutation p near %v", d, 1.0/15)
	}
	again, _ := ShareDrift(1, "label share", classes(3, 0, 1), classes(0, 2, 0))
	if again != d {
		t.Errorf("%+v, then %+v", d, again)
	}
}

func TestFisherAgainstEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		marked := rapid.IntRange(0, n).Draw(t, "marked")
		drawn := rapid.IntRange(0, n).Draw(t, "drawn")
		a := rapid.IntRange(max(0, drawn+marked-n), min(drawn, marked)).Draw(t, "a")
		ways := map[int]int{} // subsets of size drawn, by how many of the first marked they hold
		all := 0
		for set := range 1 << n {
			in, size := 0, 0
			for i := range n {
				if set>>i&1 == 1 {
					size++
					if i < marked {
						in++
					}
				}
			}
			if size == drawn {
				ways[in]++
				all++
			}
		}
		sum := 0
		for _, w := range ways {
			if w <= ways[a] {
				sum += w
			}
		}
		if _, p := fisher(a, drawn, marked, n); math.Abs(p-float64(sum)/float64(all)) > 1e-9 {
			t.Fatalf("p = %v, want %d/%d", p, sum, all)
		}
	})
}

func TestScoreDrift(t *testing.T) {
	// The statistic: SciPy 1.17.1, stats.ks_2samp. The p-value: Q of Stephens' argument with scipy.special.kolmogorov.
	a, b := []float64{.5, .1, .3, .4, .2}, []float64{.7, .25, .35, .6}
	d, err := ScoreDrift("β", a, b)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "D", d.Statistic, 0.5, 1e-12)
	near(t, "p", d.P, 0.47716615152087183, 1e-9)
	if a[0] != .5 || b[0] != .7 {
		t.Error("the scores were sorted in place")
	}
}

func TestDistanceAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) []float64 {
			n := rapid.SliceOfN(rapid.IntRange(0, 6), 1, 12).Draw(t, name)
			out := make([]float64, len(n))
			for i, x := range n {
				out[i] = float64(x)
			}
			return out
		}
		a, b := draw("a"), draw("b")
		below := func(xs []float64, x float64) float64 {
			n := 0
			for _, y := range xs {
				if y <= x {
					n++
				}
			}
			return float64(n) / float64(len(xs))
		}
		want := 0.0
		for x := range 7 {
			want = max(want, math.Abs(below(a, float64(x))-below(b, float64(x))))
		}
		if got := distance(a, b); math.Abs(got-want) > 1e-12 {
			t.Fatalf("distance %v, want %v", got, want)
		}
	})
}

func TestDriftOfNothing(t *testing.T) {
	if _, err := ShareDrift(1, "x", nil, []int{1}); err == nil {
		t.Error("no error for an empty fit part")
	}
	if _, err := ScoreDrift("x", []float64{1}, nil); err == nil {
		t.Error("no error for an empty test part")
	}
	if _, err := ScoreDrift("x", []float64{1}, []float64{math.NaN()}); err == nil {
		t.Error("no error for NaN")
	}
}
