// Package policy fits deferral thresholds: given what student and master did
// on the fit part and an error budget, which answers of the student are
// accepted? It owns the paper's policies (single and per-class thresholds,
// oracle and non-oracle) with their certificates, the whole frontier they can
// reach, mixtures on its hull, and the baselines that need no learning. It
// refuses to guess: budgets are integers, ties move together, and an infeasible
// budget is reported and never hidden. Its opinion: count, do not estimate.
//
// docs/speed.md has its speed.
package policy

import (
	"fmt"
)

// Policy is a fitted rule: accept the student's answer of class k iff its
// confidence is at least Thresholds[k], else ask the master. Every field but
// Thresholds describes the records that the policy was fitted on.
type Policy struct {
	Thresholds   Thresholds // one per class; a single threshold has one entry for every class
	Setting      Setting
	Objective    Objective
	Feasible     bool   // the budget is met; else these are the thresholds of least error
	Budget       Budget // errors allowed
	FitError     Count  // errors made, over all N records
	FitDeferred  int    // records deferred
	N            int    // records
	MinError     Count  // least error any thresholds of this form achieve
	StudentError Count  // errors of the student alone
	MasterError  Count  // errors of the master alone
	Certificate  Certificate
	Warnings     []Warning
}

// Certificate proves how good a policy is. Value, LowerBound and Gap are in
// units of the objective: deferrals, or millionths of the largest master cost of a
// query. For an infeasible budget it is about the thresholds with the least error:
// no others with as few errors defer less.
type Certificate struct {
	Method     Method `toml:"-"`
	Value      int64  `toml:"value"`       // the policy's
	LowerBound int64  `toml:"lower_bound"` // no thresholds within the budget do better than this
	Gap        int64  `toml:"gap"`         // Value − LowerBound ≥ 0
	Optimal    bool   `toml:"optimal"`     // Gap is 0: proven optimal
}

// Accept reports whether the student's answer is accepted: β ≥ θ of its class. With
// a single threshold the class is ignored. It panics on a class that has no
// threshold. NaN is never accepted.
func (p Policy) Accept(class int, beta float64) bool { return p.Thresholds.Accept(class, beta) }

func (p Policy) Decide(r Records) Decisions {
	d := make(Decisions, r.Len())
	for i, beta := range r.Beta {
		d[i] = !p.Accept(r.ClassOf(i), beta)
	}
	return d
}

// Thresholds are the θ of a policy: one per class, or one for all. 0 accepts
// everything, +Inf nothing.
type Thresholds []float64

// Accept reports whether β ≥ θ of the class.
func (t Thresholds) Accept(class int, beta float64) bool {
	if len(t) == 1 {
		return beta >= t[0]
	}
	return beta >= t[class]
}

// WarningKind is the kind of a caveat about a fitted policy.
type WarningKind string

const (
	Infeasible     WarningKind = "infeasible"      // no thresholds meet the budget; those of least error were taken
	NeverPredicted WarningKind = "never-predicted" // the student never predicts the class on the fit part; it is deferred
	SearchStopped  WarningKind = "search-stopped"  // the exact search met its work limit; the certificate states the gap
	GridMissed     WarningKind = "grid-missed"     // no multiplier of the grid met the budget, though it can be met
)

// Warning is a caveat of a fitted policy.
type Warning struct {
	Kind    WarningKind
	Class   int    // the class concerned; −1 = the whole policy
	Message string // one sentence for people
}

// Decisions say for each record whether it is deferred to the master. Every policy
// and baseline yields them, and metrics need nothing else.
type Decisions []bool

func (d Decisions) Deferred() int {
	n := 0
	for _, x := range d {
		if x {
			n++
		}
	}
	return n
}

// Outcome is the errors and deferrals of decisions on records.
type Outcome struct {
	N        int
	Deferred int
	Error    Count // errors of the cascade: the student's where accepted, the master's where deferred
}

// Outcome counts the errors and deferrals of decisions on these records.
func (r Records) Outcome(d Decisions) (Outcome, error) {
	if err := r.Validate(); err != nil {
		return Outcome{}, err
	}
	if len(d) != r.Len() {
		return Outcome{}, fmt.Errorf("%d decisions for %d records", len(d), r.Len())
	}
	out := Outcome{N: len(d), Deferred: d.Deferred(), Error: Count{0, Scale(r.Student, r.Master)}}
	for i, deferred := range d {
		e := r.Student[i]
		if deferred {
			e = r.MasterError(i)
		}
		out.Error.Units += Units(e, out.Error.Scale)
	}
	return out, nil
}
