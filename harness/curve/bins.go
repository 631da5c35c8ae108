package curve

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"infnet/harness/calc"
)

// Bin is a run of neighbouring x.
type Bin struct {
	First float64 `json:"first"` // least x
	Last  float64 `json:"last"`  // largest x
	N     int     `json:"n"`     // points, ≥ 1
	MeanX float64 `json:"mean_x"`
	MeanY float64 `json:"mean_y"`
	Index []int   `json:"-"` // the points, by x
}

// EqualMass cuts the points (x, y) into at most `bins` ≥ 1 runs of about as
// many points each. Equal x stay together: bin j ends with the tie group that
// reaches (j+1)/bins of the points, so a large tie makes a large bin and fewer
// of them. O(n log n).
func EqualMass(x, y []float64, bins int) ([]Bin, error) {
	if len(x) == 0 || len(x) != len(y) || bins < 1 {
		return nil, fmt.Errorf("%d bins of %d x and %d y: want as many x as y, at least one, and at least one bin", bins,
			len(x), len(y))
	}
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
		if math.IsNaN(x[i]+y[i]) || math.IsInf(x[i]+y[i], 0) {
			return nil, fmt.Errorf("point %d is (%v, %v): want finite numbers", i, x[i], y[i])
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	var out []Bin
	n := len(order)
	for from, to, j := 0, 0, 1; from < n; from = to {
		for j < bins && j*n <= from*bins { // shares that earlier ties have used up
			j++
		}
		for to = from; to < n && (to*bins < j*n || x[order[to]] == x[order[to-1]]); to++ {
		}
		b := Bin{First: x[order[from]], Last: x[order[to-1]], N: to - from, Index: order[from:to:to]}
		for _, i := range b.Index {
			b.MeanX += x[i]
			b.MeanY += y[i]
		}
		b.MeanX /= float64(b.N)
		b.MeanY /= float64(b.N)
		out = append(out, b)
	}
	return out, nil
}

// Steps is a curve of constant pieces: Y[j] on [X[j], X[j+1]), Y[0] below X[0]
// too, and the last from its X on. X is strictly increasing.
type Steps struct {
	X []float64 `json:"x"`
	Y []float64 `json:"y"`
}

// Binned returns the mean of y in bins of equal mass (as EqualMass): a piece
// begins at the least x of its bin. bins 0 = ⌈2·n^(1/3)⌉, Rice's rule, with 10
// points a bin where there are that many.
func Binned(x, y []float64, bins int) (Steps, error) {
	if bins == 0 {
		bins = max(1, min(int(math.Ceil(2*calc.Cbrt(float64(len(x))))), len(x)/10))
	}
	bs, err := EqualMass(x, y, bins)
	var s Steps
	for _, b := range bs {
		s.X, s.Y = append(s.X, b.First), append(s.Y, b.MeanY)
	}
	return s, err
}

// At returns the value of the piece x is on; O(log n). NaN gives NaN.
func (s Steps) At(x float64) float64 {
	if math.IsNaN(x) {
		return math.NaN()
	}
	i, hit := slices.BinarySearch(s.X, x)
	if !hit {
		i--
	}
	return s.Y[max(i, 0)]
}

// Breaks returns where pieces begin, within [0,1].
func (s Steps) Breaks() []float64 { return Monotone{X: s.X}.Breaks() }

var (
	_ Curve  = Steps{}
	_ Broken = Steps{}
)
