package confidence

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

var (
	calBeta    = []float64{.1, .2, .35, .4, .5, .55, .6, .7, .75, .8, .9, .95}
	calCorrect = []float64{0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1}
)

func TestCalibratorsByReference(t *testing.T) {
	probs := [][]float64{{.7, .2, .1}, {.6, .3, .1}, {.1, .8, .1}, {.2, .2, .6}, {.05, .9, .05}, {.98, .01, .01}}
	for _, tc := range []struct {
		name    string
		method  Calibration
		sample  Sample
		want    map[string]float64
		at      Reading
		applied float64
	}{
		{
			// sklearn.calibration._SigmoidCalibration, scikit-learn 1.9.1
			name: "platt", method: Platt, sample: Sample{Beta: calBeta, Correct: calCorrect},
			want: map[string]float64{"a": 3.5758340389100534, "b": -1.6624039481397257},
			at:   Reading{Beta: .85}, applied: 0.7985176014243296,
		},
		{
			// sklearn LogisticRegression(C=1e6, solver="newton-cholesky") on ln β and −ln(1−β), scikit-learn 1.9.1
			name: "beta", method: BetaCalibration, sample: Sample{Beta: calBeta, Correct: calCorrect},
			want: map[string]float64{"a": 1.7102807895843903, "b": 0.7213894575973462, "c": 0.8527079468136034},
			at:   Reading{Beta: .2}, applied: 0.14945151507666077,
		},
		{
			// scipy.optimize.minimize_scalar over ln t, SciPy 1.17.1
			name: "temperature", method: Temperature, sample: Sample{Beta: []float64{.7, .6, .8, .6, .9, .98}, Probs: probs,
				Truth: []int{0, 1, 1, 2, 0, 0}},
			want: map[string]float64{"t": 1.5720396794042142},
			at:   Reading{Probs: []float64{.5, .5, 0}, Beta: .5}, applied: .5,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := FitCalibrator(tc.method, tc.sample)
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range tc.want {
				if math.Abs(c.Parameters[name]-want) > 2e-4 {
					t.Errorf("%s = %v, want %v", name, c.Parameters[name], want)
				}
			}
			if got := c.Apply(tc.at); math.Abs(got-tc.applied) > 2e-5 {
				t.Errorf("at %v: %v, want %v", tc.at.Beta, got, tc.applied)
			}
		})
	}
}

// A record's cross-fitted β does not depend on its own outcome, and stays in
// [0,1]; the calibrator for everything else does depend on it.
func TestCrossFitDoesNotPeek(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(6, 20).Draw(t, "n")
		s, fold := Sample{Classes: 2}, make([]int, n)
		for i := range n {
			s.Beta = append(s.Beta, rapid.Float64Range(0, 1).Draw(t, "beta"))
			s.Correct = append(s.Correct, float64(rapid.IntRange(0, 1).Draw(t, "correct")))
			s.Class = append(s.Class, rapid.IntRange(0, 1).Draw(t, "class"))
			p := rapid.Float64Range(.01, .99).Draw(t, "p")
			s.Probs = append(s.Probs, []float64{p, 1 - p})
			s.Truth = append(s.Truth, rapid.IntRange(0, 1).Draw(t, "truth"))
			fold[i] = i % 3
		}
		m := rapid.SampledFrom(Calibrations()).Draw(t, "method")
		_, before, err := CrossFit(m, s, fold)
		if err != nil {
			t.Fatal(err)
		}
		f := rapid.IntRange(0, 2).Draw(t, "fold")
		for i := range fold {
			if fold[i] == f {
				s.Correct[i], s.Truth[i] = 1-s.Correct[i], 1-s.Truth[i]
			}
		}
		_, after, err := CrossFit(m, s, fold)
		if err != nil {
			t.Fatal(err)
		}
		for i := range fold {
			if fold[i] == f && before[i] != after[i] {
				t.Fatalf("%s: β of record %d changed from %v to %v with outcomes of its own fold", m, i, before[i], after[i])
			}
			if !(before[i] >= 0 && before[i] <= 1) {
				t.Fatalf("%s: β of record %d is %v", m, i, before[i])
			}
		}
	})
}

func TestCalibratorRefuses(t *testing.T) {
	for _, tc := range []struct {
		name   string
		method Calibration
		sample Sample
		want   string
	}{
		{name: "nothing", method: Isotonic, want: "no records"},
		{name: "lengths", method: Platt, sample: Sample{Beta: []float64{1}}, want: "0 outcomes"},
		{name: "β outside", method: Platt, sample: Sample{Beta: []float64{2}, Correct: []float64{1}}, want: "record 0"},
		{name: "class outside", method: IsotonicPerClass,
			sample: Sample{Beta: []float64{1}, Correct: []float64{1}, Class: []int{1}, Classes: 1}, want: "class 1"},
		{name: "no vectors", method: Temperature, sample: Sample{Beta: []float64{1}}, want: "0 probability vectors"},
		{name: "no mass", method: Temperature,
			sample: Sample{Beta: []float64{1}, Probs: [][]float64{{0, 0}}, Truth: []int{0}}, want: "probability 0"},
		{name: "truth outside", method: Temperature,
			sample: Sample{Beta: []float64{1}, Probs: [][]float64{{1}}, Truth: []int{3}}, want: "class 3"},
		{name: "unknown", method: "guess", want: "guess"},
	} {
		if _, err := FitCalibrator(tc.method, tc.sample); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want an error with %q", tc.name, err, tc.want)
		}
	}
	if _, _, err := CrossFit(Isotonic, Sample{Beta: []float64{1, 1}, Correct: []float64{1, 1}}, []int{0, 0}); err == nil {
		t.Error("cross-fitting with one fold: no error")
	}
	if _, _, err := CrossFit(Isotonic, Sample{Beta: []float64{1, 1}, Correct: []float64{1, 1}}, []int{0}); err == nil {
		t.Error("1 fold for 2 records: no error")
	}
}
