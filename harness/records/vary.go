package records

import (
	"slices"

	"infnet/harness/confidence"
	"infnet/harness/spec"
)

// Variation is what differs from records whose answers are taken.
type Variation struct {
	Study  *spec.Study // may differ in its seed, its policy and the rules of its datasets
	Repeat int         // which of the repeated splits, from 0

	// Keep takes records of the fit and the test part, of which those stay that it returns; nil = all stay.
	Keep func(fit, test []int) ([]int, []int)
}

// Vary prepares the same answers otherwise. Everything is fitted anew; grades stay where the rule does.
func Vary(r *Records, v Variation) (*Records, error) {
	n := &Records{
		Study: v.Study, Cascade: r.Cascade, Sheet: r.Sheet, Set: r.Set, Repeat: v.Repeat, in: r.in, chain: r.chain,
	}
	n.Dataset, _ = v.Study.Dataset(r.Dataset.Name)
	n.in.Study = v.Study
	for _, m := range r.Models {
		n.Models = append(n.Models, Model{Spec: m.Spec, Facts: m.Facts, Answers: m.Answers})
	}
	return n, prepare(&preparation{Records: n, first: r, keep: v.Keep})
}

// Under returns the records as they are under a study that differs in its policy's target alone, on which nothing in
// them depends.
func Under(r *Records, s *spec.Study) *Records {
	n := *r
	n.Study = s
	return &n
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
			heard, err := r.Sheet.Heard(m.At(i))
			if err != nil {
				return nil, err
			}
			reading, err := m.Scale.Read(heard)
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
