// Package recheck judges whether a served model is still the one whose answers are stored: a sample of its answers is
// asked again and set next to the stored ones. It owns the draw of the sample, the rounds and their stores, the tests,
// their level and the report. It refuses to open a model and to touch a stored answer.
//
// Its opinion: a server need not repeat itself bit for bit. So the null hypothesis is the same model
// with its own noise: the stored answer to a record and the fresh ones are exchangeable. What is
// tested is exact under it, whatever the noise looks like. See docs/recheck.md.
package recheck

import (
	"time"

	"infnet/backends"
	"infnet/metrics/infer"
)

// Reading is what counts of one answer.
type Reading struct {
	Answer string  // the class, or the text in lower case with single spaces
	Scored bool    // Beta is known
	Beta   float64 // raw confidence
	Given  backends.Answer
}

// Item is a sampled record.
type Item struct {
	ID      string
	Dataset string
	Stored  Reading
	Fresh   []Reading // in the order in which they were asked for: none, one or two
	Random  bool      // asked twice whatever the first fresh answer was: what measures the noise
	Cause   string    // why there is no fresh answer

	Decisions []Decision // by each fitted policy in which the model decides; nil = no fresh answer, or no policy

	set     *Set
	example int
	key     backends.Key // of the stored answer
}

// Decision is what a fitted policy makes of the stored and of the fresh answer.
type Decision struct {
	Policy        string // for people: cascade, dataset, row of the table
	Before, After bool   // accepted
}

// Model is a model that was asked again: the report on it, of which Judge fills in what follows from the items.
type Model struct {
	ModelReport
	Score   string // behind its confidence
	Items   []Item
	Other   string // what the server says that shows it is another model; "" = nothing
	Trouble string // why answers are lacking; "" = none are

	subject *Subject
}

// Identity is what a server says of itself, then and now.
type Identity struct {
	What   string `json:"what"`
	Before string `json:"before"`
	Now    string `json:"now"`
}

// Report is the outcome of a recheck.
type Report struct {
	Version   int              `json:"version"`
	Study     string           `json:"study"`
	Round     string           `json:"round"`
	Seed      uint64           `json:"seed"`
	Sample    int              `json:"sample"`
	Alpha     float64          `json:"alpha"`
	Tolerance float64          `json:"tolerance"`
	Began     time.Time        `json:"began"`
	Ended     time.Time        `json:"ended"`
	Finished  bool             `json:"finished"`
	Models    []ModelReport    `json:"models"`
	Recorded  []string         `json:"recorded,omitempty"` // models whose answers are recorded ones: nobody can be asked
	Empty     []string         `json:"empty,omitempty"`    // models without a stored answer
	Spent     []backends.Money `json:"spent,omitempty"`
	Tokens    int64            `json:"tokens"`
	Calls     int              `json:"calls"`
	Seconds   float64          `json:"seconds"`
	Verdict   Verdict          `json:"verdict"`
	Sessions  []time.Time      `json:"sessions,omitempty"` // when it was begun and gone on with
}

// Verdict is what is said of a model, or of all.
type Verdict string

// The verdicts. Of a whole recheck it is the most serious of its models'.
const (
	Same       Verdict = "same"       // no difference that the model's own noise does not explain
	Incomplete Verdict = "incomplete" // answers are lacking, and those there show no change
	Changed    Verdict = "changed"    // the served model is not the one that was measured
)

// ModelReport is what is said of a model.
type ModelReport struct {
	Name    string  `json:"name"`
	ID      string  `json:"id"`
	Kind    string  `json:"kind"`
	Exact   bool    `json:"exact"` // any difference is a change: there is nothing to test
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why"`
	P       float64 `json:"p"` // the least of its tests, adjusted (Holm, over all tests of all models); 1 where nothing is tested

	Stored    int            `json:"stored"`
	Sampled   int            `json:"sampled"`
	Answered  int            `json:"answered"`
	Lacking   map[string]int `json:"lacking,omitempty"` // by cause
	Identical int            `json:"identical"`         // bit for bit

	Flips      Flips          `json:"flips"`
	Confidence *Confidence    `json:"confidence,omitempty"`
	Noise      *Rate          `json:"noise,omitempty"` // answers that differ between two fresh ones
	Repeated   int            `json:"repeated"`        // of these pairs, bit for bit
	Decisions  []DecisionRate `json:"decisions,omitempty"`
	Identity   []Identity     `json:"identity,omitempty"`

	Calls   int             `json:"calls"`
	Tokens  int64           `json:"tokens"`
	Cost    *backends.Money `json:"cost,omitempty"` // nil = the model has no prices
	Seconds float64         `json:"seconds"`
}

// Rate is a share with its exact interval.
type Rate struct {
	K    int     `json:"k"`
	N    int     `json:"n"`
	Rate float64 `json:"rate"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// rate is Clopper and Pearson's interval; nil without records.
func rate(k, n int, level float64) *Rate {
	if n == 0 {
		return nil
	}
	iv, err := infer.ClopperPearson(k, n, level)
	if err != nil {
		return nil // n > 0 and the level was checked
	}
	return &Rate{k, n, iv.Value, iv.Low, iv.High}
}

// Flips are answers that differ from the stored ones.
type Flips struct {
	*Rate
	Coin  Coin     `json:"coin"`
	First []string `json:"first,omitempty"` // some of them: DATASET/ID
}

// Coin is the test by third answers: where the fresh answer differs from the stored one, another fresh one sides with
// either; with the same model it is a fair coin.
type Coin struct {
	New      int     `json:"new"`     // sided with the fresh answer
	Old      int     `json:"old"`     // sided with the stored one
	Neither  int     `json:"neither"` // with none
	P        float64 `json:"p"`       // one-sided, exact
	Adjusted float64 `json:"adjusted"`
}

// Confidence is how the confidence moved.
type Confidence struct {
	Score  string  `json:"score"`
	N      int     `json:"n"`
	Shift  float64 `json:"shift"`  // mean of fresh − stored
	Median float64 `json:"median"` // of the absolute differences
	Most   float64 `json:"most"`
	Moved  int     `json:"moved"` // by more than the tolerance

	ShiftP        float64 `json:"shift_p"` // sign-flip test of the shift, two-sided
	ShiftAdjusted float64 `json:"shift_adjusted"`
	Coin          Coin    `json:"coin"` // of those that moved
}

// DecisionRate is how many decisions of a policy would be others.
type DecisionRate struct {
	Policy   string `json:"policy"`
	ToAccept int    `json:"to_accept"`
	ToDefer  int    `json:"to_defer"`
	*Rate
}
