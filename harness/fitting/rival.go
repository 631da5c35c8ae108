package fitting

import (
	"errors"
	"slices"
	"strings"

	"infnet/harness/policy"
	"infnet/harness/pool"
	"infnet/harness/result"
)

// Models of a log, by position.
const (
	studentModel = iota
	masterModel
)

// Names are what the two models of a log are called in sentences.
var Names = [2]string{"the student", "the master"}

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
func (m *measurer) rival(errs, deferred []float64, margin float64) (*result.Rival, error) {
	out, priced, single := &result.Rival{Margin: margin}, m.log.Costs[masterModel] != nil, pool.None
	models := []pool.Measured{{Error: m.records.Student}, {Error: masterErrors(m.records)}}
	for k := range models {
		models[k].Cost = make([]float64, len(m.rows))
	}
	ours, paid := pool.Measured{Cost: make([]float64, len(m.rows)), Error: errs}, make([]float64, len(m.rows))
	for k, i := range m.rows {
		models[masterModel].Cost[k] = 1 // where costs are not known every query costs the master the same
		for model, costs := range m.log.Costs {
			if priced {
				models[model].Cost[k] = costs[i]
			}
		}
		paid[k] = float64(deferred[k] * models[masterModel].Cost[k])
		ours.Cost[k] = models[studentModel].Cost[k] + paid[k]
	}
	switch total(deferred) {
	case 0:
		single = studentModel
	case float64(len(deferred)):
		single = masterModel
	}
	if priced {
		out.Conclude(pool.Judge([]*pool.Contest{pool.NewContest(m.resamples,
			pool.Claim{Ours: ours, Models: models, Single: single, Margin: margin})})[0], Names[:])
	}
	if single != pool.None {
		out.Single, out.Verdict = Names[single], string(pool.Same)
	}
	if total(models[masterModel].Cost) == 0 {
		return out, nil
	}
	turn, err := pool.TurnOf(m.resamples, pool.Measured{Cost: paid, Error: errs}, models[studentModel],
		models[masterModel], margin)
	out.Ratio, out.BreakEven = turn.Ratio, &turn.BreakEven
	return out, err
}

func total(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// The forms of thresholds.
const (
	one      = "one threshold"
	perClass = "a threshold per class"
)

// priced ends the names of policies of least loss.
const priced = ", priced"

// fitPriced adds the policies of least loss at the price of an error, the one to deploy last.
func (r *Result) fitPriced(o Options) error {
	costs := r.Log.Costs[masterModel]
	switch {
	case costs == nil:
		return errors.New("--error-cost is weighed against what a query costs: say that with --student-cost and " +
			"--master-cost, in one unit")
	case o.Guarantee != nil:
		return errors.New("--error-cost prices errors and --guarantee bounds them: give one of them")
	}
	in := r.onFit
	for _, i := range r.Fit {
		in.MasterCost = append(in.MasterCost, costs[i])
	}
	forms := []string{one, perClass}
	if r.Log.Class == "" {
		forms = forms[:1]
	}
	for _, name := range forms {
		p, err := policy.FitPriced(in, o.Options, o.ErrorCost, name == one)
		if err != nil {
			return err
		}
		r.Policies = append(r.Policies, Fitted{Name: name + priced, Policy: p})
	}
	return nil
}

// price sets the priced policies beside each model alone, by what a query of the measured rows loses.
func (m *measurer) price(r *Result, errorCost float64) (*result.Price, error) {
	out := &result.Price{ErrorCost: errorCost}
	student, master := make([]float64, len(m.rows)), make([]float64, len(m.rows))
	for k, i := range m.rows {
		student[k], master[k] = m.log.Costs[studentModel][i], m.log.Costs[masterModel][i]
	}
	var losses [][]float64
	var kinds []int
	add := func(name, title string, kind int, errs, costs []float64, least, most float64) error {
		column := make([]float64, len(costs))
		for k := range column {
			column[k] = costs[k] + float64(errorCost*errs[k])
		}
		iv, err := m.resamples.MeanWithin(column, least, most+errorCost)
		losses, kinds = append(losses, column), append(kinds, kind)
		out.Rows = append(out.Rows, result.Loss{Policy: name, Title: title, Loss: iv})
		return err
	}
	least, dear := slices.Min(student), slices.Max(master)
	err := errors.Join(add("none", "the student alone", 0, m.records.Student, student, least, slices.Max(student)),
		add("all", "the master alone", 1, masterErrors(m.records), master, slices.Min(master), dear))
	for _, p := range r.Policies {
		if form, ok := strings.CutSuffix(p.Name, priced); ok {
			errs, paid := outcomesOf(p.Policy, m.records)
			for k := range paid {
				paid[k] = student[k] + float64(paid[k]*master[k])
			}
			name := map[bool]string{true: "single-priced", false: "multi-priced"}[form == one]
			err = errors.Join(err, add(name, form, 2, errs, paid, least, slices.Max(student)+dear))
		}
	}
	if err != nil {
		return nil, err
	}
	advice, err := policy.Advise(m.resamples, losses, kinds)
	if err != nil {
		return nil, err
	}
	out.Advice, out.Settled = out.Rows[advice.Best].Policy, advice.Settled
	for k := range out.Rows {
		out.Rows[k].More = advice.More[k]
	}
	return out, nil
}
