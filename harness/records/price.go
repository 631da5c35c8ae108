package records

import (
	"fmt"

	"infnet/backends"
	"infnet/harness/cost"
	"infnet/harness/spec"
)

// price computes the cost of every answer, the constants of the fit part, and the measured seconds of the models whose
// used answers all have some.
func price(p *preparation) error {
	for k := range p.Models {
		m := &p.Models[k]
		if err := priceModel(p, k); err != nil {
			return fmt.Errorf("model %s: %w", m.Spec.Name, err)
		}
		m.Seconds = make([]float64, len(p.Used))
		for i, used := range p.Used {
			if !used {
				continue
			}
			if m.Seconds[i] = m.Head(i).Latency.Seconds(); !(m.Seconds[i] > 0) {
				m.Seconds = nil
				break
			}
		}
	}
	return nil
}

// basisOf is what a model's answers are priced by, and its parameters.
func basisOf(r *Records, m *Model) (basis cost.Basis, params float64, err error) {
	basis = cost.Basis{Prices: cost.Prices{Input: m.Spec.PriceIn, Output: m.Spec.PriceOut}}
	params = m.Spec.Params
	if shape := m.Facts.Shape; shape != nil {
		basis.Shape = *shape
		if params == 0 {
			params = shape.Params
		}
	}
	if m.Spec.Fixed != nil {
		basis.Fixed = *m.Spec.Fixed
	}
	return basis, params, basis.Check(r.Study.Cost.Model)
}

func priceModel(p *preparation, k int) error {
	c, m := p.Study.Cost, &p.Models[k]
	basis, params, err := basisOf(p.Records, m)
	if err != nil {
		return err
	}
	m.Costs = make([]float64, len(p.Set.Examples))
	for i, used := range p.Used {
		if !used {
			continue
		}
		paid := m.Samples(i)
		if paid == nil {
			paid = []backends.Answer{m.At(i)}
		}
		for _, a := range paid {
			one, err := priceAnswer(p, m, basis, i, &a)
			if err != nil {
				return fmt.Errorf("record %s: %w", p.Set.Examples[i].ID, err)
			}
			m.Costs[i] += one
		}
	}
	if Padded(p.Records) {
		if err := pad(p, k, basis); err != nil {
			return err
		}
	}
	fit := Pick(m.Costs, p.Fit)
	if m.Cost.Summary, err = cost.Summarise(c.Summary, fit, params); err != nil {
		return err
	}
	if m.Cost.Mean, err = cost.Summarise(cost.Mean, fit, params); err != nil {
		return err
	}
	if c.Model == cost.TFLOPs && params >= 1 {
		m.Cost.Signature, err = cost.Summarise(cost.Signature, fit, params)
	}
	return err
}

func priceAnswer(p *preparation, m *Model, basis cost.Basis, i int, a *backends.Answer) (float64, error) {
	c := p.Study.Cost
	if err := recordedCost(&basis, m.Spec, a); err != nil {
		return 0, err
	}
	if c.Model == cost.Latency && a.Batch != "" {
		return 0, fmt.Errorf("its answer came in a batch file, where nobody measures the time that cost.model = "+
			"%q counts: ask live, or choose another cost.model", c.Model)
	}
	return cost.PerAnswer(c.Model, basis, count(p.Records, i, m, a), a.Latency)
}

// recordedCost sets the cost that was recorded with an answer, if it has one. It refuses another currency than
// the study's.
func recordedCost(b *cost.Basis, m *spec.Model, a *backends.Answer) error {
	b.Recorded = nil
	if a.Cost == nil {
		return nil
	}
	if a.Cost.Currency != m.Currency {
		return fmt.Errorf("the recorded cost is in %s, and the study's currency is %s", a.Cost.Currency, m.Currency)
	}
	b.Recorded = &a.Cost.Amount
	return nil
}

// Tokens returns the token counts behind the cost of a model's answer to an example. Those of samples add up.
func Tokens(r *Records, i, m int, a backends.Answer) (sum cost.Counts) {
	of := &r.Models[m]
	samples := of.Samples(i)
	if samples == nil {
		return count(r, i, of, &a)
	}
	for _, one := range samples {
		sum = sum.Plus(count(r, i, of, &one))
	}
	return sum
}

func count(r *Records, i int, m *Model, a *backends.Answer) cost.Counts {
	var request backends.Request
	if a.Usage.Prompt.Plus(a.Usage.Completion).IsZero() { // else nothing is estimated
		request = r.Sheet.Request(i, m.Facts.ID, m.Spec)
	}
	return cost.Count(request, *a, a.Usage)
}

// Padded reports whether costs are of padded batches.
func Padded(r *Records) bool { return r.Study.Cost.Padding != 0 && r.Study.Cost.Model == cost.TFLOPs }

// pad replaces a model's costs by those of padded batches. Batches are of
// consecutive records of one part: fit and test records never share a batch, so
// nothing fitted depends on the length of the test part's prompts.
func pad(p *preparation, m int, basis cost.Basis) error {
	for _, part := range [][]int{p.Fit, p.Test} {
		counts := make([]cost.Counts, len(part))
		for k, i := range part {
			counts[k] = Tokens(p.Records, i, m, p.Models[m].At(i))
		}
		padded, err := p.Study.Cost.Padding.Padded(basis.Shape, counts)
		if err != nil {
			return err
		}
		for k, i := range part {
			p.Models[m].Costs[i] = padded[k]
		}
	}
	return nil
}
