package fitting

import (
	"infnet/harness/policy"
	"infnet/harness/pool"
)

// Rival sets a policy beside the two models, and the coins between them.
type Rival struct {
	pool.Worth            // defined where Priced, and rows were held out
	Single     int        // the model that the policy is; pool.None = it asks both
	Margin     float64    // errors per query
	Turn       *pool.Turn // nil = the master costs nothing, or no rows were held out
	Priced     bool       // costs are known; else only the ratio at which the comparison turns
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

// rival judges a policy on rows that had no part in its choice.
func (m *measurer) rival(p policy.Policy, margin float64) (Rival, error) {
	out := Rival{Priced: m.log.Costs[masterModel] != nil, Single: pool.None, Margin: margin}
	errs, deferred := outcomesOf(p, m.records)
	models := []pool.Measured{{Error: m.records.Student}, {Error: masterErrors(m.records)}}
	for k := range models {
		models[k].Cost = make([]float64, len(m.rows))
	}
	ours, paid := pool.Measured{Cost: make([]float64, len(m.rows)), Error: errs}, make([]float64, len(m.rows))
	for k, i := range m.rows {
		models[masterModel].Cost[k] = 1 // where costs are not known every query costs the master the same
		for model, costs := range m.log.Costs {
			if out.Priced {
				models[model].Cost[k] = costs[i]
			}
		}
		paid[k] = float64(deferred[k] * models[masterModel].Cost[k])
		ours.Cost[k] = models[studentModel].Cost[k] + paid[k]
	}
	switch total(deferred) {
	case 0:
		out.Single = studentModel
	case float64(len(deferred)):
		out.Single = masterModel
	}
	if out.Priced {
		out.Worth = pool.Judge([]*pool.Contest{pool.NewContest(m.resamples,
			pool.Claim{Ours: ours, Models: models, Single: out.Single, Margin: margin})})[0]
	}
	if total(models[masterModel].Cost) == 0 {
		return out, nil
	}
	turn, err := pool.TurnOf(m.resamples, pool.Measured{Cost: paid, Error: errs}, models[studentModel],
		models[masterModel], margin)
	out.Turn = &turn
	return out, err
}

func total(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}
