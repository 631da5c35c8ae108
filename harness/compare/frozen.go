package compare

import (
	"math"
	"slices"

	"infnet/harness/accept"
	"infnet/harness/result"
)

// A policy is fitted to the answers of its own run. Where these differ, two fitted policies of equally good models
// differ, too: a threshold that moves by chance turns all records between its two places in one direction, which a
// paired test takes for evidence. So where inputs differ, the new answers are decided by the accepted thresholds: what
// then differs is due to the models. Where answers, data and parts are the same, both policies are fixed by the same
// records, and are compared as they are.

// sameInputs reports whether the two runs fitted their policies to the same answers.
func (c *comparing) sameInputs(s *subject) bool {
	return slices.Equal(s.old.cascade.Models, s.now.cascade.Models) && s.whole() &&
		!slices.ContainsFunc(c.out.Causes, func(x Cause) bool {
			return (x.Dataset == "" || x.Dataset == s.now.m.Dataset) &&
				(x.Model == "" || slices.Contains(s.now.cascade.Models, x.Model)) &&
				slices.Contains([]Kind{OfData, OfSplit, OfAnswers, OfMissing}, x.Kind)
		})
}

// frozen is what the accepted thresholds make of a row's decisions in the new run; nil = it cannot be told.
func (s *subject) frozen(p *plays) *plays {
	old, own := policyOf(s.old.m, p.row.Policy), policyOf(s.now.m, p.row.Policy)
	settings := p.run.Settings
	if old == nil || own == nil || settings == nil || settings["policy.calibration"] != "none" ||
		slices.Contains([]string{"minmax", "sigmoid", "quantiles"}, settings["confidence.generation"]) {
		return nil // confidences depend on the fit part, and the accepted thresholds are on another scale
	}
	same := p.decide(p.stages(own.Thresholds, p.arm, nil))
	if same == nil || !slices.Equal(same.final, p.final) || !slices.Equal(same.asked, p.asked) {
		return nil // it is no policy of plain thresholds
	}
	return p.decide(p.stages(old.Thresholds, s.old, s.of.class))
}

func policyOf(m *accept.Measured, name string) *result.Policy {
	return find(m.Policies, func(p *result.Policy) bool { return p.Policy == name })
}

// stage is a model of a policy with the confidence from which its answer is final: one, or one per class.
type stage struct {
	model int
	theta []float64 // by place of the label; one alone for all classes
}

// stages arranges thresholds that are a run's by stage and class. class says which class an old one is now; nil = they
// are the arm's own.
func (a *arm) stages(list []result.Threshold, from *arm, class []int) (stages []stage) {
	for _, t := range list {
		model := max(0, slices.Index(from.cascade.Models, t.Model))
		if len(stages) == 0 || stages[len(stages)-1].model != model {
			stages = append(stages, stage{model: model})
		}
		at := &stages[len(stages)-1]
		if t.Class == "" {
			at.theta = append(at.theta, float64(t.Theta))
			continue
		}
		if at.theta == nil { // a class without one is deferred
			at.theta = slices.Repeat([]float64{math.Inf(1)}, max(2, len(a.data.Labels)))
		}
		k := slices.Index(from.data.Labels, t.Class)
		if k >= 0 && class != nil {
			k = class[k]
		}
		if k >= 0 {
			at.theta[k] = float64(t.Theta)
		}
	}
	return stages
}

// decide applies stages to the test records; nil = confidences or classes are not known.
func (p *plays) decide(stages []stage) *plays {
	out := &plays{arm: p.arm, row: p.row, fitted: p}
	for n, i := range p.test {
		final, asked := len(p.m.Models)-1, 0
		for _, x := range stages {
			m, k := &p.m.Models[x.model], 0
			if len(x.theta) > 1 && m.Class != nil {
				k = m.Class[n]
			}
			if len(m.Beta) != len(p.test) || len(x.theta) > 1 && m.Class == nil || k < 0 {
				return nil
			}
			asked |= 1 << x.model
			if m.Beta[n] >= x.theta[k] {
				final = x.model
				break
			}
		}
		out.add(i, final, asked)
	}
	return out
}
