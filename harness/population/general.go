package population

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"infnet/harness/calc"
	"infnet/harness/policy"
)

// General is the policy of app:multi_general_policies without threshold form:
// accept a query of class k and confidence β where its estimated excess error
// is at most t = c_m/λ. Errors and deferrals are counted on the records whose
// estimates were out of fold.
type General struct {
	Level    float64 // t ∈ [0,1]
	DeferAll bool    // no t ≥ 0 with fewer deferrals meets the budget; Level is 0 and not used
	Feasible bool    // within the budget; else the t of least error
	Budget   policy.Budget
	Outcome  policy.Outcome
}

// Accept reports whether an answer with this estimated excess error is accepted.
// NaN is never accepted.
func (g General) Accept(excess float64) bool { return !g.DeferAll && excess <= g.Level }

// outOfFold returns an estimate of every record's excess error Δ_k(β) by the
// error curve of o.Method, fitted per class on the records of the other folds.
// fold[i] ≥ 0 is the fold of record i, and there are at least two. Records of a
// class that no other fold contains get +Inf: what was never seen is deferred.
// O(folds·N log N).
func outOfFold(r policy.Records, fold []int, o Options) ([]float64, error) {
	o = o.withDefaults()
	out := make([]float64, r.Len())
	for _, f := range slices.Compact(slices.Sorted(slices.Values(fold))) {
		var rest, held []int
		for i := range fold {
			if fold[i] == f {
				held = append(held, i)
			} else {
				rest = append(rest, i)
			}
		}
		e, err := New(r.Pick(rest), o)
		if err != nil {
			return nil, fmt.Errorf("records outside fold %d: %w", f, err)
		}
		for _, i := range held {
			out[i] = math.Inf(1)
			if c := e.Population[r.ClassOf(i)]; c.P > 0 {
				out[i] = c.Excess(r.Beta[i])
			}
		}
	}
	return out, nil
}

// solveGeneral finds the level: of all t in [0,1] and deferring everything, the
// one with the fewest deferrals that meets the budget; ties of the estimate
// are accepted or deferred as one. Among levels that accept the same records it
// states the least. An infeasible budget gives the t of least error, then of
// fewest deferrals. excess is what outOfFold returned for r. O(N log N).
func solveGeneral(r policy.Records, excess []float64, budget policy.Budget, o Options) (General, error) {
	o = o.withDefaults()
	if o.Setting == policy.Oracle {
		r.Master = nil
	}
	all, err := r.Outcome(slices.Repeat(policy.Decisions{true}, r.Len()))
	if err != nil {
		return General{}, err
	}
	g := General{Budget: budget, DeferAll: true, Outcome: all}
	g.Feasible = all.Error.Units <= budget.Errors.Units
	level := make([]float64, len(excess)) // the least at which each record is accepted
	for i, x := range excess {
		level[i] = max(x, 0)
	}
	now := all
	for equal := range calc.Ties(level) {
		at := level[equal[0]]
		if at > 1 {
			break // unseen
		}
		for _, i := range equal {
			now.Deferred--
			now.Error.Units += policy.Units(r.Student[i], now.Error.Scale) - policy.Units(r.MasterError(i), now.Error.Scale)
		}
		within, better := now.Error.Units <= budget.Errors.Units, now.Deferred < g.Outcome.Deferred
		if !within {
			errors := cmp.Compare(now.Error.Units, g.Outcome.Error.Units)
			better = errors < 0 || errors == 0 && better
		}
		if within && !g.Feasible || within == g.Feasible && better {
			g.Level, g.DeferAll, g.Feasible, g.Outcome = at, false, within, now
		}
	}
	return g, nil
}

// FormLoss compares the policy without threshold form with the best threshold
// policy, for the same budget on the same records.
type FormLoss struct {
	Free      General       // estimates out of fold, one level t
	Exact     policy.Policy // one threshold per class, the cheapest on these very records
	Estimates []float64     // of each record's excess error, out of fold
}

// Loss is what the threshold form costs: the share deferred by the exact
// thresholds less the share deferred without the form. It is biased in favour of
// the thresholds: they are K numbers fitted to these very counts, while the
// estimates are out of fold. So a positive loss is real, and a loss of 0 or less
// means that these records show no gain from giving up the form. ok is false
// where either policy misses the budget.
func (l FormLoss) Loss() (loss float64, ok bool) {
	return float64(l.Exact.FitDeferred-l.Free.Outcome.Deferred) / float64(max(l.Exact.N, 1)), l.Free.Feasible &&
		l.Exact.Feasible
}

// MeasureForm fits both for the target of o. Free takes the error curve of
// o.Method, Nadaraya–Watson by default. fold is as for outOfFold.
func MeasureForm(r policy.Records, fold []int, o Options) (FormLoss, error) {
	o = o.withDefaults()
	var l FormLoss
	excess, err := outOfFold(r, fold, o)
	if err != nil {
		return l, err
	}
	if l.Exact, err = policy.FitMulti(r, policy.Options{Setting: o.Setting, Target: o.Target}); err != nil {
		return l, err
	}
	l.Estimates = excess
	l.Free, err = solveGeneral(r, excess, l.Exact.Budget, o)
	return l, err
}
