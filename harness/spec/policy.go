package spec

import (
	"fmt"

	"infnet/harness/confidence"
	"infnet/harness/policy"
	"infnet/harness/policy/guarantee"
	"infnet/harness/spec/place"
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
	checkGuarantee(f, p)
	checkAbstention(f, p)
	if p.Method == Solver(policy.Linear) && p.Setting != policy.Oracle {
		f.wrong("policy.method", "the linear method needs the oracle setting: against a reference the error is not "+
			"monotone in the threshold",
			"use method = \"exact\", which gives the same thresholds where both apply")
	}
	return p
}

// checkGuarantee checks what is promised.
func checkGuarantee(f *file, p Policy) {
	if p.Guarantee == nil {
		return
	}
	if err := p.Guarantee.Check(policy.Options{Setting: p.Setting, Target: p.Target}); err != nil {
		f.wrong("policy.guarantee", err.Error(), "")
	}
	if p.Calibration != confidence.NoCalibration {
		f.wrong("policy.guarantee", fmt.Sprintf("calibration %s learns from the records that test the promise",
			p.Calibration), "leave calibration out, or the guarantee")
	}
}

// checkAbstention refuses an abstention that never pays, and one whose promise has no meaning.
func checkAbstention(f *file, p Policy) {
	const key = "policy.abstain_cost"
	_, number := p.Target.Numeric()
	switch {
	case p.AbstainCost == 0:
	case p.ErrorCost == 0:
		f.wrong(key, "abstain_cost without error_cost: a missing answer is weighed against a wrong one",
			"add error_cost, in the same unit")
	case p.AbstainCost >= p.ErrorCost:
		f.wrong(key, fmt.Sprintf("an abstention costs %v and an error %v: to abstain never pays", p.AbstainCost, p.ErrorCost),
			"make abstain_cost less than error_cost, or leave it out")
	case p.Guarantee != nil && (!number || p.Guarantee.Method == guarantee.ConformalRisk):
		f.wrong(key, "with a guarantee, what is promised of policies that abstain is their error among the answered "+
			"queries: by ltt, and a number", `set target to a number, such as 0.9 (and method = "ltt"), or leave abstain_cost out`)
	}
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
