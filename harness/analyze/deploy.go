package analyze

import (
	"fmt"
	"slices"

	"infnet/harness/policy"
	"infnet/harness/policy/chain"
	"infnet/harness/policy/deploy"
)

// Deployable is a fitted policy in the form of a deployment file.
type Deployable struct {
	Name string // the row's, with the stage for a chain: part of a file's name
	deploy.File
}

// Deployments returns every fitted policy that has thresholds, ready for
// deployment: those of the table, the mixture, and each stage of a chain. The
// policy without threshold form has no thresholds. answers is the hash of the
// answers' keys in the results.
func (a *Analysed) Deployments(answers string) ([]Deployable, error) {
	var out []Deployable
	add := func(name string, d deploy.File, err error) error {
		if err != nil {
			return fmt.Errorf("policy %s of cascade %s on dataset %s: %w", name, a.Cascade.Name, a.Dataset.Name, err)
		}
		out = append(out, Deployable{name, d})
		return nil
	}
	for _, f := range a.fitted {
		d, err := a.deployment(f, answers)
		if err := add(f.Name, d, err); err != nil {
			return nil, err
		}
	}
	if a.mixture != nil {
		name := mainRow(a.Records) + "-randomised"
		d, err := deploy.NewMixture(*a.mixture, a.Result.Labels, a.about(name, student, a.Last(), answers))
		if err := add(name, d, err); err != nil {
			return nil, err
		}
	}
	for _, c := range a.serial {
		for m := range c.policy.Thresholds {
			name := fmt.Sprintf("%s-stage-%d", c.name, m+1)
			stage, about := a.stagePolicy(c.policy, m), a.about(name, m, m+1, answers)
			d, err := deploy.New(stage, a.Result.Labels, about)
			if c.promise != nil {
				d, err = deploy.NewGuaranteed(stage, *c.promise, a.Result.Labels, about)
			}
			if err := add(name, d, err); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// deployment returns a fitted policy with everything needed to use it. answers is
// the hash of the answers' keys in the results.
func (a *Analysed) deployment(f Fitted, answers string) (deploy.File, error) {
	about := a.about(f.Name, student, a.Last(), answers)
	if f.Promise != nil {
		return deploy.NewGuaranteed(f.Policy, f.Promise.Promise, a.Result.Labels, about)
	}
	return deploy.New(f.Policy, a.Result.Labels, about)
}

// about returns what a policy itself does not hold: the model that answers first,
// the model that gets deferred queries, and how confidence is computed.
func (a *Analysed) about(name string, answers, asked int, hash string) deploy.About {
	s := a.Study
	known := func(m int) deploy.Model {
		id := a.Models[m].Facts.ID
		return deploy.Model{Name: a.Cascade.Models[m], ID: id.ID, Revision: id.Revision}
	}
	scale, calibrator := a.Models[answers].Scale, a.Models[answers].Calibrator
	return deploy.About{
		Study: s.Name, Dataset: a.Dataset.Name, Policy: name, Student: known(answers), Master: known(asked),
		Confidence: deploy.Confidence{Score: a.ConfidenceName(answers),
			Parameters: scale.Parameters()},
		Calibration: deploy.Calibration{Method: string(calibrator.Method), Parameters: calibrator.Parameters,
			Curves: calibrator.Curves},
		Provenance: deploy.Provenance{Infnet: a.program, Spec: s.Hash, Answers: hash, Split: a.Roles.Graph.Hash},
	}
}

// stagePolicy returns one stage of a chain as a policy: one threshold, for the
// queries that the stages before it defer. Its errors, budget and certificate are
// the whole chain's.
func (a *Analysed) stagePolicy(p chain.Policy, m int) policy.Policy {
	out := policy.Policy{
		Thresholds: policy.Thresholds{p.Thresholds[m]}, Setting: p.Setting, Objective: policy.Deferrals, Feasible: p.Feasible,
		Budget:   p.Budget,
		FitError: p.FitError, FitDeferred: p.Asked[m+1], N: p.N, MinError: p.MinError, Certificate: p.Certificate,
	}
	out.Warnings = append(slices.Clone(p.Warnings), policy.Warning{Kind: "stage", Class: -1, Message: fmt.Sprintf(
		"stage %d of %d of a chain: for queries that reach %s; budget, errors and certificate are the whole chain's, in "+
			"millionths of the dearest later model's cost",
		m+1, len(p.Thresholds), a.Cascade.Models[m])})
	return out
}
