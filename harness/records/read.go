package records

import (
	"cmp"
	"fmt"
	"slices"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/task"
)

// read turns answers into confidences and classes. Scales are fitted on the fit part.
func read(p *preparation) error {
	n := len(p.Set.Examples)
	for k := range p.Models {
		m := &p.Models[k]
		fit := func(yield func(backends.Answer) bool) {
			for _, i := range p.Fit {
				if a, err := p.Sheet.Heard(m.At(i)); err == nil && !yield(a) {
					return
				}
			}
		}
		var err error
		if m.Scale, err = confidence.Fit(scoreOf(p.Records, k), fit); err != nil {
			return fmt.Errorf("confidence of %s: %w", p.Cascade.Models[k], err)
		}
		m.Class, m.Raw, m.refused = make([]int, n), make([]float64, n), map[int]string{}
		for i := range n {
			if !m.Has(i) {
				continue
			}
			reading, why := readingOf(p.Records, k, m.At(i))
			m.Class[i], m.Raw[i] = reading.Class, reading.Beta
			if why != "" {
				refuse(p, i, k, why)
			}
		}
	}
	return nil
}

// heard reads an answer of a model by a scale.
func heard(r *Records, scale *confidence.Scale, a backends.Answer) (confidence.Reading, error) {
	a, err := r.Sheet.Heard(a)
	if err != nil {
		return confidence.Reading{}, err
	}
	return scale.Read(a)
}

// readingOf reads an answer of a model; why says why it does not count.
func readingOf(r *Records, model int, a backends.Answer) (confidence.Reading, string) {
	reading, err := heard(r, &r.Models[model].Scale, a)
	if model < r.Last() && a.NoLogprobs && !r.Cascade.Pool || err != nil {
		return confidence.Reading{}, "no usable log-probability"
	}
	return reading, ""
}

// Reading returns all that a model's answer to an example says about its
// confidence; the zero reading if it has none.
func (r *Records) Reading(model, i int) confidence.Reading {
	_, reading := r.Look(model, i)
	return reading
}

// Look returns a model's answer to an example, and its reading.
func (r *Records) Look(model, i int) (backends.Answer, confidence.Reading) {
	m := &r.Models[model]
	if !m.Has(i) {
		return backends.Answer{}, confidence.Reading{}
	}
	a := m.At(i)
	reading, _ := readingOf(r, model, a)
	reading.Judged(m.Raw[i]) // on the fit part, that of a regression that did not see the record
	return a, reading
}

// learnConfidence fits the regression of the score quantiles, which needs the
// grades. The fit part's confidences are out of fold; the test part's come from a
// regression on the whole fit part.
func learnConfidence(p *preparation) error {
	if p.Roles.Quantiles.Of == nil {
		return nil
	}
	for k := range p.Models {
		name := p.ConfidenceName(k)
		if k == p.Last() && !p.Cascade.Pool || !Confident(p.Records, k) || name == given || name == votes {
			continue
		}
		m := &p.Models[k]
		readings := make([]*confidence.Reading, len(p.Fit))
		for n, i := range p.Fit {
			readings[n] = new(p.Reading(k, i))
		}
		err := m.Scale.Learn(readings, m.Right(p.Fit), p.Roles.Quantiles.Of)
		for n, i := range p.Fit {
			m.Raw[i] = readings[n].Beta
		}
		for n := 0; n < len(p.Test) && err == nil; n++ {
			var reading confidence.Reading
			reading, err = heard(p.Records, &m.Scale, m.At(p.Test[n]))
			m.Raw[p.Test[n]] = reading.Beta
		}
		if err != nil {
			return fmt.Errorf("confidence of %s: %w", p.Cascade.Models[k], err)
		}
	}
	return nil
}

// Confident reports whether every used answer of a model has a confidence.
func Confident(r *Records, model int) bool {
	for i, used := range r.Used {
		if used && r.Models[model].Unscored(i) {
			return false
		}
	}
	return true
}

