// Package compare compares two runs of one study: what changed, why, and whether it is worse.
//
// It owns the four levels of the answer (bytes, numbers, decisions of single records, statistics), the causes that
// hashes and settings name, and the verdict on every quantity, and the words for all that. It refuses to read files,
// which package accept does, and to choose exit codes.
//
// Its opinion: the cheapest level that answers is the answer. A test is paired by record; a verdict says which change
// of the inputs it came with; and where nothing can be decided, how many records it would take.
package compare

import "infnet/metrics/infer"

// Version is the version of a comparison as JSON.
const Version = 1

// Comparison is everything that a comparison of two runs found.
type Comparison struct {
	Version int     `json:"version"`
	Study   string  `json:"study"`
	Old     Side    `json:"old"`
	New     Side    `json:"new"`
	Level   Level   `json:"level"`   // the level that answered
	Alpha   float64 `json:"alpha"`   // the level of the tests: P(any quantity is called worse while none is) ≤ alpha
	Verdict Verdict `json:"verdict"` // the gravest of the quantities'
	Summary string  `json:"summary"` // the verdict in one sentence

	Causes     []Cause    `json:"causes,omitempty"`     // what differs between the inputs, in the order in which it acts
	Quantities []Quantity `json:"quantities,omitempty"` // by cascade, dataset, policy, metric
	Moved      []Moved    `json:"moved,omitempty"`      // records whose decision or correctness changed
	Added      []Place    `json:"added,omitempty"`      // only in the new run: nothing to compare with
	Gone       []Place    `json:"gone,omitempty"`       // only in the old run
	Records    []Paired   `json:"records,omitempty"`    // which records were compared, by cascade and dataset
	Incomplete []Place    `json:"incomplete,omitempty"` // where more answers are missing than the study allows
	Remarks    []string   `json:"remarks,omitempty"`    // what a reader must know, in sentences
}

// Side is one of the two runs.
type Side struct {
	Name     string `json:"name"`               // the folder or file, as it was named
	Program  string `json:"program"`            // version and revision
	Accepted string `json:"accepted,omitempty"` // the day on which it was accepted, 2006-01-02; "" = a run's folder
	Because  string `json:"because,omitempty"`  // why it was accepted
	Hash     string `json:"hash"`               // SHA-256 of the accepted file, or of the run's results and records

	// Look identifies what was measured: the study, its answers and its data, and every number that follows from them by
	// record. Two nights of the same look are one test; a new program that changes none of these is no new look.
	Look string `json:"look"`
}

// Level is how far a comparison had to go.
type Level string

// The levels, in the order in which they are tried.
const (
	Bytes      Level = "bytes"      // results and records have the same bytes
	Numbers    Level = "numbers"    // every number of the tables is the same, and so is every threshold
	Decisions  Level = "decisions"  // no decision, no grade and no score of a record differs
	Statistics Level = "statistics" // records differ, and paired tests say what follows
)

// Verdict is what a comparison says of a quantity, or of a run.
type Verdict string

// The verdicts, the gravest first.
const (
	Worse      Verdict = "worse"      // worse than before, at the level of the tests
	Incomplete Verdict = "incomplete" // answers are missing: nothing is said about better or worse
	Undecided  Verdict = "undecided"  // it differs on these records, and chance alone could explain it
	Better     Verdict = "better"     // better than before, at the level of the tests
	// It changed, and there is nothing to test: it has no good direction, or it differs only in what is no chance,
	// such as the records that it is measured on.
	Shifted Verdict = "moved"
	Same    Verdict = "same" // the same number
)

// Gravity lists the verdicts, the gravest first: a run has that of its gravest quantity.
var Gravity = []Verdict{Worse, Incomplete, Undecided, Better, Shifted, Same}

// told lists them as they are told: what is known before what is not.
var told = []Verdict{Worse, Incomplete, Better, Undecided, Shifted, Same}

// Count is the number of quantities with a verdict.
func (c *Comparison) Count(v Verdict) (n int) {
	for i := range c.Quantities {
		n += tell(c.Quantities[i].Verdict == v)
	}
	return n
}

// Direction says which way a quantity is good.
type Direction string

// The directions.
const (
	Higher  Direction = "higher"
	Lower   Direction = "lower"
	Neither Direction = "neither" // deferrals: good and bad only by what they cost and save, and not tested
)

