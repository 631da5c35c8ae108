package policy

// Mixture is a randomised policy: each query follows Strict with probability
// Alpha, else Lax, two neighbouring policies on the convex hull of the
// frontier. It meets the budget exactly in expectation, and no policy does
// better in expectation, randomised or not, that mixes thresholds of this form
// (the paper's risk–cost region and its convexity lemma). On one set of
// records the errors vary around the budget: they may exceed it.
type Mixture struct {
	Strict Thresholds // fewer errors, more deferrals
	Lax    Thresholds
	Alpha  float64 // probability of Strict ∈ [0,1]; α·E_strict + (1−α)·E_lax = b

	Budget   Budget
	Feasible bool // else both are the thresholds of least error
	// expected errors on the records fitted to; = the budget, or less if accepting all is within it
	Error    float64
	Value    float64 // expected objective
	Deferred float64 // expected deferred records
	// Best is the optimal deterministic policy within the same budget; what the
	// coin saves is its Certificate.Value − Value.
	Best Policy
}

// Mix returns the mixture that meets a target. O(log F + U).
func (f *Frontier) Mix(t Target) (Mixture, error) {
	best, err := f.At(t)
	if err != nil {
		return Mixture{}, err
	}
	m := Mixture{Budget: best.Budget, Feasible: best.Feasible, Best: best, Alpha: 1}
	i := 0
	if m.Feasible {
		i = f.hull.within(best.Budget.Errors.Units)
	}
	strict := f.HullPoint(i)
	lax := strict
	if m.Feasible && i+1 < f.HullLen() {
		lax = f.HullPoint(i + 1)
		m.Alpha = float64(lax.Error.Units-best.Budget.Errors.Units) / float64(lax.Error.Units-strict.Error.Units)
	}
	mean := func(a, b float64) float64 { return float64(m.Alpha*a) + float64((1-m.Alpha)*b) }
	m.Strict, m.Lax = strict.Thresholds, lax.Thresholds
	m.Error = mean(strict.Error.Float(), lax.Error.Float())
	m.Value = mean(float64(strict.Value), float64(lax.Value))
	m.Deferred = mean(float64(strict.Deferred), float64(lax.Deferred))
	return m, nil
}

// Expected returns the chance of deferral of each record: 0, 1, α or 1−α. With
// them a table shows the mixture's expectation instead of one draw.
func (m Mixture) Expected(r Records) []float64 {
	out := make([]float64, r.Len())
	for i, beta := range r.Beta {
		class := r.ClassOf(i)
		if !m.Strict.Accept(class, beta) {
			out[i] += m.Alpha
		}
		if !m.Lax.Accept(class, beta) {
			out[i] += 1 - m.Alpha
		}
		if out[i] > 1 {
			out[i] = 1 // α + (1−α) may round up
		}
	}
	return out
}
