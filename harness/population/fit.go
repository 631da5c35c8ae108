package population

import (
	"math/big"
	"slices"

	"infnet/harness/policy"
)

// Fit estimates the population of the records, class by class or classes ignored, and
// solves it for one threshold per class or for one. The budget of a named target is that model's
// error in the estimated population: the master's is its mean on the records,
// the student's that of accepting everything, so that target student accepts
// everything, and best asks for the same as master, as they do in package
// policy. Min means the least error of thresholds in the estimated population.
func Fit(r policy.Records, o Options) (Solution, error) {
	if !o.PerClass {
		r.Classes, r.Class = 0, nil
	}
	o = o.withDefaults()
	e, err := New(r, o)
	if err != nil {
		return Solution{}, err
	}
	s := e.Population.prepare()
	b, least := s.budget(o.Target)
	sol := s.solve(b, least, !o.PerClass)
	if o.Method == UniformLine {
		e.closed(o, &sol)
	}
	sol.Fit, sol.Warnings = e.Fit, append(slices.Clone(e.Warnings), sol.Warnings...)
	for i := range sol.Fit {
		if !o.PerClass {
			sol.Fit[i].Class = -1
		}
	}
	return sol, nil
}

// budget converts a target to an error per query; least asks for the least
// achievable one.
func (s *solver) budget(t policy.Target) (b float64, least bool) {
	if xi, ok := t.Numeric(); ok {
		b, _ := new(big.Rat).Sub(big.NewRat(1, 1), xi).Float64()
		return b, false
	}
	if t.Equal(policy.Min) {
		return 0, true
	}
	open, _, _ := s.acceptAll(0)
	student := max(s.error(open), 0) // a smooth curve may promise less than nothing
	switch {
	case t.Equal(policy.Master):
		return s.base, false
	case t.Equal(policy.Student):
		return student, false
	}
	return min(s.base, student), false
}
