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
	for _, x := range c.out.Causes {
		of := x.Dataset == "" || x.Dataset == s.now.m.Dataset
		of = of && (x.Model == "" || slices.Contains(s.now.cascade.Models, x.Model))
		if of && slices.Contains([]Kind{OfData, OfSplit, OfAnswers, OfMissing}, x.Kind) {
			return false
		}
	}
	return slices.Equal(s.old.cascade.Models, s.now.cascade.Models) && s.whole()
}

// frozen is a row of the new run as the accepted thresholds decide it; nil = it cannot be told.
func (s *subject) frozen(now *accept.Row) *accept.Row {
	old, own := policyOf(s.old.m, now.Policy), policyOf(s.now.m, now.Policy)
	settings := s.now.run.Settings
	if old == nil || own == nil || settings == nil || settings["policy.calibration"] != "none" ||
		slices.Contains([]string{"minmax", "sigmoid", "quantiles"}, settings["confidence.generation"]) {
		return nil // confidences depend on the fit part, and the accepted thresholds are on another scale
	}
	same := s.now.decide(now, s.now.thresholds(own.Thresholds, nil, s.now))
	if same == nil || !slices.Equal(same.Final, now.Final) || !slices.Equal(same.Asked, now.Asked) {
		return nil // it is no policy of plain thresholds
	}
	return s.now.decide(now, s.now.thresholds(old.Thresholds, s.of.class, s.old))
}

func policyOf(m *accept.Measured, name string) *result.Policy {
	return find(m.Policies, func(p *result.Policy) bool { return p.Policy == name })
}

// stage is a model of a policy with the confidence from which its answer is final: one, or one per class.
type stage struct {
	model int
	theta []float64 // by place of the label; one alone for all classes
}

// thresholds arranges the thresholds of a run by stage and class. class says which class an old one is now; nil = they
// are the arm's own.
func (a *arm) thresholds(list []result.Threshold, class []int, from *arm) (stages []stage) {
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
		if at.theta == nil {
			at.theta = make([]float64, max(2, len(a.data.Labels))) // a class without one is deferred
			for k := range at.theta {
				at.theta[k] = math.Inf(1)
			}
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
func (a *arm) decide(row *accept.Row, stages []stage) *accept.Row {
	out := *row
	out.Final, out.Asked = slices.Clone(row.Final), nil
	if row.Asked != nil {
		out.Asked = slices.Clone(row.Asked)
	}
	for n, i := range a.test {
		final, asked := len(a.m.Models)-1, 0
		for _, x := range stages {
			m := &a.m.Models[x.model]
			if len(m.Beta) != len(a.test) || len(x.theta) > 1 && m.Class == nil {
				return nil
			}
			asked |= 1 << x.model
			k := 0
			if len(x.theta) > 1 {
				if k = m.Class[n]; k < 0 {
					return nil
				}
			}
			if m.Beta[n] >= x.theta[k] {
				final = x.model
				break
			}
		}
		out.Final[i] = final
		if out.Asked != nil && out.Asked[i] >= 0 {
			out.Asked[i] = asked | 1<<final
		}
	}
	return &out
}
