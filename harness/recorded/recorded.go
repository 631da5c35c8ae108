// Package recorded reads answers collected by other programs: tables with any columns, samples of
// the Language Model Evaluation Harness, logs of Inspect, Every Eval Ever, LLMRouterBench. It owns
// those formats, the conversion of a recorded answer to the answer of a request, and the join of answers to requests
// by id. It refuses to know a study: its caller says which model gave the answers, and what is asked.
//
// Its opinion: nothing is made up. An answer with neither log-probabilities nor a
// stated confidence has no confidence, a count that was not recorded stays
// unknown, and a row that contradicts itself is an error with its line.
package recorded

import (
	"io/fs"
	"time"

	"infnet/backends"
	"infnet/harness/dataset"
)

// Options say what to read.
type Options struct {
	Path    string
	FS      fs.FS                  // what Path is looked up in; nil = the machine's file system
	Format  backends.AnswersFormat // "" = auto
	Of      string                 // whose answers are wanted, where rows say whose they are; "" = all
	ModelIn string                 // tables: the column that says whose answer it is; "model" where Of is given
	// lm-eval: the filter whose answers count; Inspect: the scorer whose grades do. "" = the only one
	Filter  string
	Columns dataset.AnswerColumns
	Facts   Facts

	Separator rune // between the cells of a file named .csv; 0 = a comma

	Later func() // Inspect: called for each sample of a later epoch than the first, which is left out; nil = nobody asks

	// IDColumn is the data's own column of ids; "" = they are row numbers.
	// Samples of lm-eval that hold the document are matched by it.
	IDColumn string
}

// Facts say how grades and costs are read.
type Facts struct {
	dataset.AnswerFacts

	Wanted      bool   // look for them by their default names too
	PreferScore bool   // of two columns with default names, the score is the grade
	In          string // the currency that every cost must have; "" = any
}

// Row is one recorded answer.
type Row struct {
	ID      string // of the example
	Number  int    // lm-eval: 1-based number of the document in the data; 0 = not known
	Dataset string // "" = not said
	Place   string // its position in the file: "line 3"

	Text       string
	Said       bool // Text was recorded
	Label      string
	Labelled   bool // Label was recorded
	Confidence *float64
	Scores     []Score
	Tokens     []backends.Token
	Usage      backends.Usage
	Latency    time.Duration
	Finish     backends.Finish // "" = not recorded
	Whole      bool            // Tokens has one entry, for an answer of unknown length
	Shared     bool            // Tokens share one log-probability, that of the whole answer, evenly
	Grade      *float64        // in [0,1], 1 = right
	Cost       *backends.Money // its currency is Facts.In where the row says none
	Fault      string          // why the model said nothing; "" = it did

	Model      string   // whose answer it is; "" = not said
	Task       string   // what the format calls the dataset; "" = not said
	Part       string   // of which split; "" = not said
	Question   string   // what was asked; "" = not said
	References []string // the right answers; nil = not said
	Choices    []string // what could be answered; nil = not said
}

// Score is the log-probability of one label, up to a constant all scores of an
// answer share.
type Score struct {
	Label   string // "" = the label at this place of the list
	Logprob float64
}
