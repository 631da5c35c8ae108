package population

import (
	"fmt"
	"math"

	"infnet/harness/policy"
)

// Outcome is what thresholds do on records, counted.
type Outcome struct {
	N        int          `json:"n"`
	Errors   policy.Count `json:"errors"`
	Deferred int          `json:"deferred"`
}

// softScale is the number of units of an error where some are neither 0 nor 1,
// as policies count them.
const softScale = 1 << 32

// Realised counts what thresholds do on records; Master nil never errs. The
// thresholds are one, or one per class. O(N).
func Realised(theta policy.Thresholds, r policy.Records) (Outcome, error) {
	if err := r.Validate(); err != nil {
		return Outcome{}, err
	}
	if len(theta) != 1 && len(theta) != max(r.Classes, 1) {
		return Outcome{}, fmt.Errorf("%d thresholds for %d classes: want one, or one per class", len(theta), max(r.Classes, 1))
	}
	p := policy.Policy{Thresholds: theta}
	return count(r, p.Decide(r)), nil
}

func count(r policy.Records, deferred policy.Decisions) Outcome {
	scale := int64(1)
	for _, column := range [][]float64{r.Student, r.Master} {
		for _, v := range column {
			if v != 0 && v != 1 {
				scale = softScale
			}
		}
	}
	out := Outcome{N: r.Len(), Errors: policy.Count{Scale: scale}}
	for i, d := range deferred {
		e := r.Student[i]
		if d {
			out.Deferred++
			if e = 0; r.Master != nil {
				e = r.Master[i]
			}
		}
		out.Errors.Units += int64(math.RoundToEven(e * float64(scale)))
	}
	return out
}

// Compared is one population method beside the exact solution.
type Compared struct {
	Method      Method      `json:"method"`
	MasterError MasterError `json:"master_error"`
	Solution    Solution    `json:"solution"`
	Realised    Outcome     `json:"realised"`      // its thresholds on the records
	Missed      float64     `json:"missed"`        // realised error − budget, per query; positive: over the budget
	Extra       float64     `json:"extra"`         // share realised as deferred − the exact solution's; negative only where the budget is missed, or nothing meets it
	ErrorBias   float64     `json:"error_bias"`    // error the estimate promised − realised
	DeferBias   float64     `json:"deferred_bias"` // deferrals promised − realised
	Failed      string      `json:"failed,omitempty"`
}

// Comparison is the exact solution with population methods beside it, all on
// the same records.
type Comparison struct {
	Single bool          `json:"single"`
	Exact  policy.Policy `json:"exact"`
	Rows   []Compared    `json:"rows"`
}

// CompareOptions say what to compare.
type CompareOptions struct {
	Options                    // Method and MasterError are ignored
	Single       bool          // one threshold instead of one per class
	Methods      []Method      // nil = Methods()
	MasterErrors []MasterError // nil = both; in the oracle setting, where they agree, the curve
}

// Compare fits the exact thresholds (policy.Exact) and those of every population
// method on the same records and counts what each does there. The exact budget
// is a whole number of errors; methods are solved for the same target as a rate
// and judged by the exact budget. A method that fails on the records has its
// error in Failed and no numbers.
func Compare(r policy.Records, o CompareOptions) (Comparison, error) {
	if o.Methods == nil {
		o.Methods = Methods()
	}
	if o.MasterErrors == nil {
		o.MasterErrors = MasterErrors()
		if o.Setting == policy.Oracle {
			o.MasterErrors = []MasterError{ErrorCurve}
		}
	}
	out := Comparison{Single: o.Single}
	exact, estimate := policy.FitMulti, FitMulti
	if o.Single {
		exact, estimate = policy.FitSingle, FitSingle
	}
	var err error
	if out.Exact, err = exact(r, policy.Options{Setting: o.Setting, Target: o.Target}); err != nil {
		return Comparison{}, err
	}
	if o.Setting == policy.Oracle {
		r.Master = nil
	}
	n := float64(r.Len())
	var fits []Fit // the density does not depend on the curve: tested once
	for _, m := range o.Methods {
		for _, master := range o.MasterErrors {
			row := Compared{Method: m, MasterError: master}
			options := o.Options
			options.Method, options.MasterError = m, master
			d, _ := m.halves()
			if fits != nil {
				options.Rand = nil
			}
			if row.Solution, err = estimate(r, options); err != nil {
				row.Failed = err.Error()
				out.Rows = append(out.Rows, row)
				continue
			}
			if d == betas && fits != nil {
				row.Solution.Fit = fits
			} else if d == betas {
				fits = row.Solution.Fit
			}
			if row.Realised, err = Realised(row.Solution.Thresholds, r); err != nil {
				return Comparison{}, err
			}
			rate := row.Realised.Errors.Rate(r.Len())
			deferred := float64(row.Realised.Deferred) / n
			row.Missed = rate - out.Exact.Budget.Errors.Rate(r.Len())
			row.Extra = deferred - float64(out.Exact.FitDeferred)/n
			row.ErrorBias, row.DeferBias = row.Solution.Error-rate, row.Solution.Deferred-deferred
			out.Rows = append(out.Rows, row)
		}
	}
	return out, nil
}
