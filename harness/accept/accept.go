// Package accept is the accepted run: what a study gave on the day on which somebody said that it is good, in a small
// file that belongs into their repository.
//
// It owns the file's format, and what is kept of a run's folder: everything that a comparison needs, by record. It
// refuses to judge, which is package compare's work, to keep texts of records or answers, and to read a file that is
// damaged, changed by hand, or of another version.
//
// Its opinion: what is accepted never moves by itself. A yardstick that follows
// what it measures never shows a slow drift.
package accept

import (
	"infnet/harness/calc"
	"infnet/harness/result"
	"infnet/metrics/infer"
)

// Version is the version of the file. Readers refuse every other one.
const Version = 2

// Run is a run, as an accepted file and as a comparison hold it.
type Run struct {
	Format   string `json:"format"` // what the file is, for people
	Version  int    `json:"version"`
	Study    string `json:"study"`
	Accepted string `json:"accepted"`          // the day, 2006-01-02; "" = a run's folder
	Because  string `json:"because,omitempty"` // why, in the words of who accepted it
	Program  string `json:"program"`           // version and commit

	Level    float64                 `json:"level"`          // of every interval
	Results  string                  `json:"results_sha256"` // of results.json
	Records  string                  `json:"records_sha256"` // of records.jsonl
	Spec     string                  `json:"spec_sha256"`
	Settings map[string]string       `json:"settings,omitempty"` // of the study, key by key; nil = the run does not say
	Models   []result.Model          `json:"models"`
	Answers  []result.AnswersContent `json:"answers"`

	Data     []Data    `json:"data"`
	Cascades []Cascade `json:"cascades"`
	Pools    string    `json:"pools_sha256,omitempty"` // of what the results say of pools; "" = there are none

	Sum string `json:"sha256,omitempty"` // of the file, with 64 zeros in this place

	Name string `json:"-"` // the file or folder it was read from, as it was named
	Hash string `json:"-"` // SHA-256 of the accepted file, or of the run's two hashes
}

// Data is a dataset, record by record in the dataset's order.
type Data struct {
	Name    string   `json:"name"`
	Hash    string   `json:"sha256"`
	Labels  []string `json:"labels,omitempty"`
	Records int      `json:"records"`
	Grader  string   `json:"grader,omitempty"` // what grades: SHA-256 of the files of a program, or a model and its template

	IDs     Column[string] `json:"ids"`
	Content Column[uint32] `json:"content,omitempty"` // marks of fields and references; nil = the run does not say
	Class   Column[int]    `json:"class,omitempty"`   // place of the reference among the labels; nil = there are none
	Group   Column[int]    `json:"group,omitempty"`   // number of its cluster; nil = every record is alone
}

// Cascade is a cascade on its datasets.
type Cascade struct {
	Name       string     `json:"name"`
	Models     []string   `json:"models"`
	Setting    string     `json:"setting"`
	CostModel  string     `json:"cost_model"`
	Unit       string     `json:"cost_unit"`
	Incomplete bool       `json:"incomplete,omitempty"`
	Datasets   []Measured `json:"datasets"`
}

// Measured is a cascade on one dataset.
type Measured struct {
	Dataset  string          `json:"dataset"`
	Used     int             `json:"used"` // records that every model answered
	Fit      int             `json:"fit"`
	Test     int             `json:"test"`
	Soft     bool            `json:"soft,omitempty"` // errors are numbers between 0 and 1
	Metrics  []string        `json:"metrics"`
	Policies []result.Policy `json:"policies"`
	Rows     []Row           `json:"rows"`

	Part   Column[int] `json:"part"` // of every record: 0 unused, 1 fit, 2 test
	Models []Answered  `json:"models"`
}

// The parts of records.
const (
	Unused = iota
	FitPart
	TestPart
)

// Estimate is a value with the ends of its interval, these to six digits.
type Estimate [3]float64

// Interval is the estimate of n records at a level.
func (e Estimate) Interval(level float64, n int) infer.Interval {
	return infer.Interval{Value: e[0], Low: e[1], High: e[2], Level: level, N: n}
}

func estimate(i infer.Interval) Estimate {
	return Estimate{i.Value, calc.Significant(i.Low, 6), calc.Significant(i.High, 6)}
}

// The numbers of a row that are no performance metrics, as results.json calls them.
const (
	Error    = "error"
	Deferred = "deferred"
	Saved    = "saved_pct"       // from the models' cost constants
	PerQuery = "saved_query_pct" // from every record's own cost
)

// The rows that ask one model alone.
const (
	None = "none" // the student
	All  = "all"  // the master
)

// Row is a row of the table, and what it decided.
type Row struct {
	Policy   string              `json:"policy"`
	Title    string              `json:"title"`
	Charge   string              `json:"charge"`
	Baseline bool                `json:"baseline,omitempty"`
	Values   map[string]Estimate `json:"values"` // Error and the like, and performance by metric

	// of every record: the place in the cascade of the model whose answer is final, −1 = it decided nothing; nil = by
	// chance, or a baseline
	Final Column[int] `json:"final,omitempty"`
	Asked Column[int] `json:"asked,omitempty"` // likewise the models that were asked, as the sum of 2^place; nil = by Charge
}

// Answered is what a model answered, and what that is worth.
type Answered struct {
	Model string       `json:"model"`
	Right Column[bool] `json:"right"`          // of every record
	Lost  Column[bool] `json:"lost,omitempty"` // of every record: it has no answer; nil = all have
	// of every record a hash of the answer, and of the test part the confidence; nil = an accepted file, which has none
	Said Column[uint32]  `json:"-"`
	Beta Column[float64] `json:"-"`

	// of the records of the test part
	Class Column[int]     `json:"class,omitempty"` // the predicted class's place; nil = there are none
	Error Column[float64] `json:"error,omitempty"` // nil = 0 where it is right, 1 where it is not
	Cost  Column[float64] `json:"cost"`
	// by metric, where every record has them: what is averaged, or column by column what is summed
	Scores map[string][]Column[float64] `json:"scores,omitempty"`
}
