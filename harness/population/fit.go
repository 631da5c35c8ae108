package population

import (
	"math/big"

	"infnet/harness/policy"
)

// FitSingle estimates the population of the records, classes ignored, and
// solves it for one threshold. The budget of a named target is that model's
// error in the estimated population: the master's is its mean on the records,
// the student's that of accepting everything, so that target student accepts
// everything, and best asks for the same as master, as they do in package
// policy. Min means the least error of thresholds in the estimated population.
func FitSingle(r policy.Records, o Options) (Solution, error) {
	r.Classes, r.Class = 0, nil
	return fit(r, o, true)
}

// FitMulti estimates the population of the records class by class and solves it
// for one threshold per class.
func FitMulti(r policy.Records, o Options) (Solution, error) { return fit(r, o, false) }

func fit(r policy.Records, o Options, single bool) (Solution, error) {
	o = o.withDefaults()
	e, err := New(r, o)
	if err != nil {
		return Solution{}, err
	}
	return e.solve(o, single), nil
}

// solve solves an estimate for the options' target.
func (e Estimate) solve(o Options, single bool) Solution {
	s := e.Population.prepare()
	b, least := s.budget(o.Target)
	sol := s.solve(b, least, single)
	if o.Method == UniformLine {
		e.closed(o, &sol)
	}
	sol.Fit = e.Fit
	sol.Warnings = append(append([]policy.Warning(nil), e.Warnings...), sol.Warnings...)
	if single {
		for i := range sol.Fit {
			sol.Fit[i].Class = -1
		}
	}
	return sol
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
