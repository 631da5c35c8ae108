// Package policy fits deferral thresholds: given what student and master did
// on the fit part and an error budget, which answers of the student are
// accepted? It owns the paper's policies (single and per-class thresholds,
// oracle and non-oracle) with their certificates, the whole frontier they can
// reach, mixtures on its hull, and the baselines that need no learning. It
// refuses to guess: budgets are integers, ties move together, and an infeasible
// budget is reported and never hidden. Its opinion: count, do not estimate.
//
// BENCHMARKS.md has its speed.
package policy

import (
	"encoding/json"
	"fmt"
	"math"
)

// Policy is a fitted rule: accept the student's answer of class k iff its
// confidence is at least Thresholds[k], else ask the master. Every field but
// Thresholds describes the records that the policy was fitted on.
type Policy struct {
	Thresholds   Thresholds  `json:"thresholds"` // one per class; a single threshold has one entry for every class
	Setting      Setting     `json:"setting"`
	Objective    Objective   `json:"objective"`
	Feasible     bool        `json:"feasible"`      // the budget is met; else these are the thresholds of least error
	Budget       Budget      `json:"budget"`        // errors allowed
	FitError     Count       `json:"fit_error"`     // errors made, over all N records
	FitDeferred  int         `json:"fit_deferred"`  // records deferred
	N            int         `json:"n"`             // records
	MinError     Count       `json:"min_error"`     // least error any thresholds of this form achieve
	StudentError Count       `json:"student_error"` // errors of the student alone
	MasterError  Count       `json:"master_error"`  // errors of the master alone
	Certificate  Certificate `json:"certificate"`
	Warnings     []Warning   `json:"warnings,omitempty"`
}

// Certificate proves how good a policy is. Value, LowerBound and Gap are in
// units of the objective: deferrals, or millionths of the largest master cost of a
// query. For an infeasible budget it is about the thresholds with the least error:
// no others with as few errors defer less.
type Certificate struct {
	Method     Method `json:"method"`
	Value      int64  `json:"value"`       // the policy's
	LowerBound int64  `json:"lower_bound"` // no thresholds within the budget do better than this
	Gap        int64  `json:"gap"`         // Value − LowerBound ≥ 0
	Optimal    bool   `json:"optimal"`     // Gap is 0: proven optimal
}

// Accept reports whether the student's answer is accepted: β ≥ θ of its class. With
// a single threshold the class is ignored. It panics on a class that has no
// threshold. NaN is never accepted.
func (p Policy) Accept(class int, beta float64) bool { return p.Thresholds.Accept(class, beta) }

// Decide applies the policy to records: which are deferred?
func (p Policy) Decide(r Records) Decisions {
	d := make(Decisions, r.Len())
	for i, beta := range r.Beta {
		class := 0
		if r.Class != nil {
			class = r.Class[i]
		}
		d[i] = !p.Accept(class, beta)
	}
	return d
}

// Thresholds are the θ of a policy: one per class, or one for all. 0 accepts
// everything, +Inf nothing. In JSON +Inf is the string "inf".
type Thresholds []float64

// Accept reports whether β ≥ θ of the class.
func (t Thresholds) Accept(class int, beta float64) bool {
	if len(t) == 1 {
		return beta >= t[0]
	}
	return beta >= t[class]
}

// MarshalJSON writes +Inf as "inf".
func (t Thresholds) MarshalJSON() ([]byte, error) {
	out := make([]any, len(t))
	for i, v := range t {
		switch {
		case math.IsInf(v, 1):
			out[i] = "inf"
		case !(v >= 0):
			return nil, fmt.Errorf("threshold %d is %v: want a number ≥ 0 or +Inf", i, v)
		default:
			out[i] = v
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads numbers and "inf".
func (t *Thresholds) UnmarshalJSON(b []byte) error {
	var in []json.RawMessage
	if err := json.Unmarshal(b, &in); err != nil {
		return fmt.Errorf("thresholds: %w", err)
	}
	out := make(Thresholds, len(in))
	for i, raw := range in {
		if string(raw) == `"inf"` {
			out[i] = math.Inf(1)
			continue
		}
		if err := json.Unmarshal(raw, &out[i]); err != nil || string(raw) == "null" || !(out[i] >= 0) {
			return fmt.Errorf(`threshold %d is %s: want a number ≥ 0 or "inf"`, i, raw)
		}
	}
	*t = out
	return nil
}
