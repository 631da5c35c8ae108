package records

import (
	"fmt"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/spec"
	"infnet/harness/task"
)

// read turns answers into confidences, classes and texts. Scales are fitted on the
// fit part.
func (p *preparation) read() error {
	options := confidence.Options{Score: p.Score(), IncludeEOS: p.Study.Confidence.IncludeEOS}
	n := len(p.Set.Examples)
	for k := range p.Models {
		m := &p.Models[k]
		var seen []backends.Answer
		for _, i := range p.Fit {
			seen = append(seen, *m.Given[i])
		}
		var err error
		if m.Scale, err = confidence.Fit(options, seen); err != nil {
			return fmt.Errorf("confidence of %s: %w", p.Cascade.Models[k], err)
		}
		m.Readings, m.Texts, m.Refused = make([]confidence.Reading, n), make([]string, n), make([]string, n)
		for i, a := range m.Given {
			if a == nil {
				continue
			}
			m.Texts[i] = task.Extract(a.Text, p.Dataset.Stop)
			reading, err := m.Scale.Read(*a)
			why := p.lowMass(a)
			if k < p.Last() && a.NoLogprobs && !p.Cascade.Pool || err != nil {
				why, reading = "no usable log-probability", confidence.Reading{}
			}
			m.Readings[i] = reading
			if why != "" {
				p.refuse(i, k, why)
			}
		}
	}
	return nil
}

// lowMass returns why an answer is refused for its mass on the labels; "" = it is
// not. An answer is refused only if its mass is certainly below the floor.
func (p *preparation) lowMass(a *backends.Answer) string {
	l := p.Study.Confidence.LabelMass
	if p.Dataset.Task != task.Classification || l.Below != spec.RefuseMass {
		return ""
	}
	if mass, ok := a.Mass(); ok && mass.High < l.Floor {
		return fmt.Sprintf("less than %v of the probability on the labels", l.Floor)
	}
	return ""
}

// learnConfidence fits the regression of the score quantiles, which needs the
// grades. The fit part's confidences are out of fold; the test part's come from a
// regression on the whole fit part.
func (p *preparation) learnConfidence() error {
	if p.Roles.Quantiles.Of == nil {
		return nil
	}
	for k := range p.Models {
		if k == p.Last() && !p.Cascade.Pool || !p.Confident(k) {
			continue
		}
		if p.ConfidenceName(k) == given {
			continue
		}
		m := &p.Models[k]
		var readings []*confidence.Reading
		var right []bool
		for _, i := range p.Fit {
			readings, right = append(readings, &m.Readings[i]), append(right, m.Grades[i].Correct)
		}
		err := m.Scale.Learn(readings, right, p.Roles.Quantiles.Of)
		for _, i := range p.Test {
			if err == nil {
				m.Readings[i], err = m.Scale.Read(*m.Given[i])
			}
		}
		if err != nil {
			return fmt.Errorf("confidence of %s: %w", p.Cascade.Models[k], err)
		}
	}
	return nil
}

// Confident reports whether every used answer of a model has a confidence.
func (r *Records) Confident(model int) bool {
	for i, used := range r.Used {
		if used && r.Models[model].Given[i].NoLogprobs {
			return false
		}
	}
	return true
}

// given is the confidence name of a model whose answers all state their own.
const given = "given"

// ConfidenceName returns the name of a model's confidence: its score, or "given" if
// every answer states its own.
func (r *Records) ConfidenceName(model int) string {
	for i, used := range r.Used {
		if used && r.Models[model].Given[i].Confidence == nil {
			return string(r.Score())
		}
	}
	return given
}

// Score returns the confidence score of the dataset's kind.
func (r *Records) Score() confidence.Score {
	if r.Dataset.Task == task.Classification {
		return r.Study.Confidence.Classification
	}
	return r.Study.Confidence.Generation
}

// calibrate computes the final confidences of all models but the last. The fit
// part's are out of fold; the test part's come from a calibrator fitted on the
// whole fit part.
func (p *preparation) calibrate() error {
	method := p.Study.Policy.Calibration
	if method == "" {
		method = confidence.NoCalibration
	}
	for k := range p.Models {
		m := &p.Models[k]
		m.Beta = make([]float64, len(p.Set.Examples))
		for i, used := range p.Used {
			if used {
				m.Beta[i] = m.Readings[i].Beta
			}
		}
		if k == p.Last() && !p.Cascade.Pool {
			return nil
		}
		m.Calibrator = confidence.Calibrator{Method: method}
		if method == confidence.NoCalibration || !p.Confident(k) {
			continue
		}
		if err := p.calibrateModel(m, method); err != nil {
			return fmt.Errorf("calibration of %s: %w", p.Cascade.Models[k], err)
		}
	}
	return nil
}

// calibrateModel makes one model's final confidences.
func (p *preparation) calibrateModel(m *Model, method confidence.Calibration) error {
	sample := confidence.Sample{Classes: max(1, len(p.Dataset.Labels))} // a task without classes has one
	for _, i := range p.Fit {
		reading, right := m.Readings[i], 0.0
		if m.Grades[i].Correct {
			right = 1
		}
		sample.Beta = append(sample.Beta, reading.Beta)
		sample.Class = append(sample.Class, reading.Class)
		sample.Correct = append(sample.Correct, right)
		sample.Probs = append(sample.Probs, reading.Probs)
		sample.Truth = append(sample.Truth, max(0, p.References[i].Class))
	}
	calibrator, out, err := confidence.CrossFit(method, sample, p.Roles.Calibration.Of)
	if err != nil {
		return err
	}
	m.Calibrator = calibrator
	for k, i := range p.Fit {
		m.Beta[i] = out[k]
	}
	for _, i := range p.Test {
		m.Beta[i] = calibrator.Apply(m.Readings[i])
	}
	return nil
}
