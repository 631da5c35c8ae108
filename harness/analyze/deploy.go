package analyze

import (
	"fmt"
	"slices"

	"infnet/harness/policy"
	"infnet/harness/policy/deploy"
)

// Deployable is a fitted policy as a file holds it.
type Deployable struct {
	Name string // the row's, with the stage for a chain: part of a file's name
	deploy.File
}

// Deployments returns every fitted policy that has thresholds, ready to be used
// elsewhere: those of the table, the mixture, and of a chain each stage by
// itself. The policy without threshold form has none. answers is the hash of
// the answers' keys in the results.
func (b *Bench) Deployments(answers string) ([]Deployable, error) {
	var out []Deployable
	add := func(name string, d deploy.File, err error) error {
		if err != nil {
			return fmt.Errorf("policy %s of cascade %s on dataset %s: %w", name, b.Cascade.Name, b.Dataset.Name, err)
		}
		out = append(out, Deployable{name, d})
		return nil
	}
	for _, f := range b.fitted {
		d, err := b.Deployment(f, answers)
		if err := add(f.Name, d, err); err != nil {
			return nil, err
		}
	}
	if b.mixture != nil {
		name := b.main() + "-randomised"
		d, err := deploy.NewMixture(*b.mixture, b.out.Labels, b.about(name, student, b.Last(), answers))
		if err := add(name, d, err); err != nil {
			return nil, err
		}
	}
	if b.serial != nil {
		for m := range b.serial.Thresholds {
			name := fmt.Sprintf("%s-stage-%d", Chain, m+1)
			d, err := deploy.New(b.stagePolicy(m), b.out.Labels, b.about(name, m, m+1, answers))
			if err := add(name, d, err); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// Deployment returns a fitted policy with all it takes to use it elsewhere.
// answers is the hash of the answers' keys in the results.
func (b *Bench) Deployment(f Fitted, answers string) (deploy.File, error) {
	about := b.about(f.Name, student, b.Last(), answers)
	if f.Promise != nil {
		return deploy.NewGuaranteed(*f.Promise, b.out.Labels, about)
	}
	return deploy.New(f.Policy, b.out.Labels, about)
}

// about is what a policy does not know: which model answers, which is asked
// where its answer does not stand, and how its confidence is read.
func (b *Bench) about(name string, answers, asked int, hash string) deploy.About {
	s := b.in.Study
	known := func(m int) deploy.Model {
		id := b.in.Facts[b.Cascade.Models[m]].ID
		return deploy.Model{Name: b.Cascade.Models[m], ID: id.ID, Revision: id.Revision}
	}
	scale, calibrator := b.Models[answers].Scale, b.Models[answers].Calibrator
	return deploy.About{
		Study: s.Name, Dataset: b.Dataset.Name, Policy: name, Student: known(answers), Master: known(asked),
		Confidence:  deploy.Confidence{Score: b.ConfidenceName(answers), IncludeEOS: scale.IncludeEOS, Parameters: scale.Parameters()},
		Calibration: deploy.Calibration{Method: string(calibrator.Method), Parameters: calibrator.Parameters, Curves: calibrator.Curves},
		Provenance:  deploy.Provenance{Infnet: b.in.Program, Spec: s.Hash, Answers: hash, Split: b.Roles.Graph.Hash},
	}
}

// stagePolicy is one stage of a chain as a policy of its own: one threshold,
// for those queries that the stages before it passed on. Its errors, budget
// and certificate are the whole chain's.
func (b *Bench) stagePolicy(m int) policy.Policy {
	p := b.serial
	out := policy.Policy{
		Thresholds: policy.Thresholds{p.Thresholds[m]}, Setting: p.Setting, Objective: policy.Deferrals, Feasible: p.Feasible, Budget: p.Budget,
		FitError: p.FitError, FitDeferred: p.Asked[m+1], N: p.N, MinError: p.MinError, Certificate: p.Certificate,
	}
	out.Warnings = append(slices.Clone(p.Warnings), policy.Warning{Kind: "stage", Class: -1, Message: fmt.Sprintf(
		"stage %d of %d of a chain: for queries that reach %s; budget, errors and certificate are the whole chain's, in millionths of the dearest later model's cost",
		m+1, len(p.Thresholds), b.Cascade.Models[m])})
	return out
}
