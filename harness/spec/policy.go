package spec

import (
	"fmt"
	"slices"

	"infnet/harness/choice"
	"infnet/harness/confidence"
	"infnet/harness/policy"
	"infnet/harness/population"
	"infnet/harness/spec/place"
	"infnet/sufficiency"
)

// checkPolicy checks what is fitted. target is the command line's budget, ""
// for none.
func checkPolicy(f *file, p Policy, target string) Policy {
	for i, c := range p.Compare {
		if c == Comparand(policy.Linear) && p.Setting != policy.Oracle {
			f.wrong(place.Element("policy.compare", i), "the linear method needs the oracle setting",
				"leave it out: it finds the same thresholds as exact")
		}
	}
	checkTarget(f, target, &p)
	if p.Guarantee != nil {
		if err := p.Guarantee.Check(policy.Options{Setting: p.Setting, Target: p.Target}); err != nil {
			f.wrong("policy.guarantee", err.Error(), "")
		}
		if p.Calibration != confidence.NoCalibration {
			f.wrong("policy.guarantee", fmt.Sprintf("calibration %s learns from the records that test the promise",
				p.Calibration), "leave calibration out, or the guarantee")
		}
	}
	const abstain = "policy.abstain_cost" // one that never pays is refused
	switch {
	case p.AbstainCost == 0:
	case p.ErrorCost == 0:
		f.wrong(abstain, "abstain_cost without error_cost: a missing answer is weighed against a wrong one",
			"add error_cost, in the same unit")
	case p.AbstainCost >= p.ErrorCost:
		f.wrong(abstain, fmt.Sprintf("an abstention costs %v and an error %v: to abstain never pays", p.AbstainCost,
			p.ErrorCost), "make abstain_cost less than error_cost, or leave it out")
	}
	if p.Method == Solver(policy.Linear) && p.Setting != policy.Oracle {
		f.wrong("policy.method", "the linear method needs the oracle setting: against a reference the error is not "+
			"monotone in the threshold",
			"use method = \"exact\", which gives the same thresholds where both apply")
	}
	return p
}

// checkTarget puts the command line's budget in place of the spec's, and
// refuses a budget that has no meaning in the setting.
func checkTarget(f *file, target string, p *Policy) {
	const key = "policy.target"
	complain := func(message, hint string) { f.wrong(key, message, hint) }
	if target != "" {
		complain = func(message, hint string) { f.fault("--target: "+message, hint) }
		t, err := parseTarget(target)
		if err != nil {
			complain(err.Error(), "")
			return
		}
		p.Target = t
	} else if f.bad[key] {
		return // written, and wrong
	}
	if _, number := p.Target.Numeric(); p.Setting == policy.Oracle && !number {
		complain(fmt.Sprintf("target %s in the oracle setting: the master never errs there, so its error count is no budget",
			p.Target),
			"give a number, the agreement with the master: 0.95")
	}
}

// checkReport checks the settings of tables. published lists the labels of the published tables.
func checkReport(f *file, r Report, published []string) Report {
	if r.Published != "" && !slices.Contains(published, r.Published) {
		hint := "there are none"
		if len(published) > 0 {
			hint = place.Suggest(r.Published, published) + " (experiments/paper has a study for each)"
		}
		f.wrong("report.published", fmt.Sprintf("no published table %q", r.Published), hint)
	}
	return r
}

// Asks reports whether J of this kind is among those tested. It is safe on nil,
// which tests nothing.
func (s *Sufficiency) Asks(e Extra) bool { return s != nil && slices.Contains(s.Extra, e) }

// Extra is a kind of extra information J.
type Extra string

// The kinds.
const (
	OutputStats Extra = "output-stats" // statistics of the student's label probabilities or token log-probabilities
	Embeddings  Extra = "embeddings"   // of the input's text
)

func checkSufficiency(f *file, s *Sufficiency) *Sufficiency {
	if s == nil {
		return nil
	}
	if s.Extra == nil && !f.text.Has("sufficiency.extra") {
		s.Extra = []Extra{OutputStats}
	}
	if least := sufficiency.Needed(s.Permutations, sufficiency.Alpha); s.Method == sufficiency.Plain && least > 0 {
		f.warn("sufficiency", fmt.Sprintf("%d permutations give p-values of %.4f or more: no p-value can reach %v",
			s.Permutations, 1/float64(s.Permutations+1), sufficiency.Alpha), "permutations = 199 is the default")
	}
	return s
}

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
