// Package accept is the accepted run: what a study gave on the day on which somebody said that it is good, in a small
// file that belongs into their repository.
//
// It owns the file's format, and what is kept of a run's folder: the names and hashes of what it rests on, and by
// record what a comparison reads. It refuses to judge, which is package compare's work, to keep texts of records or
// answers, and to read a file that is damaged, changed by hand, or of another version.
//
// Its opinion: what is accepted never moves by itself. A yardstick that follows
// what it measures never shows a slow drift.
package accept

import (
	"fmt"

	"infnet/harness/fault"
	"infnet/harness/result"
)

// Version is the version of the file. Readers refuse every other one.
const Version = 3

// Run is a run, as an accepted file and as a comparison hold it.
type Run struct {
	Format   string `json:"format"` // what the file is, for people
	Version  int    `json:"version"`
	Study    string `json:"study"`
	Accepted string `json:"accepted"`          // the day, 2006-01-02; "" = a run's folder
	Because  string `json:"because,omitempty"` // why, in the words of who accepted it

	// Inputs is what the run rests on: by kind and name a hash, or the value itself.
	Inputs map[Kind]map[string]string `json:"inputs"`
	Pairs  []Pair                     `json:"pairs"` // cascade by cascade

	Sum string `json:"sha256,omitempty"` // of the file, with 64 zeros in this place

	Name string `json:"-"` // the file or folder it was read from, as it was named
}

// Kind is a kind of input.
type Kind string

// The kinds of inputs, in the order in which they act.
const (
	Spec    Kind = "spec"    // keys of the study, with all defaults
	Data    Kind = "data"    // content of the datasets
	Split   Kind = "split"   // who is in which part
	Model   Kind = "model"   // ids, revisions and servers
	Answers Kind = "answers" // what a model said to a dataset
	Grader  Kind = "grader"  // a program or a judge that grades
	Program Kind = "program" // infnet's version
)

// Kinds lists them.
var Kinds = []Kind{Spec, Data, Split, Model, Answers, Grader, Program}

// On names an input of a dataset.
func On(what, dataset string) string { return what + " on " + dataset }

// Pair is a cascade on a dataset. Its columns have the records of the test part, in the dataset's order.
type Pair struct {
	Cascade    string   `json:"cascade"`
	Dataset    string   `json:"dataset"`
	Models     []string `json:"models"`
	Setting    string   `json:"setting"`
	CostModel  string   `json:"cost_model"`
	Unit       string   `json:"cost_unit"`
	Incomplete bool     `json:"incomplete,omitempty"` // more answers are missing than the study allows
	Soft       bool     `json:"soft,omitempty"`       // errors are numbers between 0 and 1
	Labels     []string `json:"labels,omitempty"`
	Metrics    []string `json:"metrics"`

	IDs     Column[string] `json:"ids"`
	Content Column[uint32] `json:"content,omitempty"` // marks of fields and references; nil = the run does not say
	Class   Column[int]    `json:"class,omitempty"`   // place of the reference among the labels; nil = there are none
	Group   Column[int]    `json:"group,omitempty"`   // number of its cluster; nil = every record is alone

	Answers []Answered `json:"answers"` // of every model
	Rows    []Row      `json:"rows"`    // of our policies, and of the models alone
}

// Error is the number of a row that is no performance metric.
const Error = "error"

// The rows that ask one model alone.
const (
	None = "none" // the student
	All  = "all"  // the master
)

// Row is a row of the table, and what it decided.
type Row struct {
	Policy     string             `json:"policy"`
	Title      string             `json:"title"`
	Charge     string             `json:"charge"`
	Thresholds []result.Threshold `json:"thresholds,omitempty"`
	Values     map[string]float64 `json:"values"` // Error, and performance by metric

	// the place in the cascade of the model whose answer is final; nil = not known of every record
	Final Column[int] `json:"final,omitempty"`
	Asked Column[int] `json:"asked,omitempty"` // the models that were asked, as the sum of 2^place; nil = by Charge
}

// Answered is what a model answered, and what that is worth.
type Answered struct {
	Right Column[bool]    `json:"right"`
	Beta  Column[float64] `json:"-"`               // the confidence; nil = an accepted file, which has none
	Class Column[int]     `json:"class,omitempty"` // the predicted class's place; nil = there are none
	Error Column[float64] `json:"error,omitempty"` // nil = 0 where it is right, 1 where it is not
	Cost  Column[float64] `json:"cost"`
	// by metric, where every record has them: what is averaged, or column by column what is summed
	Scores map[string][]Column[float64] `json:"scores,omitempty"`
}

// Acceptable reports why a run is no yardstick.
func (r *Run) Acceptable() error {
	if len(r.Pairs) == 0 {
		return fault.Data.Wrap(fmt.Errorf("%s: a run without a cascade has nothing that later runs are compared by", r.Name))
	}
	for _, p := range r.Pairs {
		if p.Incomplete {
			return fault.Incomplete.Wrap(fmt.Errorf("%s: cascade %s lacks more answers than its study allows: collect what is "+
				"missing before the run is accepted", r.Name, p.Cascade))
		}
	}
	return nil
}
