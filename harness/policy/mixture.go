package policy

import "fmt"

// Mixture is a randomised policy: each query follows Strict with probability
// Alpha, else Lax, two neighbouring policies on the convex hull of the
// frontier. It meets the budget exactly in expectation, and no policy does
// better in expectation, randomised or not, that mixes thresholds of this form
// (the paper's risk–cost region and its convexity lemma). On one set of
// records the errors vary around the budget: they may exceed it.
type Mixture struct {
	Strict Thresholds `json:"strict"` // fewer errors, more deferrals
	Lax    Thresholds `json:"lax"`
	Alpha  float64    `json:"alpha"` // probability of Strict ∈ [0,1]; α·E_strict + (1−α)·E_lax = b

	Budget   Budget `json:"budget"`
	Feasible bool   `json:"feasible"` // else both are the thresholds of least error
	// expected errors on the records fitted to; = the budget, or less if accepting all is within it
	Error    float64 `json:"error"`
	Value    float64 `json:"value"`    // expected objective
	Deferred float64 `json:"deferred"` // expected deferred records
	// Best is the optimal deterministic policy within the same budget; what the
	// coin saves is its Certificate.Value − Value.
	Best Policy `json:"best"`
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

// Accept reports whether the student's answer is accepted. coin ∈ [0,1) must be a
// function of the query, so that the same query is always decided the same way.
func (m Mixture) Accept(class int, beta, coin float64) bool {
	if coin < m.Alpha {
		return m.Strict.Accept(class, beta)
	}
	return m.Lax.Accept(class, beta)
}

// Decide applies the mixture to records. ids name them in order, and coin
// gives a record's uniform number in [0,1) from its name alone, such as
//
//	func(id string) float64 { return seed.Uniform(study, "mixture", id) }
func (m Mixture) Decide(r Records, ids []string, coin func(id string) float64) (Decisions, error) {
	if len(ids) != r.Len() {
		return nil, fmt.Errorf("%d ids for %d records: every coin needs the name of its record", len(ids), r.Len())
	}
	d := make(Decisions, r.Len())
	for i, beta := range r.Beta {
		class := 0
		if r.Class != nil {
			class = r.Class[i]
		}
		u := coin(ids[i])
		if !(u >= 0 && u < 1) {
			return nil, fmt.Errorf("record %q: its coin is %v: want a number in [0,1)", ids[i], u)
		}
		d[i] = !m.Accept(class, beta, u)
	}
	return d, nil
}

// Expected returns the chance of deferral of each record: 0, 1, α or 1−α. With
// them a table shows the mixture's expectation instead of one draw.
func (m Mixture) Expected(r Records) []float64 {
	out := make([]float64, r.Len())
	for i, beta := range r.Beta {
		class := 0
		if r.Class != nil {
			class = r.Class[i]
		}
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
