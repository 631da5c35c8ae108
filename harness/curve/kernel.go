package curve

import (
	"fmt"
	"math"
	"slices"
)

// Kernel is the Nadaraya–Watson estimate of a mean, with a Gaussian kernel:
//
//	m(x) = Σ_i y_i·φ((x−x_i)/h) / Σ_i φ((x−x_i)/h)
//
// Farther than 8.5 bandwidths from every x_i it is the value of the nearest.
type Kernel struct {
	top, bottom *gaussSum
	x, y        []float64 // distinct x and the mean y at each
	lo, hi      float64   // range of y
}

// NadarayaWatson smooths y against x with bandwidth h > 0. Like the plain
// estimate it is, it flattens slopes at the ends of the data over about one
// bandwidth. A value costs the same however many points there are, and lies
// between the least and the largest y. O(n log n).
//
// Nadaraya (1964), On estimating regression; Watson (1964), Smooth regression
// analysis.
func NadarayaWatson(x, y []float64, h float64) (*Kernel, error) {
	if !(h > 0) || math.IsInf(h, 1) {
		return nil, fmt.Errorf("smoothing with bandwidth %v: want a finite number > 0", h)
	}
	groups, err := EqualMass(x, y, max(len(x), 1)) // one bin per distinct x
	if err != nil {
		return nil, fmt.Errorf("smoothing: %w", err)
	}
	k := &Kernel{lo: slices.Min(y), hi: slices.Max(y)}
	for _, g := range groups {
		k.x, k.y = append(k.x, g.First), append(k.y, g.MeanY)
	}
	k.top, k.bottom = newGaussSum(x, y, h), newGaussSum(x, nil, h)
	return k, nil
}

// At returns the smoothed value. NaN gives NaN.
func (k *Kernel) At(x float64) float64 {
	if math.IsNaN(x) {
		return math.NaN()
	}
	top, bottom := k.top.with(k.bottom, x)
	if bottom > 1e-15*0.4 { // as much as one point within reach contributes
		return min(max(top/bottom, k.lo), k.hi)
	}
	i, _ := slices.BinarySearch(k.x, x)
	if i == len(k.x) || i > 0 && x-k.x[i-1] <= k.x[i]-x {
		i--
	}
	return k.y[i]
}

// LogitLine is the logistic curve 1/(1+e^−(A+Bx)).
type LogitLine struct{ A, B float64 }

// logitRidge keeps the slope finite where x separates the targets; its effect
// on others is below their sampling error by far.
const logitRidge = 1e-3

// FitLogitLine fits y ∈ [0,1] on x by logistic regression with a ridge of
// 0.001 on the slope. Targets that are all 0 or all 1 have no finite intercept:
// the curve is that constant.
func FitLogitLine(x, y []float64) (Curve, error) {
	if len(x) != len(y) || len(x) == 0 {
		return nil, fmt.Errorf("logistic curve of %d x and %d y: want as many, and at least one", len(x), len(y))
	}
	if first := y[0]; (first == 0 || first == 1) && !slices.ContainsFunc(y, func(v float64) bool { return v != first }) {
		return Constant(first), nil
	}
	rows := make([][]float64, len(x))
	for i := range x {
		rows[i] = x[i : i+1 : i+1]
	}
	c, err := Logistic(rows, y, logitRidge)
	if err != nil {
		return nil, err
	}
	return LogitLine{c[0], c[1]}, nil
}

// At returns the curve's value, in (0,1) but for rounding.
func (l LogitLine) At(x float64) float64 { return Sigmoid(l.A + float64(l.B*x)) }

// Constant is the curve of one value.
type Constant float64

// At returns the value, for any x.
func (c Constant) At(float64) float64 { return float64(c) }
