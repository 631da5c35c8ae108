package pcm

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The regression on β and the statistic against an independent program:
// testdata/make_oracle.py, whose tools and versions are in the file.
func TestAgainstOracle(t *testing.T) {
	data, err := os.ReadFile("testdata/oracle.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Tool           string
		Beta, Delta, F []float64
		Fold           []int
		DeltaFit       []float64 `json:"delta_fit"`
		FFit           []float64 `json:"f_fit"`
		Penalties      []float64
		T, P           float64
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	r := newRegression(want.Beta, nil, want.Fold, 5)
	_, one := r.base.crossfit(always(want.Delta))
	_, two := r.base.crossfit(always(want.F))
	if got := []float64{one.even, one.by, two.even, two.by}; !slices.Equal(got, want.Penalties) {
		t.Errorf("penalties %v, %s chooses %v", got, want.Tool, want.Penalties)
	}
	m, mf := r.crossfit(want.Delta), r.crossfit(want.F)
	sums := make([]float64, len(m))
	for i := range m {
		if math.Abs(m[i]-want.DeltaFit[i]) > 1e-5 || math.Abs(mf[i]-want.FFit[i]) > 1e-5 {
			t.Fatalf("record %d: %v and %v; %s has %v and %v", i, m[i], mf[i], want.Tool, want.DeltaFit[i], want.FFit[i])
		}
		sums[i] = (want.Delta[i] - m[i]) * (want.F[i] - mf[i])
	}
	n := len(sums)
	if T, p := studentised(sums, sums, n, float64(n-1)); math.Abs(T-want.T) > 1e-4 || math.Abs(p-want.P) > 1e-4 {
		t.Errorf("T = %v, p = %v; %s has %v and %v", T, p, want.Tool, want.T, want.P)
	}
}

func TestCombine(t *testing.T) {
	for _, tt := range []struct { // by hand
		name string
		p    []float64
		want float64
	}{
		{name: "one", p: []float64{.03}, want: .03},
		{name: "two: twice the smaller", p: []float64{.5, .03}, want: .06},
		{name: "three: twice the second of all three", p: []float64{.5, .03, .02}, want: .06},
		{name: "the first two are less than all three", p: []float64{.01, .5, .6}, want: .02},
		{name: "four: twice the second", p: []float64{.5, .04, .9, .02}, want: .08},
		{name: "no more than 1", p: []float64{.9, .8}, want: 1},
	} {
		if got := Combine(tt.p); math.Abs(got-tt.want) > 1e-15 {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func stream(name ...string) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(len(strings.Join(name, "/"))), uint64(name[len(name)-1][0])))
}

// halves are the options of a test of so many.
func halves(n int) Options { return Options{Alpha: 0.05, Splits: n, Stream: stream, Threads: 1} }

// sample draws n records: β piled near 1, Δ = 1 with a chance that falls in β.
func sample(n int, r *rand.Rand) Sample {
	s := Sample{Beta: make([]float64, n), Delta: make([]float64, n)}
	for i := range n {
		s.Beta[i] = 1 / (1 + math.Exp(-5-3.5*r.NormFloat64()))
		if r.Float64() < 0.8-0.7*s.Beta[i] {
			s.Delta[i] = 1
		}
	}
	return s
}

// knows predicts what j says.
func knows(j []float64) Learn {
	return func(_ []float64, _ []int32, pred []float64) error {
		copy(pred, j)
		return nil
	}
}

// What has no answer has p = 1, not a number that is none.
func TestDegenerate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct {
		name  string
		bad   func(s *Sample, j []float64)
		p     float64 // exactly; 0 = anything in (0,1]
		fails error
	}{
		{name: "a direction that is flat", bad: func(_ *Sample, j []float64) { clear(j) }, p: 1},
		{name: "constant J", bad: func(_ *Sample, j []float64) {
			for i := range j {
				j[i] = 3
			}
		}, p: 1},
		{name: "all Δ equal", bad: func(s *Sample, _ []float64) { clear(s.Delta) }, p: 1},
		{name: "β one tie", bad: func(s *Sample, _ []float64) {
			for i := range s.Beta {
				s.Beta[i] = 0.5
			}
		}},
		{name: "β two ties", bad: func(s *Sample, _ []float64) {
			for i := range s.Beta {
				s.Beta[i] = float64(i % 2)
			}
		}},
		{name: "a class of one", bad: func(s *Sample, _ []float64) { s.Class = make([]int, len(s.Beta)); s.Class[7] = 3 }},
		{name: "J a line in β", bad: func(s *Sample, j []float64) { copy(j, s.Beta) }},
		{name: "one group holds half", bad: func(s *Sample, _ []float64) {
			s.Groups = make([]string, len(s.Beta))
			for i := range len(s.Beta) / 2 {
				s.Groups[i] = "a"
			}
		}},
		{name: "tiny", bad: func(s *Sample, _ []float64) { s.Beta, s.Delta = s.Beta[:19], s.Delta[:19] },
			fails: &TooFewError{19, leastUnits}},
		{name: "few groups", bad: func(s *Sample, _ []float64) {
			for i := range s.Beta {
				s.Groups = append(s.Groups, string(rune('a'+i%5)))
			}
		}, fails: &TooFewError{5, leastUnits}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, j := sample(80, r), make([]float64, 80)
			for i := range j {
				j[i] = r.NormFloat64()
			}
			tt.bad(&s, j)
			got, err := Test(t.Context(), s, knows(j), halves(DefaultSplits))
			if !errors.Is(err, tt.fails) && !reflect.DeepEqual(err, tt.fails) {
				t.Fatalf("error %v, want %v", err, tt.fails)
			}
			if err == nil && (!(got.P > 0 && got.P <= 1) || tt.p != 0 && got.P != tt.p || math.IsNaN(got.Fit.Largest)) {
				t.Errorf("p = %v, fit %+v; want p = %v", got.P, got.Fit, tt.p)
			}
		})
	}
}

