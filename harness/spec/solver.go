package spec

import (
	"infnet/harness/choice"
	"infnet/harness/policy"
	"infnet/harness/population"
)

// Solver is a way to find thresholds: counted on the records (package policy)
// or solved for a population estimated from them (package population).
type Solver string

// Solvers lists the valid solvers, the counting ones first.
func Solvers() []Solver {
	var out []Solver
	for _, m := range policy.Methods() {
		out = append(out, Solver(m))
	}
	for _, m := range population.Methods() {
		out = append(out, Solver(m))
	}
	return out
}

// UnmarshalText accepts a solver's name.
func (s *Solver) UnmarshalText(b []byte) error { return choice.Decode(s, b, "method", Solvers()) }

// Counted returns the solver as a method of package policy; ok is false where
// it is one of package population.
func (s Solver) Counted() (m policy.Method, ok bool) {
	return policy.Method(s), m.UnmarshalText([]byte(s)) == nil
}

// Comparand is a policy that tables may print next to ours: one of another
// solver, or of another form.
type Comparand string

// The comparands that are no solver.
const (
	// a coin between two neighbouring policies of the hull, which meets the budget exactly
	Randomised  Comparand = "randomised"
	Generalised Comparand = "generalised" // accepts where the estimated excess error is small enough: no threshold form
)

// Comparands lists the valid comparands.
func Comparands() []Comparand {
	out := []Comparand{Randomised, Generalised}
	for _, s := range Solvers() {
		out = append(out, Comparand(s))
	}
	return out
}

// UnmarshalText accepts a comparand's name.
func (c *Comparand) UnmarshalText(b []byte) error {
	return choice.Decode(c, b, "policy to compare with", Comparands())
}
