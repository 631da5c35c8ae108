package population

import (
	"math"
	"slices"

	"infnet/harness/curve"
)

// tail is a class prepared for solving: its grid, and F and G on it, where
//
//	F(θ) = Pr(β < θ),   G(θ) = ∫_θ^1 Δ f.
//
// Between nodes Δ and f are smooth. Every solver works on the grid first and
// then refines inside one cell, so features of Δ narrower than a cell (1/128,
// or the gaps of the class's own breaks) can be missed.
type tail struct {
	c     Class
	x     []float64 // nodes, 0 … 1
	at    []float64 // Δ at the nodes
	after []float64 // Δ just after node i, for all but the last
	upto  []float64 // Δ just before node i+1
	f, g  []float64 // F and G at the nodes
	rise  float64   // the most by which Δ climbs from an earlier value; 0 = non-increasing
	riseX float64   // where it is highest after such a climb
	top   float64   // largest Δ on the grid
}

const (
	gridCells  = 128
	quadrature = 1e-12 // absolute tolerance of an integral over one cell
	noClimb    = 1e-12 // climbs of Δ up to this are rounding
)

func newTail(c Class) *tail {
	t := &tail{c: c, top: math.Inf(-1)}
	for i := range gridCells + 1 {
		t.x = append(t.x, float64(i)/gridCells)
	}
	if b, ok := c.Beta.(curve.Broken); ok {
		t.x = append(t.x, b.Breaks()...)
	}
	t.x = append(t.x, c.Nodes...)
	slices.Sort(t.x)
	t.x = slices.Compact(t.x)
	n := len(t.x)
	t.at, t.after, t.upto = make([]float64, n), make([]float64, n-1), make([]float64, n-1)
	t.f, t.g = make([]float64, n), make([]float64, n)
	least := math.Inf(1)
	look := func(x, d float64) float64 {
		t.top = max(t.top, d)
		if d-least > max(t.rise, noClimb) {
			t.rise, t.riseX = d-least, x
		}
		least = min(least, d)
		return d
	}
	for i, x := range t.x {
		t.f[i] = c.Beta.CDF(x)
		t.at[i] = look(x, c.Excess(x))
		if i+1 < n {
			t.after[i] = look(x, c.Excess(math.Nextafter(x, 2)))
			t.upto[i] = look(t.x[i+1], c.Excess(math.Nextafter(t.x[i+1], -1)))
		}
	}
	for i := n - 2; i >= 0; i-- {
		t.g[i] = t.g[i+1] + t.piece(t.x[i], t.x[i+1], t.f[i+1]-t.f[i])
	}
	return t
}

func (t *tail) monotone() bool { return t.rise == 0 }

// piece returns ∫_a^b Δ f within one cell of known mass. Only the deviation of
// Δ from its value in the middle is integrated numerically: where f is steep or
// infinite the mass, which is exact, carries the integral.
func (t *tail) piece(a, b, mass float64) float64 {
	if !(mass > 0) {
		return 0
	}
	middle := t.c.Excess(a + float64((b-a)/2))
	return float64(middle*mass) + curve.Integrate(func(x float64) float64 {
		return (t.c.Excess(x) - middle) * t.c.Beta.PDF(x)
	}, a, b, quadrature)
}

// deferred returns F(θ).
func (t *tail) deferred(theta float64) float64 {
	if theta >= 1 {
		return 1
	}
	return t.c.Beta.CDF(theta)
}

// excess returns G(θ).
func (t *tail) excess(theta float64) float64 {
	i, hit := slices.BinarySearch(t.x, theta)
	switch {
	case i == len(t.x):
		return 0
	case hit:
		return t.g[i]
	}
	return t.g[i] + t.piece(theta, t.x[i], t.f[i]-t.deferred(theta))
}

