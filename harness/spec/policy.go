package spec

import (
	"fmt"
	"slices"

	"infnet/harness/confidence"
	"infnet/harness/policy"
	"infnet/harness/policy/guarantee"
	"infnet/harness/spec/place"
)

// checkPolicy checks what is fitted. target is the command line's budget, ""
// for none.
func checkPolicy(f *file, r rawPolicy, target string) Policy {
	p := Policy{
		Setting:     or(r.Setting, defaultSetting),
		Target:      or(r.Target, policy.Best),
		Calibration: or(r.Calibration, defaultCalibration),
		Method:      or(r.Method, defaultMethod),
		Objective:   or(r.Objective, defaultObjective),
		Multi:       or(r.Multi, true),
	}
	p.Compare, p.Ensembles = r.Compare, r.Ensembles
	for i, c := range p.Compare {
		if slices.Contains(p.Compare[:i], c) {
			f.wrong(place.Element("policy.compare", i), fmt.Sprintf("%s is listed twice", c), "leave one out")
		}
		if c == Comparand(policy.Linear) && p.Setting != policy.Oracle {
			f.wrong(place.Element("policy.compare", i), "the linear method needs the oracle setting",
				"leave it out: it finds the same thresholds as exact")
		}
	}
	for i, rule := range r.Ensembles {
		if slices.Contains(r.Ensembles[:i], rule) {
			f.wrong(place.Element("policy.ensembles", i), fmt.Sprintf("the rule %q twice", rule), "name it once")
		}
	}
	checkTarget(f, r, target, &p)
	if r.Guarantee != nil {
		p.Guarantee = checkGuarantee(f, r.Guarantee, p)
	}
	if p.Method == Solver(policy.Linear) && p.Setting != policy.Oracle {
		f.wrong("policy.method", "the linear method needs the oracle setting: against a reference the error is not "+
			"monotone in the threshold",
			"use method = \"exact\", which gives the same thresholds where both apply")
	}
	return p
}

// checkGuarantee checks what is promised; nil after a problem.
func checkGuarantee(f *file, r *rawGuarantee, p Policy) *guarantee.Terms {
	g := &guarantee.Terms{Method: or(r.Method, guarantee.LearnThenTest), Delta: or(r.Delta, 0), Margin: or(r.Margin, 0),
		PValue: or(r.PValue, ""), MaxCluster: int(or(r.MaxCluster, 0))}
	if r.MaxCluster != nil && (*r.MaxCluster < 1 || *r.MaxCluster > 1e6) {
		f.wrong("policy.guarantee.max_cluster", fmt.Sprintf("%d records of a group is not from 1 to 1000000", *r.MaxCluster),
			"give the most records that a group can have by its nature")
		return nil
	}
	if r.Delta != nil && !(*r.Delta > 0 && *r.Delta < 1) {
		f.wrong("policy.guarantee.delta", fmt.Sprintf("the probability %v is not above 0 and below 1", *r.Delta),
			"0.05 breaks one promise in twenty")
		return nil
	}
	if err := g.Check(policy.Options{Setting: p.Setting, Target: p.Target}); err != nil {
		f.wrong("policy.guarantee", err.Error(), "")
	}
	if p.Calibration != confidence.NoCalibration {
		f.wrong("policy.guarantee", fmt.Sprintf("calibration %s learns from the records that test the promise",
			p.Calibration), "leave calibration out, or the guarantee")
	}
	return g
}

// checkTarget puts the command line's budget in place of the spec's, and
// refuses a budget that has no meaning in the setting.
func checkTarget(f *file, r rawPolicy, target string, p *Policy) {
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
	} else if r.Target == nil && f.text.Has(key) {
		return // written, and wrong
	}
	if _, number := p.Target.Numeric(); p.Setting == policy.Oracle && !number {
		complain(fmt.Sprintf("target %s in the oracle setting: the master never errs there, so its error count is no budget",
			p.Target),
			"give a number, the agreement with the master: 0.95")
	}
}
