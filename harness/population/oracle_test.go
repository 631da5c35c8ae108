package population

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/curve"
	"infnet/harness/policy"
)

// What tests compare the solver with, and how they call it on populations that
// no records were drawn from.

// FitSingle fits one threshold.
func FitSingle(r policy.Records, o Options) (Solution, error) { return Fit(r, o) }

// FitMulti fits a threshold per class.
func FitMulti(r policy.Records, o Options) (Solution, error) {
	o.PerClass = true
	return Fit(r, o)
}

// Single solves a population for one threshold, its classes pooled.
func (p Population) Single(b float64) (Solution, error) {
	if err := p.checkBudget(b); err != nil {
		return Solution{}, err
	}
	return p.pool().prepare().solve(b, false, true), nil
}

// Multi solves a population for one threshold per class.
func (p Population) Multi(b float64) (Solution, error) {
	if err := p.checkBudget(b); err != nil {
		return Solution{}, err
	}
	return p.prepare().solve(b, false, false), nil
}

func (p Population) checkBudget(b float64) error {
	if !(b >= 0 && b <= 1) {
		return fmt.Errorf("budget %v: want an error per query in [0,1]", b)
	}
	return p.check()
}

func (p Population) check() error {
	if len(p) == 0 {
		return fmt.Errorf("a population of no classes")
	}
	total := 0.0
	for k, c := range p {
		if !(c.P >= 0 && c.P <= 1+1e-9) || !(c.Master >= 0 && c.Master <= 1) {
			return fmt.Errorf("class %d: mass %v, master error %v: want numbers in [0,1]", k, c.P, c.Master)
		}
		if c.P > 0 && (c.Beta == nil || c.Excess == nil) {
			return fmt.Errorf("class %d has mass %v but no density or no error curve", k, c.P)
		}
		total += c.P
	}
	if math.Abs(total-1) > 1e-9 {
		return fmt.Errorf("the masses of the classes sum to %v: want 1", total)
	}
	return nil
}

// The closed forms of the paper's analytic examples (app:st-o-proofs,
// app:mt-o-proof): β uniform on [0,1] and linear error curves. All are clipped
// to 0 where accepting everything is within the budget.

// UniformPopulation is the population of the closed forms: masses p, β ~
// U(0,1), ε_s,k = 1−δ_kβ, a master that errs with probability m.
func UniformPopulation(p, delta []float64, m float64) (Population, error) {
	if len(p) != len(delta) {
		return Population{}, fmt.Errorf("%d masses, %d slopes: want as many", len(p), len(delta))
	}
	var out Population
	for k := range p {
		out = append(out, Class{P: p[k], Beta: curve.Beta{A: 1, B: 1}, Excess: Line{1 - m, delta[k]}, Master: m})
	}
	return out, out.check()
}

// lambda is the multiplier λ* in units of c_m.
func lambda(s Solution) float64 {
	if !s.Binding {
		return 0
	}
	return 1 / s.Level
}

// mixture is the population with its classes forgotten.
type mixture struct{ classes []Class }

// pool makes one class of all.
func (p Population) pool() Population {
	if len(p) == 1 {
		return p
	}
	m := mixture{}
	one := Class{P: 1}
	for _, c := range p {
		if c.P == 0 {
			continue
		}
		m.classes = append(m.classes, c)
		one.Master += float64(c.P * c.Master)
		one.Nodes = append(one.Nodes, c.Nodes...)
	}
	one.Beta, one.Excess = m, m
	return Population{one}
}

// PDF returns Σ p_k f_k(x).
func (m mixture) PDF(x float64) float64 {
	sum := 0.0
	for _, c := range m.classes {
		sum += float64(c.P * c.Beta.PDF(x))
	}
	return sum
}

// CDF returns Σ p_k F_k(x).
func (m mixture) CDF(x float64) float64 {
	if x >= 1 {
		return 1
	}
	sum := 0.0
	for _, c := range m.classes {
		sum += float64(c.P * c.Beta.CDF(x))
	}
	return sum
}

// At returns Σ p_k f_k(x) Δ_k(x) / Σ p_k f_k(x), with p_k alone as weights where
// the densities are 0 or infinite.
func (m mixture) At(x float64) float64 {
	top, bottom, plain := 0.0, 0.0, 0.0
	for _, c := range m.classes {
		w, d := c.P*c.Beta.PDF(x), c.Excess.At(x)
		top += float64(w * d)
		bottom += w
		plain += float64(c.P * d)
	}
	if bottom > 0 && bottom < 1e300 {
		return top / bottom
	}
	return plain
}

// Breaks returns the breaks of all classes.
func (m mixture) Breaks() []float64 {
	var out []float64
	for _, c := range m.classes {
		for _, part := range []any{c.Beta, c.Excess} {
			if b, ok := part.(curve.Broken); ok {
				out = append(out, b.Breaks()...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var (
	_ curve.Density = mixture{}
	_ curve.Curve   = mixture{}
	_ curve.Broken  = mixture{}
)
