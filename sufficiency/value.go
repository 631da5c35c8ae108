package sufficiency

import (
	"fmt"
	"math"
	"slices"

	"infnet/metrics/infer"
)

// Value is what J is worth to a cascade: two policies defer where the predicted
// Δ is high, predicted once from what the null knows and once from J too. Both
// get thresholds on the other folds, the cheapest that keep within the budget
// of errors there, and both are judged on the fold left out. (The predictions
// on the other folds come from models that saw the fold left out; what passes
// through to it is one number, the threshold, for both policies alike.)
type Value struct {
	Budget    float64        `json:"budget"`     // share of errors allowed
	CostNull  infer.Interval `json:"cost_null"`  // mean cost per record, deferring by the null's prediction
	CostFull  infer.Interval `json:"cost_full"`  // and by the full model's
	Saved     infer.Interval `json:"saved"`      // 100·(null − full)/master in percent; positive where J saves
	ErrorNull infer.Interval `json:"error_null"` // what the budget became on the folds left out
	ErrorFull infer.Interval `json:"error_full"`
	// thresholds of 2·folds that no budget could be met with: fewest errors instead
	Missed int `json:"missed"`
}

// value prices the full model's predictions.
func (s *nullTests) value(full []float64) (*Value, error) {
	v := &Value{Budget: min(mean(s.StudentErr), mean(s.MasterErr))}
	if s.o.Budget != nil {
		v.Budget = *s.o.Budget
	}
	costNull, errorNull := s.replay(s.predicted, v)
	costFull, errorFull := s.replay(full, v)
	master := make([]float64, s.n)
	for i := range master {
		_, master[i] = s.costs(i)
	}
	var err error
	for _, x := range []struct {
		to     *infer.Interval
		values []float64
	}{{&v.CostNull, costNull}, {&v.CostFull, costFull}, {&v.ErrorNull, errorNull}, {&v.ErrorFull, errorFull}} {
		if *x.to, err = s.resamples.Mean(x.values); err != nil {
			return nil, err
		}
	}
	if total(master) <= 0 {
		return nil, fmt.Errorf("the master costs nothing on %d records; give costs above 0", s.n)
	}
	v.Saved, err = s.resamples.Of(func(x []float64) float64 {
		if x[2] <= 0 {
			return 0
		}
		return 100 * (x[0] - x[1]) / x[2]
	}, costNull, costFull, master)
	return v, err
}

// costs are those of a record; without costs deferrals are counted.
func (s *nullTests) costs(i int) (student, master float64) {
	master = 1
	if s.StudentCost != nil {
		student = s.StudentCost[i]
	}
	if s.MasterCost != nil {
		master = s.MasterCost[i]
	}
	return student, master
}

// replay lets a policy decide on every record, with a threshold from the other
// folds, and returns what each record cost and whether it was wrong.
func (s *nullTests) replay(predicted []float64, v *Value) (cost, wrong []float64) {
	cost, wrong = make([]float64, s.n), make([]float64, s.n)
	for k := range s.fit.in {
		threshold, met := s.threshold(predicted, s.fit.out[k], v.Budget)
		if !met {
			v.Missed++
		}
		for _, i := range s.fit.in[k] {
			student, master := s.costs(int(i))
			cost[i], wrong[i] = student, s.StudentErr[i]
			if predicted[i] >= threshold {
				cost[i], wrong[i] = student+master, s.MasterErr[i]
			}
		}
	}
	return cost, wrong
}

// threshold returns the highest prediction from which up deferring keeps the
// errors of some records within the budget; +Inf defers none. Equal
// predictions are deferred together. Where the budget cannot be met it returns
// the threshold of fewest errors.
func (s *nullTests) threshold(predicted []float64, records []int32, budget float64) (threshold float64, met bool) {
	order := slices.Clone(records)
	slices.SortStableFunc(order, func(a, b int32) int {
		switch {
		case predicted[a] > predicted[b]:
			return -1
		case predicted[a] < predicted[b]:
			return 1
		}
		return 0
	})
	errors := 0.0
	for _, i := range order {
		errors += s.StudentErr[i]
	}
	allowed := (budget + 1e-9) * float64(len(order)) // a rate that was divided comes back whole
	best := math.Inf(1)
	fewest := errors
	if errors <= allowed {
		return best, true
	}
	for k, i := range order {
		errors += s.MasterErr[i] - s.StudentErr[i]
		if k+1 < len(order) && predicted[order[k+1]] == predicted[i] {
			continue
		}
		if errors <= allowed {
			return predicted[i], true
		}
		if errors < fewest {
			fewest, best = errors, predicted[i]
		}
	}
	return best, false
}
