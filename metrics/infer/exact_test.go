package infer_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"infnet/metrics/infer"
)

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

func TestExactIntervalsOfARate(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		level     float64
		low, high float64 // Clopper–Pearson, SciPy 1.17.1: binomtest(k, n).proportion_ci(level, "exact")
	}{
		{k: 0, n: 10, level: 0.95, low: 0, high: 0.30849710781876294},
		{k: 10, n: 10, level: 0.95, low: 0.6915028921812371, high: 1},
		{k: 3, n: 10, level: 0.95, low: 0.06673951117773447, high: 0.652452850060008},
		{k: 1, n: 1600, level: 0.95, low: 1.5823504798413672e-05, high: 0.0034773062758037946},
		{k: 812, n: 1600, level: 0.95, low: 0.4826960086133484, high: 0.5322764259600993},
		{k: 1600, n: 1600, level: 0.99, low: 0.9966940284443798, high: 1},
		{k: 5, n: 7, level: 0.9, low: 0.341261436155302, high: 0.946624499529763},
	} {
		got, err := infer.ClopperPearson(c.k, c.n, c.level)
		if err != nil || !near(got.Low, c.low, 1e-9) || !near(got.High, c.high, 1e-9) || got.N != c.n ||
			got.Level != c.level || got.Value != float64(c.k)/float64(c.n) {
			t.Errorf("Clopper–Pearson of %d in %d: %+v, %v; want %v to %v", c.k, c.n, got, err, c.low, c.high)
		}
	}
	for _, c := range []struct {
		k, n  int
		level float64
	}{{0, 0, 0.95}, {-1, 5, 0.95}, {6, 5, 0.95}, {1, 5, 0}, {1, 5, 1}, {1, 5, math.NaN()}} {
		if _, err := infer.ClopperPearson(c.k, c.n, c.level); err == nil {
			t.Errorf("Clopper–Pearson of %+v: no error", c)
		}
	}
}

func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		b, c int
		want float64 // statsmodels 0.15.0: mcnemar(exact=True).pvalue
	}{
		{b: 0, c: 0, want: 1}, {b: 5, c: 5, want: 1}, {b: 1, c: 9, want: 0.021484375}, {b: 12, c: 3, want: 0.03515625},
		{b: 0, c: 1, want: 1}, {b: 40, c: 61, want: 0.046044066929342785}, {b: 300, c: 280, want: 0.4301768979848507},
	} {
		if got := infer.McNemar(c.b, c.c); !near(got, c.want, 1e-10) {
			t.Errorf("McNemar(%d, %d) = %v, want %v", c.b, c.c, got, c.want)
		}
		if infer.McNemar(c.b, c.c) != infer.McNemar(c.c, c.b) {
			t.Errorf("McNemar(%d, %d) depends on the order", c.b, c.c)
		}
	}
	b, c := infer.Discordant([]bool{true, true, false, false, true}, []bool{true, false, true, false, false})
	if b != 2 || c != 1 { // by hand
		t.Errorf("discordant pairs %d and %d, want 2 and 1", b, c)
	}
}

func TestAdjustedPValues(t *testing.T) {
	p := []float64{0.01, 0.04, 0.03, 0.005, 0.2, 0.04, 1.0, 0.0001}
	// statsmodels 0.15.0: multipletests(p, method="holm" and "fdr_bh").
	holm := []float64{0.06, 0.16, 0.15, 0.035, 0.4, 0.16, 1.0, 0.0008}
	bh := []float64{0.02666666666666667, 0.05333333333333334, 0.05333333333333334, 0.02, 0.2285714285714286,
		0.05333333333333334, 1.0, 0.0008}
	before := slices.Clone(p)
	for i := range p {
		if got := infer.Holm(p)[i]; !near(got, holm[i], 1e-15) {
			t.Errorf("Holm %d: %v, want %v", i, got, holm[i])
		}
		if got := infer.BenjaminiHochberg(p)[i]; !near(got, bh[i], 1e-15) {
			t.Errorf("Benjamini–Hochberg %d: %v, want %v", i, got, bh[i])
		}
	}
	if !slices.Equal(p, before) {
		t.Error("the p-values were changed")
	}
	order := rand.New(rand.NewPCG(4, 4)).Perm(len(p))
	shuffled := make([]float64, len(p))
	for i, j := range order {
		shuffled[i] = p[j]
	}
	h, b := infer.Holm(shuffled), infer.BenjaminiHochberg(shuffled)
	for i, j := range order {
		if !near(h[i], holm[j], 1e-15) || !near(b[i], bh[j], 1e-15) {
			t.Errorf("the adjusted value of %v depends on its place", p[j])
		}
	}
	if len(infer.Holm(nil)) != 0 || len(infer.BenjaminiHochberg(nil)) != 0 {
		t.Error("no p-values must give none")
	}
}
