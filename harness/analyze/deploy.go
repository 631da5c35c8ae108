package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/policy"
	"infnet/harness/policy/deploy"
)

// Deployable is a fitted policy in the form of a deployment file.
type Deployable struct {
	Name string // the row's, with the stage for a chain: part of a file's name
	deploy.File
}

// Deployments returns every fitted policy that has thresholds, ready for
// deployment: those of the table, the mixture, each stage of a chain, and those that may
// abstain, one model alone among them. The
// policy without threshold form has no thresholds, and a pair that a chain contains
// has a table of its own. answers is the hash of the answers' keys in the results.
func (a *Analysed) Deployments(answers string) (out []Deployable, err error) {
	r, labels := a.Records, a.Result.Labels
	add := func(name string, f deploy.File, failed error) {
		if out = append(out, Deployable{name, f}); failed != nil && err == nil {
			err = fmt.Errorf("policy %s of cascade %s on dataset %s: %w", name, r.Cascade.Name, r.Dataset.Name, failed)
		}
	}
	for _, x := range a.rows {
		f, about := x.fitted, a.about(x.Policy, student, r.Last(), answers)
		switch {
		case x.mixture != nil:
			d, err := deploy.NewMixture(*x.mixture, labels, about)
			add(x.Policy, d, err)
		case f == nil || f.contained(r):
		case f.Series == nil:
			d, err := deploy.New(f.Policy.Policy, f.Promise, labels, about)
			add(f.Name, d, err)
		default:
			for m := range f.Policy.Thresholds {
				name := fmt.Sprintf("%s-stage-%d", f.Name, m+1)
				stage := f.Policy.Policy // its errors, budget and certificate are the whole chain's
				stage.Thresholds, stage.FitDeferred = policy.Thresholds{f.Policy.Thresholds[m]}, f.Policy.Asked[m+1]
				stage.Warnings = append(slices.Clone(stage.Warnings), policy.Warning{Kind: "stage", Class: -1,
					Message: fmt.Sprintf("stage %d of %d of a chain: for queries that reach %s; budget, errors and certificate "+
						"are the whole chain's, in millionths of the dearest later model's cost", m+1, len(f.Policy.Thresholds),
						r.Cascade.Models[m])})
				d, err := deploy.New(stage, nil, labels, a.about(name, m, m+1, answers))
				add(name, d, err)
			}
		}
	}
	for _, x := range a.abstain {
		d, err := deploy.NewAbstention(x.rule, a.fitOf(x), labels, a.about(x.name, x.answers, x.asked, answers))
		add(x.name, d, err)
	}
	return out, err
}

// fitOf is what a policy that may abstain did on the fit part: the errors among its answers, and what it deferred.
func (a *Analysed) fitOf(x abstains) policy.Policy {
	r := a.Records
	form, _, _ := strings.Cut(x.name, "-")
	if x.answers == x.asked {
		form = Single
	}
	p := a.rows.named(form + isPriced).fitted.Policy.Policy
	columns, errs := r.Pair(r.Fit), 0.0
	if x.answers == r.Last() {
		columns.Beta, columns.Student = masterBeta(r, r.Fit), columns.Master
	}
	p.FitDeferred = 0
	for i, choice := range x.rule.Decide(columns) {
		switch choice {
		case policy.StudentAnswers:
			errs += columns.Student[i]
		case policy.MasterAnswers:
			p.FitDeferred++
			errs += columns.MasterError(i)
		}
	}
	p.FitError.Units, p.Warnings = int64(math.Round(errs*float64(p.FitError.Scale))), nil
	p.Feasible = p.FitError.Units <= p.Budget.Errors.Units
	return p
}

// about returns what a policy itself does not hold: the model that answers first,
// the model that gets deferred queries, and how confidence is computed.
func (a *Analysed) about(name string, answers, asked int, hash string) deploy.About {
	r := a.Records
	known := func(m int) deploy.Model {
		id := r.Models[m].Facts.ID
		return deploy.Model{Name: r.Cascade.Models[m], ID: id.ID, Revision: id.Revision}
	}
	scale, calibrator := r.Models[answers].Scale, r.Models[answers].Calibrator
	confidence := deploy.Confidence{Score: r.ConfidenceName(answers), Over: string(r.Study.Confidence.Over),
		Parameters: scale.Parameters()}
	if s := r.Models[answers].Spec.Samples; s != nil {
		confidence.Over = ""
		confidence.Parameters = map[string]float64{"n": float64(s.N), "temperature": s.Temperature}
	}
	return deploy.About{
		Study: r.Study.Name, Dataset: r.Dataset.Name, Policy: name, Student: known(answers), Master: known(asked),
		Confidence: confidence,
		Calibration: deploy.Calibration{Method: cmp.Or(string(calibrator.Method), "none"), Parameters: calibrator.Parameters,
			Curves: calibrator.Curves},
		Provenance: deploy.Provenance{Infnet: a.program, Spec: r.Study.Hash, Answers: hash, Split: r.Roles.Graph.Hash},
	}
}
