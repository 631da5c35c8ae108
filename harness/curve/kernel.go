package curve

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/calc"
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
func FitLogitLine(x, y []float64) (func(x float64) float64, error) {
	if len(x) != len(y) || len(x) == 0 {
		return nil, fmt.Errorf("logistic curve of %d x and %d y: want as many, and at least one", len(x), len(y))
	}
	if first := y[0]; (first == 0 || first == 1) && !slices.ContainsFunc(y, func(v float64) bool { return v != first }) {
		return func(float64) float64 { return first }, nil
	}
	l, err := LogisticLine(x, y, logitRidge)
	return l.At, err
}

// LogisticLine is Logistic of one feature.
func LogisticLine(x, y []float64, ridge float64) (LogitLine, error) {
	rows := make([][]float64, len(x))
	for i := range x {
		rows[i] = x[i : i+1 : i+1]
	}
	c, err := Logistic(rows, y, ridge)
	if err != nil {
		return LogitLine{}, err
	}
	return LogitLine{c[0], c[1]}, nil
}

func (l LogitLine) At(x float64) float64 { return Sigmoid(l.A + float64(l.B*x)) }

// A sum of Gaussians is evaluated from the moments of cells a quarter of a
// bandwidth wide: with sixteen moments and points beyond 8.5 bandwidths left
// out (φ < 10⁻¹⁶ there) a value is right to about 12 digits, at a cost that
// does not grow with the number of points.
const (
	cellsPerBandwidth = 4
	moments           = 16
	reach             = 8.5 // bandwidths
)

// gaussSum is Σ_i w_i·φ((x−x_i)/h), prepared.
type gaussSum struct {
	h      float64
	center []float64          // of the cells that hold points, ascending
	moment [][moments]float64 // Σ w·d^p/p! over a cell's points, d = (x_i − center)/h
	before []float64          // weight of the cells before this one; one entry more than cells
}

// newGaussSum groups points of weight w (nil = 1 each).
//
// Greengard and Strain (1991), The fast Gauss transform: with u = v − d,
//
//	φ(v−d) = φ(v)·Σ_p He_p(v)·d^p/p!
func newGaussSum(x, w []float64, h float64) *gaussSum {
	g := &gaussSum{h: h}
	width := h / cellsPerBandwidth
	cells := map[float64]int{}
	var names []float64
	for _, v := range x {
		cell := math.Floor(v / width)
		if _, ok := cells[cell]; !ok {
			cells[cell] = 0
			names = append(names, cell)
		}
	}
	slices.Sort(names)
	for i, cell := range names {
		cells[cell] = i
		g.center = append(g.center, (cell+0.5)*width)
	}
	g.moment = make([][moments]float64, len(names))
	for i, v := range x {
		cell := cells[math.Floor(v/width)]
		term, d := 1.0, (v-g.center[cell])/h
		if w != nil {
			term = w[i]
		}
		m := &g.moment[cell]
		for p := range m {
			m[p] += term
			term *= d / float64(p+1)
		}
	}
	g.before = make([]float64, len(g.center)+1)
	for i, m := range g.moment {
		g.before[i+1] = g.before[i] + m[0]
	}
	return g
}

// near returns the range of cells within reach of x.
func (g *gaussSum) near(x float64) (lo, hi int) {
	lo, _ = slices.BinarySearch(g.center, x-float64(reach*g.h))
	hi, _ = slices.BinarySearch(g.center, x+float64(reach*g.h))
	return lo, hi
}

// at returns Σ w·φ((x−x_i)/h).
func (g *gaussSum) at(x float64) float64 {
	total, _ := g.with(g, x)
	return total
}

// with returns the sums of g and of other at x. The two must be of the same
// points and bandwidth, whatever their weights.
func (g *gaussSum) with(other *gaussSum, x float64) (one, two float64) {
	lo, hi := g.near(x)
	for i := lo; i < hi; i++ {
		v, m, n := (x-g.center[i])/g.h, &g.moment[i], &other.moment[i]
		previous, hermite, a, b := 0.0, 1.0, 0.0, 0.0 // He_−1, He_0
		for p := range moments {
			a += float64(hermite * m[p])
			b += float64(hermite * n[p])
			previous, hermite = hermite, float64(v*hermite)-float64(float64(p)*previous)
		}
		height := gauss(v)
		one += float64(height * a)
		two += float64(height * b)
	}
	return one, two
}

// below returns Σ w·Φ((x−x_i)/h).
func (g *gaussSum) below(x float64) float64 {
	lo, hi := g.near(x)
	total := g.before[lo]
	for i := lo; i < hi; i++ {
		v, m := (x-g.center[i])/g.h, &g.moment[i]
		previous, hermite, sum := 0.0, 1.0, 0.0
		for p := 1; p < moments; p++ { // ∫ φ·He_p = −φ·He_{p−1}
			sum += float64(hermite * m[p])
			previous, hermite = hermite, float64(v*hermite)-float64(float64(p-1)*previous)
		}
		total += float64(m[0]*calc.Erfc(-v/math.Sqrt2)/2) - float64(gauss(v)*sum)
	}
	return total
}

// gauss is the standard normal density φ.
func gauss(v float64) float64 { return calc.Exp(-v*v/2) / math.Sqrt(2*math.Pi) }
