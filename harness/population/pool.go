package population

import (
	"slices"

	"infnet/harness/curve"
)

// mixture is the population with its classes forgotten.
type mixture struct{ classes []Class }

// pool makes one class of all.
func (p Population) pool() Population {
	if len(p.Classes) == 1 {
		return p
	}
	m := mixture{}
	one := Class{P: 1}
	for _, c := range p.Classes {
		if c.P == 0 {
			continue
		}
		m.classes = append(m.classes, c)
		one.Master += float64(c.P * c.Master)
		one.Nodes = append(one.Nodes, c.Nodes...)
	}
	one.Beta, one.Excess = m, m
	p.Classes = []Class{one}
	return p
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
