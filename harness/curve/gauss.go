package curve

import (
	"math"
	"slices"
)

// A sum of Gaussians is evaluated from the moments of cells an eighth of a
// bandwidth wide: with twelve moments and points beyond 8.5 bandwidths left
// out (φ < 10⁻¹⁶ there) a value is right to about 12 digits, at a cost that
// does not grow with the number of points.
const (
	cellsPerBandwidth = 8
	moments           = 12
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
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return 0
	})
	width, last := h/cellsPerBandwidth, math.Inf(-1)
	for _, i := range order {
		cell := math.Floor(x[i] / width)
		if cell != last {
			last = cell
			g.center = append(g.center, (cell+0.5)*width)
			g.moment = append(g.moment, [moments]float64{})
		}
		term, d := 1.0, (x[i]-g.center[len(g.center)-1])/h
		if w != nil {
			term = w[i]
		}
		m := &g.moment[len(g.moment)-1]
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
	lo, _ = slices.BinarySearch(g.center, x-reach*g.h)
	hi, _ = slices.BinarySearch(g.center, x+reach*g.h)
	return lo, hi
}

// at returns Σ w·φ((x−x_i)/h).
func (g *gaussSum) at(x float64) float64 {
	lo, hi := g.near(x)
	total := 0.0
	for i := lo; i < hi; i++ {
		v, m := (x-g.center[i])/g.h, &g.moment[i]
		previous, hermite, sum := 0.0, 1.0, 0.0 // He_−1, He_0
		for p := range moments {
			sum += float64(hermite * m[p])
			previous, hermite = hermite, float64(v*hermite)-float64(float64(p)*previous)
		}
		total += float64(gauss(v) * sum)
	}
	return total
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
		total += float64(m[0]*math.Erfc(-v/math.Sqrt2)/2) - float64(gauss(v)*sum)
	}
	return total
}

// gauss is the standard normal density φ.
func gauss(v float64) float64 { return math.Exp(-v*v/2) / math.Sqrt(2*math.Pi) }
