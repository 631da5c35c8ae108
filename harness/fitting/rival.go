package fitting

import (
	"math"

	"infnet/harness/policy"
	"infnet/harness/pool"
)

// Rival sets a policy beside the best single model, or coin between the two, that errs no more on the fit part.
type Rival struct {
	pool.Rival // its costs are measured where Turn.Ratio is known
	Turn       pool.Turn
	Priced     bool // costs are known; else only the ratio at which the comparison turns
}

// Models of a log, by position.
const (
	studentModel = iota
	masterModel
)

// outcomesOf returns the errors of a policy on some records, and which of them are deferred.
func outcomesOf(p policy.Policy, r policy.Records) (errs, deferred []float64) {
	errs, deferred = make([]float64, r.Len()), make([]float64, r.Len())
	for k, d := range p.Decide(r) {
		errs[k] = r.Student[k]
		if d {
			deferred[k], errs[k] = 1, r.MasterError(k)
		}
	}
	return errs, deferred
}

// masterErrors are the master's errors, which are none in the oracle setting.
func masterErrors(r policy.Records) []float64 {
	if r.Master != nil {
		return r.Master
	}
	return make([]float64, r.Len())
}

// rival finds the policy's rival on the fit part and measures both.
func (m *measurer) rival(p policy.Policy, onFit policy.Records, fit []int) (Rival, error) {
	most := 0.0
	for k, d := range p.Decide(onFit) {
		if d {
			most += onFit.MasterError(k)
		} else {
			most += onFit.Student[k]
		}
	}
	alone := []float64{total(onFit.Student), total(masterErrors(onFit))}
	out := Rival{Priced: m.log.Costs[masterModel] != nil}
	share := pool.MasterShare(alone[studentModel], alone[masterModel], most)
	if math.IsNaN(share) {
		return out, nil
	}
	_, deferred := outcomesOf(p, m.records)
	prices := [2][]float64{make([]float64, len(m.rows)), make([]float64, len(m.rows))}
	for k, i := range m.rows {
		prices[masterModel][k] = 1 // where costs are not known every query costs the master the same
		for model, costs := range m.log.Costs {
			if out.Priced {
				prices[model][k] = costs[i]
			}
		}
	}
	ours := pool.Measured{Cost: make([]float64, len(m.rows))}
	for k, d := range deferred {
		deferred[k] = float64(d * prices[masterModel][k])
		ours.Cost[k] = prices[studentModel][k] + deferred[k]
	}
	if total(prices[masterModel]) == 0 {
		out.Priced = false
		return out, nil
	}
	var err error
	out.Turn, err = pool.TurnOf(m.resamples, share, prices[studentModel], prices[masterModel], deferred)
	if err != nil || !out.Priced {
		out.Found = true
		return out, err
	}
	ours.Error, _ = outcomesOf(p, m.records)
	coin, _ := pool.Cheapest(alone, []float64{m.spent(studentModel, fit), m.spent(masterModel, fit)}, most)
	out.Rival, err = pool.Against(m.resamples, ours, []pool.Measured{
		{Cost: prices[studentModel], Error: m.records.Student},
		{Cost: prices[masterModel], Error: masterErrors(m.records)},
	}, coin)
	return out, err
}

// spent is what a model costs on some rows.
func (m *measurer) spent(model int, rows []int) (sum float64) {
	for _, i := range rows {
		sum += m.log.Costs[model][i]
	}
	return sum
}

func total(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}
