package sufficiency

import (
	"fmt"
	"math"
	"slices"

	"infnet/metrics/infer"
)

// Value is what J is worth to a cascade. Two policies defer where the predicted Δ
// is high: one predicts from the null's columns, the other from J too. Each gets
// the cheapest threshold that meets the error budget on the other folds, and is
// evaluated on the held-out fold. (The predictions on the other folds come from
// models fitted with the held-out fold. All that leaks is one number, the
// threshold, and it leaks for both policies alike.)
type Value struct {
	Budget    float64        `json:"budget"`     // share of errors allowed
	CostNull  infer.Interval `json:"cost_null"`  // mean cost per record, deferring by the null's prediction
	CostFull  infer.Interval `json:"cost_full"`  // and by the full model's
	Saved     infer.Interval `json:"saved"`      // 100·(null − full)/master in percent; positive where J saves
	ErrorNull infer.Interval `json:"error_null"` // share of errors on the held-out folds
	ErrorFull infer.Interval `json:"error_full"`
	// thresholds, of 2·folds, fitted where the budget could not be met: fewest errors instead
	Missed int `json:"missed"`
}

// value computes what the full model's predictions are worth.
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
		of     func([]float64) (infer.Interval, error)
	}{
		{&v.CostNull, costNull, s.resamples.Mean}, {&v.CostFull, costFull, s.resamples.Mean},
		{&v.ErrorNull, errorNull, s.resamples.RateOf}, {&v.ErrorFull, errorFull, s.resamples.RateOf},
	} {
		if *x.to, err = x.of(x.values); err != nil {
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
	}, math.Inf(-1), math.Inf(1), costNull, costFull, master)
	return v, err
}

// costs returns the models' costs of a record; without costs, deferrals are
// counted.
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

// replay applies a policy to every record, with a threshold from the other folds,
// and returns each record's cost and error.
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

// threshold returns the highest threshold that keeps the errors of some records
// within the budget when predictions at or above it are deferred; +Inf defers
// none. Equal predictions are deferred together. Where the budget cannot be met it
// returns the threshold of fewest errors.
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
	allowed := (budget + 1e-9) * float64(len(order)) // absorbs the rounding of a rate
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
