package infer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func alone(n int) []string { return make([]string, n) }

func newResamples(t testing.TB, seed uint64, groups []string, count int) *Resamples {
	t.Helper()
	rs, err := NewResamples(stream(seed), groups, Options{Count: count})
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

func TestRecordsOfAClusterAreDrawnTogether(t *testing.T) {
	groups := []string{"a", "", "b", "a", "", "b", "b"}
	rs := newResamples(t, 3, groups, 50)
	if rs.Records() != 7 || rs.Clusters() != 4 {
		t.Fatalf("%d records in %d clusters, want 7 in 4", rs.Records(), rs.Clusters())
	}
	apart := false
	each(rs, func(w []uint8) float64 {
		if w[0] != w[3] || w[2] != w[5] || w[2] != w[6] {
			t.Errorf("weights %v split a cluster", w)
		}
		if w[0]+w[1]+w[2]+w[4] != 4 {
			t.Errorf("weights %v draw another number of clusters than 4", w)
		}
		return 0
	})
	for _, v := range each(rs, func(w []uint8) float64 { return float64(w[1]) - float64(w[4]) }) {
		apart = apart || v != 0
	}
	if !apart {
		t.Error("the two records without a group were always drawn together")
	}
}

func TestIntervalsOfAMeanAndARatio(t *testing.T) {
	z := []float64{0.68, 1.02, 0.02, 0.002, 0.55, 1.63, 0.674, 0.755, 2.817, 6.058, 3.286, 0.001, 2.269, 0.072, 1.069,
		0.849, 3.15, 0.354, 0.307, 1.492,
		0.037, 0.135, 1.03, 0.775, 1.738, 0.414, 0.448, 1.852, 1.725, 0.323, 0.211, 1.223, 0.538, 0.855, 1.049, 1.232, 2.928,
		0.154, 1.466, 1.124}
	c := []float64{1.898, 0.599, 0.469, 0.817, 0.264, 0.746, 0.106, 1.647, 2.279, 0.552, 3.163, 0.108, 0.28, 0.297, 0.764,
		0.936, 0.536, 0.125, 1.998, 0.497,
		0.114, 0.771, 0.296, 0.416, 0.252, 0.515, 0.998, 0.097, 1.183, 2.88, 0.865, 3.698, 0.507, 1.286, 2.019, 0.846, 0.744,
		0.601, 0.073, 4.453}
	rs := newResamples(t, 2, alone(40), 40000)
	mean, err := rs.Mean(z)
	if err != nil {
		t.Fatal(err)
	}
	// NumPy 2.4.6: bootstrap-t over 400,000 joint resamples, the formula written anew, gives 0.84425 to 1.68065 and, of
	// the ratio, 0.73171 to 1.82476; tolerances of 5 Monte-Carlo errors. The standard error is then widened by the 97.5 %
	// point of Student's t with 3(Σe²)²/Σe⁴ = 14.285 and 21.526 degrees of freedom, over 1.95996: 1.09225 and 1.05947
	// (Simpson's rule).
	if !near(mean.Value, 1.1578, 1e-12) || !near(mean.Low, 0.81532, 0.01) || !near(mean.High, 1.72888, 0.015) ||
		mean.N != 40 || mean.Level != 0.95 || mean.Method != MethodStudentised {
		t.Errorf("mean %+v, want 1.1578, 0.81532 to 1.72888", mean)
	}
	share, err := func() (Interval, error) { iv, _, err := studentised(rs, z, c, 0, math.Inf(1)); return iv, err }()
	if err != nil || !near(share.Value, 1.1380267846172747, 1e-12) || !near(share.Low, 0.70755, 0.012) ||
		!near(share.High, 1.86560, 0.025) {
		t.Errorf("ratio %+v, %v; want 1.1380, 0.70755 to 1.86560", share, err)
	}
	saved, err := rs.Saved(z, make([]float64, 40), z, c)
	if err != nil || !near(saved.Value, 100*(1-share.Value), 1e-9) || !near(saved.Low, 100*(1-share.High), 1e-9) ||
		!near(saved.High, 100*(1-share.Low), 1e-9) {
		t.Errorf("saved %+v, %v; want the ratio's mirror image %+v", saved, err, share)
	}
	difference, err := rs.Difference(z, z)
	if err != nil || difference.Low != 0 || difference.High != 0 {
		t.Errorf("a policy differs from itself by %+v, %v", difference, err)
	}
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

func TestRatesOfZeroAndOneHaveExactIntervals(t *testing.T) {
	groups := []string{"a", "a", "b", "b", "", ""}
	rs := newResamples(t, 1, groups, 100)
	for _, c := range []struct {
		name string
		hit  float64
		k    int
	}{{"never", 0, 0}, {"always", 1, 4}} {
		got, err := rs.RateOf(slices.Repeat([]float64{c.hit}, 6))
		want, _ := ClopperPearson(c.k, 4, 0.95) // 4 clusters, by hand
		want.N = 6
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", c.name, got, err, want)
		}
	}
}

// An event in one of 200 clusters of two, or two in two, is at most as many whole clusters: Beta quantiles by SciPy
// 1.17.1, beta.ppf(.975, k+1, 200−k). The jackknife alone rests on as many clusters, and says up to 1.
func TestRatesOfFewClusters(t *testing.T) {
	groups := make([]string, 400)
	for i := range groups {
		groups[i] = fmt.Sprint(i / 2)
	}
	rs, x := newResamples(t, 1, groups, 100), make([]float64, 400)
	for k, want := range []float64{0.02754189845720562, 0.035654668397239776} {
		x[17*k] = 1
		got, err := rs.RateOf(x)
		if err != nil || !near(got.High, want, 1e-12) || got.Low > 1e-5 {
			t.Errorf("%d events: %+v, %v; want up to %v", k+1, got, err, want)
		}
		for i, v := range x {
			x[i] = 1 - v
		}
		if got, err = rs.RateOf(x); err != nil || !near(got.Low, 1-want, 1e-12) {
			t.Errorf("all but %d events: %+v, %v; want from %v", k+1, got, err, 1-want)
		}
		for i, v := range x {
			x[i] = 1 - v
		}
	}
}

func TestValuesThatCancelAreNoRateOfZero(t *testing.T) {
	rs := newResamples(t, 1, alone(4), 100)
	got, err := rs.RateOf([]float64{-1, 1, 1, -1})
	if err != nil || got.Value != 0 || got.Low >= 0 || got.High <= 0 {
		t.Errorf("%+v, %v; want an interval around 0", got, err)
	}
}

func TestUndefinedStatisticsAreErrors(t *testing.T) {
	rs := newResamples(t, 1, alone(3), 200)
	if _, err := rs.Of(ratio, 0, 1, []float64{1, 1, 1}, []float64{0, 0, 0}); err == nil ||
		!strings.Contains(err.Error(), "on the records") {
		t.Errorf("division by zero on the records: %v", err)
	}
	if _, err := rs.Of(ratio, 0, 9, []float64{1, 1, 1}, []float64{0, 0, 1}); err == nil ||
		!strings.Contains(err.Error(), "without one of the 3") {
		t.Errorf("division by zero without a record: %v", err)
	}
	if _, err := rs.Interval(0, make([]float64, 7)); err == nil {
		t.Error("7 values for 200 resamples: no error")
	}
	if _, err := NewResamples(stream(1), nil, Options{}); err == nil {
		t.Error("no records: no error")
	}
	for _, o := range []Options{{Count: -1}, {Level: 1}, {Level: -0.5}, {Level: math.NaN()}} {
		if _, err := NewResamples(stream(1), alone(3), o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	d, err := NewResamples(stream(1), alone(3), Options{})
	if err != nil || d.options.Count != 2000 || d.Level() != 0.95 {
		t.Errorf("defaults: %v resamples at %v, %v; want 2000 at 0.95", d.options.Count, d.Level(), err)
	}
}

// ratio is a statistic of two sums.
func ratio(s []float64) float64 { return s[0] / s[1] }

// each is a statistic of every resample, from how often each record was drawn.
func each(rs *Resamples, f func(counts []uint8) float64) []float64 {
	return rs.Several(1, func() func([]uint8, []float64) {
		return func(counts []uint8, out []float64) { out[0] = f(counts) }
	})[0]
}

// The interval of Hanley and McNeil's variance, against the bisection of Newcombe's equation in Python 3.13.
func TestHanley(t *testing.T) {
	for _, tt := range []struct{ area, m, n, want float64 }{
		{0.8, 10, 10, 0.9255198159227477}, {0, 5, 20, 0.23930079772878762}, {0.2, 10, 10, 1 - 0.541800987257357},
	} {
		if got := hanley(tt.area, tt.m, tt.n, 1.959963984540054); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("area %v of %v and %v: at most %v, want %v", tt.area, tt.m, tt.n, got, tt.want)
		}
	}
}

// By hand: 1, 2, 3, 4, 5 have the mean 3 and the variance 2.5; t at 95 % with 4 degrees of freedom is 2.776445 (the
// usual tables), and √(2.5·(1/5 + 0.25)) = 1.060660.
func TestIntervalOverSplits(t *testing.T) {
	iv := OverSplits([]float64{1, 2, 3, 4, 5}, 0.25, 0.95)
	if !near(iv.Value, 3, 1e-12) || !near(iv.High-3, 2.944865, 1e-5) || !near(3-iv.Low, 2.944865, 1e-5) {
		t.Errorf("%+v", iv)
	}
	// Without records shared: t·√(2.5/5) = 1.963243.
	if iv := OverSplits([]float64{1, 2, 3, 4, 5}, 0, 0.95); !near(iv.High, 4.963243, 1e-5) {
		t.Errorf("independent: %+v", iv)
	}
	if iv := OverSplits([]float64{2, 2}, 0.25, 0.95); iv.Low != 2 || iv.High != 2 {
		t.Errorf("equal values: %+v", iv)
	}
}

// Of two intervals that hold together at 90 %, each is at 95 %.
func TestIntervalsTogether(t *testing.T) {
	rs := newResamples(t, 1, alone(40), 100)
	both := rs.Together(2)
	if want := 1 - (1-rs.Level())/2; both.Level() != want || rs.Together(1).Level() != rs.Level() {
		t.Errorf("levels %v and %v, want %v and %v", both.Level(), rs.Together(1).Level(), want, rs.Level())
	}
	hit := make([]float64, 40)
	hit[0] = 1
	one, err := rs.RateOf(hit)
	if err != nil {
		t.Fatal(err)
	}
	wider, err := both.RateOf(hit)
	if err != nil {
		t.Fatal(err)
	}
	if !(wider.Low < one.Low && wider.High > one.High) {
		t.Errorf("%v together is not wider than %v", wider, one)
	}
}

// By hand, 2,001 values so that the quantiles .025 and .975 are those at 50 and
// 1,950; and between a finite value and an infinite one lies the infinite one.
func TestRange(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name      string
		count     int
		value     func(i int) float64
		low, high float64
	}{
		{name: "finite", count: 2001, value: func(i int) float64 { return float64(2000 - i) }, low: 50, high: 1950},
		{name: "between two", count: 2000, value: func(i int) float64 { return float64(i) }, low: 49.975, high: 1949.025},
		{name: "some above", count: 2001, value: func(i int) float64 {
			if i > 1900 {
				return inf
			}
			return float64(i)
		}, low: 50, high: inf},
		{name: "from a finite to an infinite value", count: 2000, value: func(i int) float64 {
			if i >= 1950 {
				return inf
			}
			return float64(i)
		}, low: 49.975, high: inf},
		{name: "from an infinite to a finite value", count: 2000, value: func(i int) float64 {
			if i <= 49 {
				return -inf
			}
			return float64(i)
		}, low: -inf, high: 1949.025},
		{name: "nothing finite", count: 2000, value: func(int) float64 { return -inf }, low: -inf, high: -inf},
	} {
		rs, err := NewResamples(rand.New(rand.NewPCG(1, 2)), make([]string, 5), Options{Count: c.count})
		if err != nil {
			t.Fatal(err)
		}
		var x []float64
		for i := range c.count {
			x = append(x, c.value(i))
		}
		low, high, err := rs.Range(x)
		if err != nil || math.Abs(low-c.low) > 1e-9 || math.Abs(high-c.high) > 1e-9 || math.IsNaN(low) || math.IsNaN(high) {
			t.Errorf("%s: [%v, %v], %v; want [%v, %v]", c.name, low, high, err, c.low, c.high)
		}
		x[3] = math.NaN()
		if _, _, err := rs.Range(x); err == nil {
			t.Errorf("%s: no error for NaN", c.name)
		}
		if _, _, err := rs.Range(x[1:]); err == nil {
			t.Errorf("%s: no error for one value less than resamples", c.name)
		}
	}
}

// Counts of some records are the sums of a column that is 1 there, whatever form the draws are kept in.
func TestCountsAreSumsOfOnes(t *testing.T) {
	for _, o := range []Options{{}, {Keep: -1}, {Keep: 30_000}} {
		groups := make([]string, 50)
		groups[3], groups[40] = "pair", "pair"
		o.Count = 1000
		rs, err := NewResamples(rand.New(rand.NewPCG(1, 2)), groups, o)
		if err != nil {
			t.Fatal(err)
		}
		column, of := make([]float64, len(groups)), []int{0, 3, 17, 40}
		for _, i := range of {
			column[i] = 1
		}
		if got, want := rs.Counts(of), rs.SumsOf(column)[0]; !slices.Equal(got, want) {
			t.Errorf("%+v: %v, want %v", o, got[:5], want[:5])
		}
	}
}
