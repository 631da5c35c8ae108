package analyze

import (
	"math"

	"infnet/harness/confidence"
	"infnet/harness/result"
	"infnet/metrics/infer"
)

// train sets what every fitted policy of a pair needed before its first query, and when that has paid for itself. It
// comes after the verdicts, on whose intervals it rests.
func (a *Analysed) train() {
	r := a.Records
	if r.IsChain() || r.Repeat > 0 {
		return
	}
	costs := r.Summaries()
	answers := float64(len(r.Fit)) * (costs[student] + costs[r.Last()])
	for k := range a.rows {
		x := &a.rows[k]
		t := &result.Training{Records: len(r.Fit)}
		switch {
		case x.learned != nil:
			t.FLOPs = x.work
			if t.FLOPs != nil && countsOperations(r) { // else what was spent is not known
				t.Cost = *t.FLOPs / 1e12
				t.PaidAfter = a.paidAgainstOurs(x.Policy, t.Cost)
			}
		case x.fitted != nil:
			if c := r.Models[student].Calibrator.Method; (c == "" || c == confidence.NoCalibration) &&
				r.Roles.Quantiles.Of == nil {
				t.FLOPs = new(float64) // thresholds are found by sorting and by counting in integers
			}
			t.Cost = answers
			t.PaidAfter = paidAgainstRival(x.Rival, r.Cascade.Models, costs, answers)
		default:
			continue
		}
		a.Result.Rows[k].Training = t
	}
}

// paidAgainstOurs is by the savings of a baseline beyond those of our main row, at our error on the fit part: those of
// the table against the other policies. Both need the same labelled records.
func (a *Analysed) paidAgainstOurs(baseline string, spent float64) *result.Estimate {
	for _, m := range a.Result.Matched {
		if m.Ours != mainRow(a.Records) || m.Baseline != baseline {
			continue
		}
		more := negative(m.Error.Fitted.DiffSaved) // theirs less ours, in percent of the master's cost
		unit := a.Records.Master().Cost.Summary / 100
		more.Value, more.Low, more.High = unit*more.Value, unit*more.Low, unit*more.High
		return paidAfter(spent, more)
	}
	return nil
}

// paidAgainstRival is by what ours saves against the single model, or the coin between two, that the verdict sets
// beside it.
func paidAgainstRival(v *result.Rival, models []string, costs []float64, spent float64) *result.Estimate {
	if v == nil || v.Single != "" {
		return nil
	}
	unit := 0.0
	for m, name := range models {
		switch name {
		case v.First:
			unit += float64((1 - v.P) * costs[m])
		case v.Second:
			unit += float64(v.P * costs[m])
		}
	}
	s := v.Saved
	s.Value, s.Low, s.High = unit*s.Value, unit*s.Low, unit*s.High
	return paidAfter(spent, s)
}

// paidAfter is the number of queries that save what was spent, where each saves so much; never where it saves nothing.
func paidAfter(spent float64, saved infer.Interval) *result.Estimate {
	queries := func(each float64) result.Float {
		if each > 0 {
			return result.Float(spent / each)
		}
		return result.Float(math.Inf(1))
	}
	return &result.Estimate{Value: queries(saved.Value), Low: queries(saved.High), High: queries(saved.Low),
		Level: saved.Level, N: saved.N, Method: saved.Method}
}

// overShuffle is what a policy's choice of records is worth: the errors per record that it makes less than the same
// share of deferrals shuffled over the records, whose expectation is exact. nil = it treats all records alike.
func (s *measurer) overShuffle(p plan) (*infer.Interval, error) {
	if s.r.IsChain() || s.r.Repeat > 0 || p.constant {
		return nil, nil
	}
	n := len(p.final[1])
	ones, kept, gained := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, w := range p.final[1] {
		ones[i], gained[i] = 1, s.errors[student][i]-s.errors[s.r.Last()][i]
		kept[i] = float64(w * gained[i])
	}
	iv, err := s.resamples.Of(func(sums []float64) float64 {
		return sums[1]/sums[0] - float64(sums[2]/sums[0]*(sums[3]/sums[0]))
	}, -1, 1, ones, kept, p.final[1], gained)
	return &iv, err
}
