// Package compare compares two runs of one study: what changed, and whether it is worse.
//
// It owns the causes that names and hashes of the inputs give, the verdict on every quantity, and the words for all
// that. It refuses to read files, which package accept does, and to choose exit codes.
//
// Its opinion: a test is paired by record, and where inputs differ it is about what the accepted thresholds make of the
// new answers, since thresholds fitted to other answers are others by chance.
package compare

import "infnet/metrics/infer"

// Comparison is everything that a comparison of two runs found.
type Comparison struct {
	Study   string  `json:"study"`
	Old     Side    `json:"old"`
	New     Side    `json:"new"`
	Alpha   float64 `json:"alpha"` // the level of the tests: P(any quantity is called worse while none is) ≤ alpha
	Verdict Verdict `json:"verdict"`
	Summary string  `json:"summary"` // the verdict in one sentence

	Incomplete bool       `json:"incomplete,omitempty"` // answers are missing, or there are no results
	Causes     []Cause    `json:"causes,omitempty"`     // what differs between the inputs, in the order in which it acts
	Quantities []Quantity `json:"quantities,omitempty"` // by cascade, dataset, policy, metric
	Moved      []Moved    `json:"moved,omitempty"`      // test records whose decision or correctness changed
	Remarks    []string   `json:"remarks,omitempty"`    // what a reader must know, in sentences
}

// Side is one of the two runs.
type Side struct {
	Name     string `json:"name"`               // the folder or file, as it was named
	Accepted string `json:"accepted,omitempty"` // the day on which it was accepted, 2006-01-02; "" = a run's folder
	Because  string `json:"because,omitempty"`  // why it was accepted

	// Look identifies what was measured: the inputs, and every number that follows from them by record. Two nights of the
	// same look are one test.
	Look string `json:"look"`
}

// Verdict is what a comparison says of a quantity, or of a run.
type Verdict string

// The verdicts.
const (
	Worse        Verdict = "worse"              // at the level of the tests
	Uncomparable Verdict = "cannot be compared" // answers are missing, or most test records are others
	Better       Verdict = "better"             // at the level of the tests
	Same         Verdict = "same"               // the same number, or chance could explain the difference
)

// verdicts lists them, the gravest first. A run has that of its gravest quantity, but for what cannot be compared: that
// counts only where answers are missing, or where most test records are others.
var verdicts = []Verdict{Worse, Uncomparable, Better, Same}

// Count is the number of quantities with a verdict.
func (c *Comparison) Count(v Verdict) (n int) {
	for i := range c.Quantities {
		n += tell(c.Quantities[i].Verdict == v)
	}
	return n
}

// Quantity is one number of both runs.
type Quantity struct {
	Cascade string  `json:"cascade"`
	Dataset string  `json:"dataset"`
	Policy  string  `json:"policy"`
	Title   string  `json:"title"`  // the policy's, in the tables of the new run
	Metric  string  `json:"metric"` // error, cost per query, or a performance metric's name
	Unit    string  `json:"unit,omitempty"`
	Lower   bool    `json:"lower"` // lower is better
	Verdict Verdict `json:"verdict"`

	Old float64 `json:"old"` // on the run's own test part
	New float64 `json:"new"`

	// AtAccepted is the new value on the records of both test parts where the accepted thresholds decide; nil = compared
	// as fitted. The test is about it.
	AtAccepted *float64 `json:"at_accepted,omitempty"`

	// Tested says that the quantity was tested, and is one of Hypotheses. The rest is empty where it was not.
	Tested     bool           `json:"tested"`
	Test       string         `json:"test,omitempty"`     // mcnemar, sign-flip or swap
	Difference infer.Interval `json:"difference"`         // new less old, on the records of both test parts
	Improved   int            `json:"improved,omitempty"` // records that are better now
	Worsened   int            `json:"worsened,omitempty"` // records that are worse now
	P          float64        `json:"p"`                  // in the direction seen
	Adjusted   float64        `json:"adjusted"`           // by Holm over the hypotheses of the study
	Hypotheses int            `json:"hypotheses,omitempty"`
}

// Cause is one difference between the inputs of two runs.
type Cause struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Old  string `json:"old,omitempty"` // "" = it is new
	New  string `json:"new,omitempty"` // "" = it is gone
}

// Moved are test records of both runs that are decided or graded otherwise.
type Moved struct {
	Cascade string   `json:"cascade"`
	Dataset string   `json:"dataset"`
	Who     string   `json:"who"`  // the model that answers or the policy that decides
	From    string   `json:"from"` // accepted, deferred, right, wrong, …
	To      string   `json:"to"`
	Count   int      `json:"count"`
	First   []string `json:"first"` // names of the first five
}
