package note

import "infnet/metrics/infer"

// Caveats of a row.

// Ensemble: so many models answer every query.
type Ensemble struct{ Models int }

// OwnBudget: the row was fitted to another budget than the single threshold.
type OwnBudget struct{ Target, Errors string } // as written; allowed errors on the fit part, exact

// NeverPredicted: classes that the student never predicts on the fit part.
type NeverPredicted struct{ Classes []string }

// NotMonotone: classes whose estimated excess error rises somewhere with the
// confidence.
type NotMonotone struct{ Classes []string }

// NoSpread: classes whose confidences are all equal, or nearly so.
type NoSpread struct{ Classes []string }

// Oracle: the row decides by the errors themselves.
type Oracle struct{ Chain bool }

// Coins: the row is an expectation over coins.
type Coins struct {
	P               float64  // probability to defer
	Chain           bool     // a coin at every stage
	Averaged        []string // titles of the metrics whose value is a mean over the draws
	Draws           int
	Metric          string  // the first metric's title; below it in single draws:
	Mean, Low, High float64 // as rates
	Level           float64 // share of the draws between Low and High
	Rival           *Rival  // what is cheaper without a cascade and errs no more; nil = nothing
}

// Guarantee is what was tested of a promise.
type Guarantee struct {
	Method    string
	Level     float64 // error per record, or its excess over the reference's
	Reference string  // the model whose error it is relative to; "" = none
	Delta     float64 // probability that it is broken; 0 = it holds on average
	Proposed  int     // records that propose thresholds
	Tested    string  // records that test them, in words
	Split     string  // hash
	Largest   int     // most records of a group that the promise is about; 0 = every record is alone
}

// Certified: the promise holds.
type Certified struct{ Guarantee }

// Uncertified: no candidate passed.
type Uncertified struct{ Guarantee }

// Mixture: a coin between two policies, and the deterministic one next to it.
type Mixture struct {
	Alpha    float64 // probability of the stricter one
	Deferred float64 // records of the fit part, expected
	Exact    int     // the same of the best deterministic policy
	ByCost           // in place of counts
}

// FreeForm: a policy without threshold form, and the best thresholds.
type FreeForm struct {
	Level    float64 // accepted up to this estimated excess error
	Deferred int     // records of the fit part
	Exact    int     // the same of the best thresholds
	ByCost           // in place of counts
}

// ByCost is what deferrals cost where policies minimise that.
type ByCost struct {
	Minimised       bool
	Cost, ExactCost float64 // of the row, and of the exact policy that it is next to
	Unit            string
}

// PairsOnly: what the study asks for that chains do not have.
type PairsOnly struct {
	Classed   bool     // thresholds per class
	Compare   []string // other ways to find a policy
	Guarantee bool
}

// Descent: thresholds of more than three models, found by descent.
type Descent struct {
	Feasible bool
	// per query on the fit part, in the cascade's unit; no thresholds within the budget cost less than Bound
	Cost, Bound float64
}

// ChainInfeasible: no thresholds of the chain meet the budget.
type ChainInfeasible struct{}

// ChainAlone: the chain meets the budget and no pair does.
type ChainAlone struct{}

// ExtraModel: what a chain saves beyond its best pair.
type ExtraModel struct {
	Models []string // those that the pair does without
	Pair   [2]string
	Pays   string         // "yes", "no" or "unclear"
	Saved  infer.Interval // of the chain minus that of the pair, in percent of the master's cost
	Error  infer.Interval // rate of the chain minus that of the pair
}

// SamePair: the chain does what its best pair does.
type SamePair struct {
	Models []string
	Pair   [2]string
}

func (Ensemble) Kind() Kind        { return "ensemble" }
func (OwnBudget) Kind() Kind       { return "budget" }
func (NeverPredicted) Kind() Kind  { return "never-predicted" }
func (NotMonotone) Kind() Kind     { return "not-monotone" }
func (NoSpread) Kind() Kind        { return "no-spread" }
func (Oracle) Kind() Kind          { return "oracle" }
func (Coins) Kind() Kind           { return "random" }
func (Certified) Kind() Kind       { return "certified" }
func (Uncertified) Kind() Kind     { return "uncertified" }
func (Mixture) Kind() Kind         { return "randomised" }
func (FreeForm) Kind() Kind        { return "generalised" }
func (PairsOnly) Kind() Kind       { return "pairs-only" }
func (Descent) Kind() Kind         { return "descent" }
func (ChainInfeasible) Kind() Kind { return "extra-model" }
func (ChainAlone) Kind() Kind      { return "extra-model" }
func (ExtraModel) Kind() Kind      { return "extra-model" }
func (SamePair) Kind() Kind        { return "extra-model" }
