package router

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawn are scores and qualities on grids, so that ties are common.
func drawn(t *rapid.T) (score, a, b []float64) {
	n := rapid.IntRange(1, 14).Draw(t, "n")
	for range n {
		score = append(score, float64(rapid.IntRange(0, 5).Draw(t, "score"))/5)
		a = append(a, float64(rapid.IntRange(0, 4).Draw(t, "student"))/4)
		b = append(b, float64(rapid.IntRange(0, 4).Draw(t, "master"))/4)
	}
	return score, a, b
}

// thresholds are all that could matter: every score, and none above.
func thresholds(score []float64) []float64 {
	return append(slices.Compact(slices.Sorted(slices.Values(append([]float64{0}, score...)))), math.Inf(1))
}

func TestScorerAgainstEveryThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		score, student, master := drawn(t)
		most := rapid.IntRange(0, len(score)).Draw(t, "most")
		got, err := FitScorer(score, student, master, most)
		if err != nil {
			t.Fatal(err)
		}
		errors := func(theta float64) (sum float64, deferred int) {
			for i, s := range score {
				if s >= theta {
					sum += student[i]
				} else {
					sum += master[i]
					deferred++
				}
			}
			return sum, deferred
		}
		sum, deferred := errors(got.Theta)
		if deferred > most || deferred != got.Deferred || got.Kept != len(score)-deferred ||
			math.Abs(got.Value*float64(len(score))-sum) > 1e-9 {
			t.Fatalf("%+v defers %d of at most %d with %v errors", got, deferred, most, sum)
		}
		for _, theta := range thresholds(score) {
			s, d := errors(theta)
			if d <= most && (s < sum-1e-9 || math.Abs(s-sum) < 1e-9 && d < deferred) {
				t.Fatalf("%+v: threshold %v has %v errors with %d deferrals, ours %v with %d", got, theta, s, d, sum, deferred)
			}
		}
	})
}

func TestRouterAgainstEveryThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		score, student, master := drawn(t)
		n := float64(len(score))
		drop := Drop{Delta: float64(rapid.IntRange(-10, 10).Draw(t, "delta")) / 16,
			Relative: rapid.Bool().Draw(t, "relative")}
		dearer := rapid.Bool().Draw(t, "dearer")
		got, err := FitRouter(score, student, master, drop, dearer)
		if err != nil {
			t.Fatal(err)
		}
		most := drop.Delta * n
		if drop.Relative {
			most = drop.Delta * sum(master)
		}
		lost := func(theta float64) (drop float64, kept int) {
			for i, s := range score {
				if s >= theta {
					drop += master[i] - student[i]
					kept++
				}
			}
			return drop, kept
		}
		cheaper := func(a, b int) bool { return a > b != dearer && a != b }
		d, kept := lost(got.Theta)
		if kept != got.Kept || math.Abs(got.Value*n-d) > 1e-9 || got.Feasible != (d <= most+1e-12) {
			t.Fatalf("%+v: drop %v of at most %v, %d kept", got, d, most, kept)
		}
		for _, theta := range thresholds(score) {
			x, k := lost(theta)
			fits := x <= most+1e-12
			switch {
			case fits && !got.Feasible, fits && cheaper(k, kept):
				t.Fatalf("%+v: threshold %v drops %v of at most %v and keeps %d", got, theta, x, most, k)
			case !got.Feasible && (x < d-1e-9 || math.Abs(x-d) < 1e-9 && cheaper(k, kept)):
				t.Fatalf("%+v drops %v, threshold %v is nearer: %v", got, d, theta, x)
			}
		}
		if drop.Delta >= 0 && !got.Feasible {
			t.Fatal("a drop of 0 or more is met by the master alone")
		}
	})
}

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

func TestThresholdsRefuse(t *testing.T) {
	for name, f := range map[string]func() (Threshold, error){
		"nothing":         func() (Threshold, error) { return FitScorer(nil, nil, nil, 1) },
		"other lengths":   func() (Threshold, error) { return FitScorer([]float64{1}, []float64{1, 0}, nil, 1) },
		"no number":       func() (Threshold, error) { return FitScorer([]float64{math.NaN()}, []float64{1}, nil, 1) },
		"an error of NaN": func() (Threshold, error) { return FitScorer([]float64{1}, []float64{math.NaN()}, nil, 1) },
		"a debt":          func() (Threshold, error) { return FitScorer([]float64{1}, []float64{1}, nil, -1) },
		"an infinite quality": func() (Threshold, error) {
			return FitRouter([]float64{1}, []float64{math.Inf(-1)}, []float64{1}, Drop{}, false)
		},
		"a drop of NaN": func() (Threshold, error) {
			return FitRouter([]float64{1}, []float64{1}, []float64{1}, Drop{Delta: math.NaN()}, false)
		},
	} {
		if got, err := f(); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