// Quantity is one number of the tables in both runs.
type Quantity struct {
	Cascade   string    `json:"cascade"`
	Dataset   string    `json:"dataset"`
	Policy    string    `json:"policy"`
	Title     string    `json:"title,omitempty"`    // the policy's, in the tables of the new run
	Baseline  bool      `json:"baseline,omitempty"` // a competing policy: not tested
	Metric    string    `json:"metric"`             // error, deferred, cost, saved_pct, saved_query_pct, or a performance metric's name
	Unit      string    `json:"unit,omitempty"`
	Direction Direction `json:"direction"`
	Verdict   Verdict   `json:"verdict"`
	Causes    []Kind    `json:"causes,omitempty"` // of Comparison.Causes, those that touch it

	Old infer.Interval `json:"old"` // as in its run's tables
	New infer.Interval `json:"new"`

	// AtAccepted is the new value on the records of both test parts where the accepted thresholds decide; nil = compared
	// as fitted. The test is about it: thresholds fitted to other answers are others by chance.
	AtAccepted *float64 `json:"at_accepted,omitempty"`

	// Tested says that the quantity was tested, and is one of Hypotheses. The rest is empty where it was not.
	Tested     bool           `json:"tested"`
	Test       string         `json:"test,omitempty"`     // mcnemar, sign-flip or swap
	Difference infer.Interval `json:"difference"`         // new less old, on the records of both test parts
	Improved   int            `json:"improved,omitempty"` // records that are better now
	Worsened   int            `json:"worsened,omitempty"` // records that are worse now: exactly worse, without a test
	P          float64        `json:"p"`                  // in the direction seen
	Few        bool           `json:"few,omitempty"`      // of costs: too few records carry the difference for a smaller p
	Adjusted   float64        `json:"adjusted"`           // by Holm over the hypotheses of the study
	Hypotheses int            `json:"hypotheses,omitempty"`
	SameAs     string         `json:"same_as,omitempty"`    // the first quantity of its hypothesis, where that is another
	Detectable float64        `json:"detectable,omitempty"` // the smallest difference seen with probability 0.8; 0 = none
	Needed     int            `json:"needed,omitempty"`     // undecided: test records for it to be seen; 0 = no number
}

// Kind is a kind of cause.
type Kind string

// The kinds of causes, in the order in which they act.
const (
	OfSeed    Kind = "seed"    // the study's seed differs
	OfSpec    Kind = "spec"    // keys of the study differ
	OfData    Kind = "data"    // rows of a dataset differ
	OfSplit   Kind = "split"   // other records are in the fit part or the test part
	OfModel   Kind = "model"   // a model is another: its id, its revision, the hash of its weights
	OfServer  Kind = "server"  // another server, version or model name behind the same model
	OfAnswers Kind = "answers" // a model answers otherwise
	OfScorer  Kind = "scorer"  // the same answers get other scores
	OfMissing Kind = "missing" // answers that were there are missing, or the other way round
	OfProgram Kind = "program" // another infnet
)

// Cause is one difference between the inputs of two runs.
type Cause struct {
	Kind    Kind   `json:"kind"`
	Model   string `json:"model,omitempty"`
	Dataset string `json:"dataset,omitempty"`
	Key     string `json:"key,omitempty"` // spec: which one differs
	Old     string `json:"old,omitempty"`
	New     string `json:"new,omitempty"`
	Count   int    `json:"count,omitempty"` // records or answers that differ
	Text    string `json:"text"`            // in words
}

// Moved is a record that is decided or graded otherwise.
type Moved struct {
	Cascade string `json:"cascade"`
	Dataset string `json:"dataset"`
	ID      string `json:"id"`
	Part    string `json:"part"`   // fit or test, in the new run
	Policy  string `json:"policy"` // "" = Model's answer
	Model   string `json:"model,omitempty"`
	From    string `json:"from"` // accepted, deferred, right, wrong, …
	To      string `json:"to"`
}

// Place is a cascade, a dataset of it, or a policy there.
type Place struct {
	Cascade string `json:"cascade"`
	Dataset string `json:"dataset,omitempty"`
	Policy  string `json:"policy,omitempty"`
}

// Paired says which records of a dataset were compared.
type Paired struct {
	Cascade string `json:"cascade"`
	Dataset string `json:"dataset"`
	Old     int    `json:"old"`  // records of its test part
	New     int    `json:"new"`  //
	Both    int    `json:"both"` // in both test parts, with the same content
}
