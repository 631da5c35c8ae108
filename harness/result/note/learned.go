package note

// Caveats of baselines that learn.

// Learner is what a learner reads and predicts, and what asking it costs.
type Learner struct {
	Name, Reads, Predicts string
	Released              bool   // as the authors' code
	Charge                string // "cascade" or "router"
	Overhead              Overhead
	Cost                  float64 // of one score, in Unit
	Unit                  string
}

// Overhead says how the learner's own work is charged.
type Overhead string

// The ways.
const (
	Operations Overhead = "operations" // its own, added to the query's
	Uncharged  Overhead = "uncharged"  // the summary of costs is no sum of operations
	Unpriced   Overhead = "unpriced"   // the spec states no cost: 0
)

// LearnedScore: a learner estimates whether the student's answer is right.
type LearnedScore struct {
	Learner
	Ours       string // title of the row whose cost it may spend
	Sure       bool   // the larger of P(right) and P(wrong) is compared with the threshold
	Affordable bool   // its scores alone cost no more than what ours defers
}

// LearnedRouter: a learner estimates whether the student's answer is as good as
// the master's.
type LearnedRouter struct {
	Learner
	Quality  string  // of an answer
	Delta    float64 // allowed drop of its mean
	Relative bool    // Delta is a share of the master's
}

// OneLabel: all labels of the fit part are equal.
type OneLabel struct {
	Records  int
	Predicts string
	One      bool    // the label: 1
	Score    float64 // of every record
	Defers   bool    // everything, or nothing
}

// DropMissed: no threshold keeps the drop of the mean quality within δ.
type DropMissed struct {
	Quality     string
	Delta, Drop float64 // allowed; of the threshold next to it
}

// Trivial: the best threshold defers everything or nothing.
type Trivial struct{ Defers bool }

// LearnerReplaced: another learner than the program that the study names.
type LearnerReplaced struct{ Model, For string }

// EmbedderUncounted: the learner looks at embeddings, which are not charged.
type EmbedderUncounted struct{ Embedder string }

// FitSeen: the one fit trained on most of the records that its threshold is
// fitted to, and stopped and was calibrated by the rest.
type FitSeen struct{ Records, Held int }

// Uncalibrated: fits of the cross-fit that could not be calibrated.
type Uncalibrated struct{ Fits, Of int }

func (LearnedScore) Kind() Kind      { return "learned" }
func (LearnedRouter) Kind() Kind     { return "learned" }
func (OneLabel) Kind() Kind          { return "one-label" }
func (DropMissed) Kind() Kind        { return "delta" }
func (Trivial) Kind() Kind           { return "trivial" }
func (LearnerReplaced) Kind() Kind   { return "stand-in-learner" }
func (EmbedderUncounted) Kind() Kind { return "learner" }
func (Uncalibrated) Kind() Kind      { return "learner" }
func (FitSeen) Kind() Kind           { return "fit-seen" }
