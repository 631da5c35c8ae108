package policy

// WarningKind is the kind of a caveat about a fitted policy.
type WarningKind string

// The warnings.
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
