// Package nights keeps the history of a study that is compared with its accepted run every night, and divides the
// probability of a false alarm over as many nights as there will be.
//
// It owns the history file, which night is a new look and at which level it is tested. It refuses to compare runs,
// which is package compare's work, to print, and to go on with a history that is damaged, has gaps, or belongs to
// another study.
//
// Its opinion: an alarm that comes by chance once in twenty nights is turned off within a month. So the level is one of
// the whole sequence: the probability of ever alarming, however many nights there are, while nothing is worse in the
// population. HISTORY.md describes the file and the simulation behind the promise.
package nights

import (
	"errors"

	"infnet/harness/calc"
	"infnet/metrics/infer"
)

// Version is the version of the history's lines. Readers refuse every other one.
const Version = 2

// Night is one line of a history: one run that was compared.
type Night struct {
	Version int    `json:"version"`
	Number  int    `json:"night"` // from 1, without gaps
	Study   string `json:"study"`
	Date    string `json:"date"` // 2006-01-02
	Run     string `json:"run"`  // SHA-256 of the run's results and records

	// Accepted identifies what was accepted, by its answers, data, spec and program. It is empty where a night is compared
	// with a run that nobody accepted, which may be another one every night. Nights of one Accepted are a
	// sequence, and the level is one of the sequence.
	Accepted string  `json:"accepted,omitempty"`
	Since    string  `json:"accepted_on,omitempty"` // the day on which it was accepted
	Inputs   string  `json:"inputs"`                // of this night, likewise
	Alpha    float64 `json:"alpha"`                 // of the whole sequence

	// Look counts the distinct looks of the sequence up to this one. A night with the inputs of an earlier one has its
	// number; a night that tested nothing has none.
	Look  int     `json:"look,omitempty"`
	Level float64 `json:"level,omitempty"` // at which this look was tested
	Like  int     `json:"like,omitempty"`  // the first night with these inputs, which has the quantities

	Verdict    string     `json:"verdict"`
	Alarm      bool       `json:"alarm"`         // something is worse, at the level of the sequence
	Why        string     `json:"why,omitempty"` // of an incomplete night
	Causes     []string   `json:"causes,omitempty"`
	Quantities []Quantity `json:"quantities,omitempty"`

	Sum string `json:"sum"` // of the line before and this one, without its sum
}

// Name identifies a quantity within a study.
type Name struct {
	Cascade string `json:"cascade"`
	Dataset string `json:"dataset"`
	Policy  string `json:"policy"`
	Metric  string `json:"metric"`
}

// Quantity is what a night found of one quantity.
type Quantity struct {
	Name
	Verdict string   `json:"verdict"`
	Old     *Value   `json:"old,omitempty"` // nil = the accepted run has no such quantity
	New     *Value   `json:"new,omitempty"` // nil = this night has none
	P       *float64 `json:"p,omitempty"`   // where tested: adjusted for all quantities of the look
}

// Value is an estimate with its interval, to six digits.
type Value struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	N     int     `json:"n"`
}

// Of returns an interval as a history keeps it.
func Of(i infer.Interval) *Value {
	return &Value{calc.Significant(i.Value, 6), calc.Significant(i.Low, 6), calc.Significant(i.High, 6), i.N}
}

// Verdicts that a night can have, with the names of package compare.
const (
	Incomplete = "incomplete"
	Worse      = "worse"
)

// ErrHistory is what is wrong with a history being its content: damaged, of another version, of another study. It does
// not go away by trying again.
var ErrHistory = errors.New("the history cannot be gone on with")
