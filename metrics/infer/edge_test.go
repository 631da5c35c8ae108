package infer

import (
	"math"
	"math/rand/v2"
	"testing"
)

func resamplesOf(t *testing.T, groups []string) *Resamples {
	t.Helper()
	rs, err := NewResamples(rand.New(rand.NewPCG(1, 2)), groups, Options{Count: 200})
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// all returns n times v.
func all(n int, v float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// Values that are all at one end of their range leave a mean that is not known
// exactly. Of n equal records the bound is (α/2)^(1/n): for 20 and 95 % .8316
// (by hand, .025^.05).
func TestMeanAtTheEndOfItsRange(t *testing.T) {
	bound := math.Pow(0.025, 1.0/20)
	for _, tt := range []struct {
		name         string
		x            []float64
		low, high    float64
		wantLow, top float64
	}{
		{name: "all perfect", x: all(20, 1), high: 1, wantLow: bound, top: 1},
		{name: "all nothing", x: all(20, 0), high: 1, wantLow: 0, top: 1 - bound},
		{name: "cosines of 1", x: all(20, 1), low: -1, high: 1, wantLow: 2*bound - 1, top: 1},
		{name: "cosines of 1, rounded", x: all(20, 1-1e-12), low: -1, high: 1, wantLow: 2*bound - 1, top: 1},
		{name: "on a scale to 100", x: all(20, 100), high: 100, wantLow: 100 * bound, top: 100},
		{name: "equal, but inside", x: all(20, 0.5), high: 1, wantLow: 0.5, top: 0.5},
		{name: "no lower end", x: all(20, 0), low: math.Inf(-1), wantLow: 0, top: 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			iv, err := resamplesOf(t, make([]string, len(tt.x))).MeanWithin(tt.x, tt.low, tt.high)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(iv.Low-tt.wantLow) > 1e-9 || math.Abs(iv.High-tt.top) > 1e-9 || iv.Low > iv.Value || iv.Value > iv.High {
				t.Errorf("interval %+v, want [%v, %v]", iv, tt.wantLow, tt.top)
			}
		})
	}
	grouped := make([]string, 20)
	for i := range grouped {
		grouped[i] = string(rune('a' + i/4)) // five clusters
	}
	iv, err := resamplesOf(t, grouped).MeanWithin(all(20, 1), 0, 1)
	if want := math.Pow(0.025, 1.0/5); err != nil || math.Abs(iv.Low-want) > 1e-9 || iv.N != 20 {
		t.Errorf("five clusters: %+v, %v; want a lower end of %v", iv, err, want)
	}
}

// macro is the macro F1 of a confusion matrix, every class counting.
func macro(k int) func([]float64) float64 {
	return func(counts []float64) float64 {
		sum := 0.0
		for c := range k {
			var said, is float64
			for o := range k {
				is += counts[c*k+o]
				said += counts[o*k+c]
			}
			if is+said > 0 {
				sum += 2 * counts[c*k+c] / (is + said)
			}
		}
		return sum / float64(k)
	}
}

// atTheEdge is AtTheEdge of a whole matrix.
func atTheEdge(rs *Resamples, iv Interval, counts []float64, k int,
	value func(counts []float64) float64) (Interval, error) {
	var cells []int
	var occupied []float64
	for c, n := range counts {
		if n != 0 {
			cells, occupied = append(cells, c), append(occupied, n)
		}
	}
	return rs.AtTheEdge(iv, k, cells, occupied, func(cells []int, counts []float64) float64 {
		whole := make([]float64, k*k)
		for j, c := range cells {
			whole[c] = counts[j]
		}
		return value(whole)
	})
}

func TestF1AtTheEndOfItsRange(t *testing.T) {
	rs := resamplesOf(t, make([]string, 100))
	// u = 1 − .025^.01 = .0362: 4 of 100 may be wrong. In the class of 20 they
	// leave 16 right: F1 = 32/36; the other class answers 84 for 80: 160/164.
	want := (32.0/36 + 160.0/164) / 2
	iv, err := atTheEdge(rs, Interval{Value: 1, Low: 1, High: 1, Level: 0.95, N: 100},
		[]float64{80, 0, 0, 20}, 2, macro(2))
	if err != nil || math.Abs(iv.Low-want) > 1e-9 || iv.High != 1 || iv.Method != MethodEdgeCounts {
		t.Errorf("all right: %+v, %v; want [%v, 1]", iv, err, want)
	}
	// A class smaller than the errors is lost, and the rest falls on the next.
	iv, err = atTheEdge(rs, Interval{Value: 1, Low: 1, High: 1, Level: 0.95, N: 100}, []float64{98, 0, 0, 2}, 2, macro(2))
	if want := (196.0/198 + 0) / 2; err != nil || math.Abs(iv.Low-want) > 1e-9 {
		t.Errorf("a small class: %+v, %v; want a lower end of %v", iv, err, want)
	}
	// All wrong: 4 of the class of 20 may be right: 8/(20+84), the other 0.
	iv, err = atTheEdge(rs, Interval{Value: 0, Level: 0.95, N: 100}, []float64{0, 80, 20, 0}, 2, macro(2))
	if want := 8.0 / (20 + 84) / 2; err != nil || iv.High < want-1e-9 || iv.Low != 0 {
		t.Errorf("all wrong: %+v, %v; want an upper end of at least %v", iv, err, want)
	}
	for _, keep := range []Interval{{Value: 0.9, Low: 0.8, High: 1}, {Value: 0.5, Low: 0.5, High: 0.5},
		{Value: 1, Low: 0.9, High: 1}} {
		if got, err := atTheEdge(rs, keep, []float64{80, 0, 0, 20}, 2, macro(2)); err != nil || got != keep {
			t.Errorf("an interval with a width, or inside the range, changed: %+v to %+v, %v", keep, got, err)
		}
	}
}
