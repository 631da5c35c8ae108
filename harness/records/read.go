package records

import (
	"fmt"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/spec"
	"infnet/harness/task"
)

// read turns answers into confidences, classes and texts. What a scale has to
// learn it learns on the fit part.
func (r *Records) read() error {
	options := confidence.Options{Score: r.Score(), IncludeEOS: r.Study.Confidence.IncludeEOS}
	n := len(r.Set.Examples)
	for k := range r.Models {
		m := &r.Models[k]
		var seen []backends.Answer
		for _, i := range r.Fit {
			seen = append(seen, *m.Given[i])
		}
		var err error
		if m.Scale, err = confidence.Fit(options, seen); err != nil {
			return fmt.Errorf("confidence of %s: %w", r.Cascade.Models[k], err)
		}
		m.Readings, m.Texts, m.Refused = make([]confidence.Reading, n), make([]string, n), make([]string, n)
		for i, a := range m.Given {
			if a == nil {
				continue
			}
			m.Texts[i] = task.Extract(a.Text, r.Dataset.Stop)
			reading, err := m.Scale.Read(*a)
			why := r.lowMass(a)
			if k < r.Last() && a.NoLogprobs || err != nil {
				why, reading = "no usable log-probability", confidence.Reading{}
			}
			m.Readings[i] = reading
			if why != "" {
				r.refuse(i, k, why)
			}
		}
	}
	return nil
}

// lowMass is why an answer does not count because of its mass on the labels; ""
// = it counts. Only what is certainly below the floor is refused.
func (r *Records) lowMass(a *backends.Answer) string {
	l := r.Study.Confidence.LabelMass
	if r.Dataset.Task != task.Classification || l.Below != spec.RefuseMass {
		return ""
	}
	if mass, ok := a.Mass(); ok && mass.High < l.Floor {
		return fmt.Sprintf("less than %v of the probability on the labels", l.Floor)
	}
	return ""
}

// learnConfidence fits the regression of the score quantiles, which needs to
// know who is right: the fit part's confidences come from regressions that did
// not see them, the test part's from one that saw the whole fit part.
func (r *Records) learnConfidence() error {
	if r.Roles.Quantiles.Of == nil {
		return nil
	}
	for k := range r.Last() {
		if r.ConfidenceName(k) == given {
			continue
		}
		m := &r.Models[k]
		var readings []*confidence.Reading
		var right []bool
		for _, i := range r.Fit {
			readings, right = append(readings, &m.Readings[i]), append(right, m.Grades[i].Correct)
		}
		err := m.Scale.Learn(readings, right, r.Roles.Quantiles.Of)
		for _, i := range r.Test {
			if err == nil {
				m.Readings[i], err = m.Scale.Read(*m.Given[i])
			}
		}
		if err != nil {
			return fmt.Errorf("confidence of %s: %w", r.Cascade.Models[k], err)
		}
	}
	return nil
}

// given is the confidence of a model whose every answer came with its own.
const given = "given"

// ConfidenceName says how a model's confidence was read: by a score, or not at
// all where every answer came with its own.
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

// calibrate makes the final confidences: of all models but the last the fit
// part's come from calibrators that did not see them, the test part's from one
// that saw the whole fit part.
func (r *Records) calibrate() error {
	method := r.Study.Policy.Calibration
	if method == "" {
		method = confidence.NoCalibration
	}
	for k := range r.Models {
		m := &r.Models[k]
		m.Beta = make([]float64, len(r.Set.Examples))
		for i, used := range r.Used {
			if used {
				m.Beta[i] = m.Readings[i].Beta
			}
		}
		if k == r.Last() {
			return nil
		}
		m.Calibrator = confidence.Calibrator{Method: method}
		if method == confidence.NoCalibration {
			continue
		}
		if err := r.calibrateModel(m, method); err != nil {
			return fmt.Errorf("calibration of %s: %w", r.Cascade.Models[k], err)
		}
	}
	return nil
}

// calibrateModel makes one model's final confidences.
func (r *Records) calibrateModel(m *Model, method confidence.Calibration) error {
	sample := confidence.Sample{Classes: max(1, len(r.Dataset.Labels))} // a task without classes has one
	for _, i := range r.Fit {
		reading, right := m.Readings[i], 0.0
		if m.Grades[i].Correct {
			right = 1
		}
		sample.Beta = append(sample.Beta, reading.Beta)
		sample.Class = append(sample.Class, reading.Class)
		sample.Correct = append(sample.Correct, right)
		sample.Probs = append(sample.Probs, reading.Probs)
		sample.Truth = append(sample.Truth, max(0, r.References[i].Class))
	}
	calibrator, out, err := confidence.CrossFit(method, sample, r.Roles.Calibration.Of)
	if err != nil {
		return err
	}
	m.Calibrator = calibrator
	for k, i := range r.Fit {
		m.Beta[i] = out[k]
	}
	for _, i := range r.Test {
		m.Beta[i] = calibrator.Apply(m.Readings[i])
	}
	return nil
}