// The confidence names of a model whose answers all state their own, and of one whose samples vote.
const (
	given = "given"
	votes = "votes"
)

// ConfidenceName returns the name of a model's confidence: its score, or "given" if
// every answer states its own, or "votes".
func (r *Records) ConfidenceName(model int) string {
	if r.Models[model].Sampled() {
		return votes
	}
	for i, used := range r.Used {
		if used && !r.Models[model].States(i) {
			return string(scoreOf(r, model))
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

// scoreOf is the score of one model: that of a decision model is the study's; of another, and of one behind which
// nobody is asked, it is the probability.
func scoreOf(r *Records, model int) confidence.Score {
	s := r.Score()
	if s == confidence.Vendor && (r.Models[model].Spec.Config.Model.Kind != backends.Decisions ||
		model == r.Last() && !r.Cascade.Pool) {
		return confidence.Softmax
	}
	return s
}

// calibrate computes the final confidences of all models but the last. The fit
// part's are out of fold; the test part's come from a calibrator fitted on the
// whole fit part.
func calibrate(p *preparation) error {
	method := cmp.Or(p.Study.Policy.Calibration, confidence.NoCalibration)
	for k := range p.Models {
		m := &p.Models[k]
		m.Beta = m.Raw
		if k == p.Last() && !p.Cascade.Pool {
			return nil
		}
		m.Calibrator = confidence.Calibrator{Method: method}
		if method == confidence.NoCalibration || !Confident(p.Records, k) {
			continue
		}
		if err := calibrateModel(p, k, method); err != nil {
			return fmt.Errorf("calibration of %s: %w", p.Cascade.Models[k], err)
		}
	}
	return nil
}

func calibrateModel(p *preparation, k int, method confidence.Calibration) error {
	m := &p.Models[k]
	sample := confidence.Sample{Classes: max(1, len(p.Dataset.Labels))} // a task without classes has one
	for n, right := range m.Right(p.Fit) {
		i := p.Fit[n]
		sample.Beta, sample.Class = append(sample.Beta, m.Raw[i]), append(sample.Class, m.Class[i])
		if sample.Correct = append(sample.Correct, 0); right {
			sample.Correct[n] = 1
		}
		if method == confidence.Temperature { // else nothing looks at them
			sample.Probs = append(sample.Probs, p.Reading(k, i).Probs)
		}
		sample.Truth = append(sample.Truth, max(0, p.Truth(i)))
	}
	calibrator, out, err := confidence.CrossFit(method, sample, p.Roles.Calibration.Of)
	if err != nil {
		return err
	}
	m.Calibrator, m.Beta = calibrator, make([]float64, len(m.Raw))
	for n, i := range p.Fit {
		m.Beta[i] = out[n]
	}
	for _, i := range p.Test {
		reading := confidence.Reading{Class: m.Class[i], Beta: m.Raw[i]}
		if method == confidence.Temperature {
			reading = p.Reading(k, i)
		}
		m.Beta[i] = calibrator.Apply(reading)
	}
	return nil
}

// ReadAs returns records whose test part has the confidences that what was fitted on other records gives: their scales,
// regressions and calibrators. All else stays, the costs among it.
func ReadAs(r, fitted *Records) (*Records, error) {
	out := *r
	out.Models = slices.Clone(r.Models)
	for k := range out.Models {
		m, by := &out.Models[k], &fitted.Models[k]
		m.Scale, m.Calibrator = by.Scale, by.Calibrator
		if k == out.Last() {
			continue // nobody asks how sure it is
		}
		calibrated := by.Calibrator.Method != confidence.NoCalibration && Confident(fitted, k)
		m.Raw, m.Beta = slices.Clone(m.Raw), slices.Clone(m.Beta)
		for _, i := range r.Test {
			reading, err := heard(r, &m.Scale, m.At(i))
			if err != nil {
				return nil, err
			}
			if m.Raw[i], m.Beta[i] = reading.Beta, reading.Beta; calibrated {
				m.Beta[i] = m.Calibrator.Apply(reading)
			}
		}
	}
	return &out, nil
}