// threshold returns θ(t): the acceptance of every β ≥ θ minimises
//
//	t·F(θ) + G(θ),
//
// globally, and θ is the smallest that does. Where Δ is non-increasing that is
// inf{β: Δ(β) ≤ t}; the next float above where the infimum is not attained;
// +Inf for the infimum of nothing.
func (t *tail) threshold(level float64) float64 {
	best := level // the value of deferring everything
	for i := range t.x {
		best = min(best, float64(level*t.f[i])+t.g[i])
	}
	found, value := math.Inf(1), level
	for i := range t.x {
		low := float64(level*t.f[i]) + t.g[i]
		if i+1 < len(t.x) { // the most a minimum inside the cell can be below its left end
			low -= float64(max(t.after[i]-level, 0) * (t.f[i+1] - t.f[i]))
		}
		if low > best+valueSlack && !t.monotone() {
			continue
		}
		theta, ok := t.crossing(i, level)
		if !ok {
			continue
		}
		if t.monotone() {
			return theta
		}
		v := float64(level*t.deferred(theta)) + t.excess(theta)
		if v < value-valueSlack || math.IsInf(found, 1) && v <= value {
			found, value = theta, v
		}
	}
	return found
}

// valueSlack is how much two minima may differ by rounding.
const valueSlack = 1e-14

// crossing returns where Δ falls to the level at node i, just after it, or
// before the next.
func (t *tail) crossing(i int, level float64) (float64, bool) {
	last := i+1 == len(t.x)
	switch {
	case t.at[i] <= level && (i == 0 || t.upto[i-1] > level):
		return t.x[i], true
	case last:
		return 0, false
	case t.at[i] > level && t.after[i] <= level:
		return math.Nextafter(t.x[i], 2), true
	case t.after[i] <= level || t.upto[i] > level:
		return 0, false
	}
	a, b := math.Nextafter(t.x[i], 2), math.Nextafter(t.x[i+1], -1)
	return lastOf(func(x float64) float64 { return t.c.Excess(x) - level }, a, b), true
}

// lastOf returns the end on which f ≤ 0 of the last bracket of a root of f in
// [a,b], for f(a) > 0 ≥ f(b).
func lastOf(f func(float64) float64, a, b float64) float64 {
	// An f of exactly 0 counts as negative, so that the search goes on to the
	// edge of a flat piece.
	below := func(x float64) float64 {
		if v := f(x); v != 0 {
			return v
		}
		return -0x1p-1000
	}
	x, other, err := curve.Bracket(below, a, b, 0)
	if err != nil {
		return b // f(b) ≤ 0 is known; only a NaN inside leads here
	}
	if f(x) <= 0 {
		return x
	}
	return other
}

// leftmost returns the smallest θ in [lo,hi] with G(θ) ≤ room; ok is false if
// there is none. G is monotone between sign changes of Δ, so the nodes and the
// sign changes inside cells bracket it.
func (t *tail) leftmost(lo, hi, room float64) (theta float64, ok bool) {
	if t.excess(lo) <= room {
		return lo, true
	}
	from := lo
	for _, to := range t.turns(lo, min(hi, 1)) {
		if to <= from {
			continue
		}
		if t.excess(to) <= room {
			return lastOf(func(x float64) float64 { return t.excess(x) - room }, from, to), true
		}
		from = to
	}
	if math.IsInf(hi, 1) && 0 <= room {
		return hi, true
	}
	return 0, false
}

// turns returns the nodes and the sign changes of Δ in (lo,hi], and hi.
func (t *tail) turns(lo, hi float64) []float64 {
	var out []float64
	for i, x := range t.x {
		if x > lo && x < hi {
			out = append(out, x)
		}
		if i+1 < len(t.x) && t.x[i+1] > lo && x < hi && t.after[i]*t.upto[i] < 0 {
			a, b := math.Nextafter(x, 2), math.Nextafter(t.x[i+1], -1)
			if z, _, err := curve.Bracket(t.c.Excess, a, b, 0); err == nil && z > lo && z < hi {
				out = append(out, z)
			}
		}
	}
	return append(out, hi)
}