// A direction that tells of Δ beyond β is found, the same on any threads.
func TestFindsAndIsTheSameOnAnyThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	s, j := sample(400, r), make([]float64, 400)
	for i := range j {
		if j[i] = r.NormFloat64(); j[i] > 1 {
			s.Delta[i] = 1
		}
	}
	var first Result
	for _, threads := range []int{1, 3} {
		reported, o := 0, halves(DefaultSplits)
		o.Threads, o.Done = threads, func(int) { reported++ }
		got, err := Test(t.Context(), s, knows(j), o)
		if err != nil || got.P > 1e-4 || len(got.Splits) != DefaultSplits || reported != DefaultSplits {
			t.Fatalf("%+v, reported %d, error %v", got, reported, err)
		}
		if threads == 1 {
			first = got
		} else if !slices.Equal(first.Splits, got.Splits) || first.P != got.P {
			t.Errorf("%d threads: %+v, on one %+v", threads, got, first)
		}
	}
}

// The check sees a risk that the regression cannot follow, and lets a level
// and a smooth one pass.
func TestFitCheck(t *testing.T) {
	for _, tt := range []struct {
		name   string
		risk   func(b float64) float64
		failed bool
	}{
		{"level", func(float64) float64 { return .3 }, false},
		{"sin 12β", func(b float64) float64 { return .5 + .4*math.Sin(12*b) }, false},
		{"sin 70β", func(b float64) float64 { return .5 + .5*math.Sin(70*b) }, true},
	} {
		r := rand.New(rand.NewPCG(5, 6))
		s := sample(500, r)
		for i := range s.Beta {
			s.Beta[i], s.Delta[i] = r.Float64(), 0
			if r.Float64() < tt.risk(s.Beta[i]) {
				s.Delta[i] = 1
			}
		}
		got, err := Test(t.Context(), s, knows(s.Beta), halves(1))
		if err != nil || got.Fit.Failed != tt.failed {
			t.Errorf("%s: fit %+v, error %v; want failed %v", tt.name, got.Fit, err, tt.failed)
		}
	}
}

func TestErrors(t *testing.T) {
	s, boom := sample(60, rand.New(rand.NewPCG(1, 1))), errors.New("boom")
	_, err := Test(t.Context(), s, func([]float64, []int32, []float64) error { return boom },
		halves(DefaultSplits))
	if !errors.Is(err, boom) {
		t.Errorf("the learner's error became %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Test(ctx, s, knows(s.Beta), halves(DefaultSplits)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled test returned %v", err)
	}
}

// Steps that both regressions miss fail the fit; an effect of J does not.
func TestProductOfErrors(t *testing.T) {
	for _, tt := range []struct {
		name   string
		shared float64 // steps in J, as in the risk
		effect float64
		failed bool
	}{{"steps in both", 1, 0, true}, {"an effect", 0, 0.5, false}} {
		r := rand.New(rand.NewPCG(11, 12))
		s, j := sample(1200, r), make([]float64, 1200)
		s.Class, s.Groups = nil, nil
		steps := make([]float64, 50)
		for b := range steps {
			steps[b] = r.Float64()
		}
		for i := range j {
			s.Beta[i] = (float64(i) + .5) / 1200
			step := steps[i/24]
			j[i] = tt.shared*step + 0.4*r.NormFloat64()
			if s.Delta[i] = 0; r.Float64() < tt.shared*step+(1-tt.shared)*0.4+tt.effect*j[i] {
				s.Delta[i] = 1
			}
		}
		s.J = [][]float32{make([]float32, len(j))}
		for i, v := range j {
			s.J[0][i] = float32(v)
		}
		got, err := Test(t.Context(), s, knows(j), halves(1))
		if err != nil || (got.Fit.Around <= FitLevel) != tt.failed || got.Fit.Failed != tt.failed {
			t.Errorf("%s: fit %+v, error %v; want failed %v", tt.name, got.Fit, err, tt.failed)
		}
	}
}

// By hand: of equal units, one less; of sizes 3, 2 and 2, (9+4+4)²/(81+16+16) − 1; of 3
// and six of 1, 15²/87 − 1; not below 1.
func TestEffective(t *testing.T) {
	for _, tt := range []struct {
		units []int
		want  float64
	}{{[]int{0, 1, 2, 3, 4}, 4}, {[]int{0, 0, 1, 1, 2, 2}, 2}, {[]int{0, 0, 0, 1, 3, 1, 3}, 17.*17/113 - 1},
		{[]int{4, 4, 4, 0, 1, 5, 3, 7, 8}, 15.*15/87 - 1}, {[]int{0, 0}, 1}} {
		if got := effective(tt.units); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", tt.units, got, tt.want)
		}
	}
}
