package policy

import (
	"fmt"
	"math"
)

// Misses says how far a method stays above the optimum over many budgets.
// Excess is in units of the objective, above the fewest any thresholds need.
type Misses struct {
	Budgets int `json:"budgets"` // looked at
	Missed  int `json:"missed"`  // where the method's policy is not optimal
	// of these, where it found no policy within the budget though there is one; it then takes the least error
	Unmet       int     `json:"unmet"`
	MeanExcess  float64 `json:"mean_excess"`  // over the budgets looked at
	WorstExcess int64   `json:"worst_excess"` // at one budget
	MeanOptimum float64 `json:"mean_optimum"` // the optimum itself, over the budgets looked at
}

// Rate returns the share of budgets where the method misses.
func (m Misses) Rate() float64 { return float64(m.Missed) / float64(m.Budgets) }

// Comparison is what three approximations lose against the exact frontier.
type Comparison struct {
	Vertices   Misses `json:"vertices"`   // the best policy on the hull's path within the budget
	Lagrangian Misses `json:"lagrangian"` // method Lagrangian: the same, and later edges that still fit
	Grid       Misses `json:"grid"`       // method LagrangianGrid: the paper's sweep over multipliers
}

// Compare fits every budget from the least error to that of accepting all, or
// limit of them evenly spaced where there are more, with the methods that
// promise no optimum. It
// needs a whole frontier of errors of 0 and 1. O(limit·edges).
func (f *Frontier) Compare(limit int) (Comparison, error) {
	if !f.whole || f.c.scale != 1 {
		return Comparison{}, fmt.Errorf("comparing methods needs every point of a frontier of errors that are 0 or 1")
	}
	if limit < 2 {
		return Comparison{}, fmt.Errorf("comparing methods on %d budgets: want 2 or more", limit)
	}
	tried := gridOutcomes(f.ms)
	low, high := f.points[0].e, f.points[len(f.points)-1].e
	count := int(min(high-low+1, int64(limit)))
	var c Comparison
	for i := range count {
		budget := low
		if count > 1 {
			budget += (high - low) * int64(i) / int64(count-1)
		}
		best := f.points[f.index(budget)].d
		c.Vertices.see(f.hull.d[f.hull.within(budget)], best, false)
		c.Lagrangian.see(f.hull.relax(budget).d, best, false)
		swept := int64(math.MaxInt64)
		for _, g := range tried {
			if g.e <= budget {
				swept = min(swept, g.d)
			}
		}
		unmet := swept == math.MaxInt64
		if unmet {
			swept = f.points[0].d
		}
		c.Grid.see(swept, best, unmet)
	}
	for _, m := range []*Misses{&c.Vertices, &c.Lagrangian, &c.Grid} {
		m.MeanExcess /= float64(m.Budgets)
		m.MeanOptimum /= float64(m.Budgets)
	}
	return c, nil
}

func (m *Misses) see(found, best int64, unmet bool) {
	m.Budgets++
	m.MeanOptimum += float64(best)
	if unmet {
		m.Unmet++
	}
	if found > best {
		m.Missed++
		m.MeanExcess += float64(found - best)
		m.WorstExcess = max(m.WorstExcess, found-best)
	}
}

// gridOutcomes returns what each multiplier's policy comes to.
func gridOutcomes(ms []menu) []coordinates {
	lambdas := grid()
	out := make([]coordinates, len(lambdas))
	for i, lambda := range lambdas {
		for _, m := range ms {
			o := m[m.cheapestAt(lambda)]
			out[i].e += o.e
			out[i].d += o.d
		}
	}
	return out
}
