package spec

import (
	"fmt"
	"strings"
	"time"

	"infnet/harness/choice"
	"infnet/harness/dataset"
	"infnet/harness/task"
	"infnet/metrics"
	"infnet/metrics/extract"
)

// Dataset is a dataset as a study writes it, with what its task, its source and the study's own tables add.
type Dataset struct {
	// name in cascades and tables
	Name string `toml:"name" need:"cascades and tables refer to it by its name" range:"a name"`
	// a .jsonl, .csv or .tsv file (each also .gz) or .parquet; a built-in generator; a dataset of the hub
	Source Source `toml:"source" need:"source = \"file:reviews.csv\" or \"builtin:reviews\"" range:"file:PATH, builtin:NAME or hf:OWNER/NAME/CONFIG:SPLIT@REVISION"`
	// unless the variable is set, the dataset is left out, which is said
	IfSet string `toml:"if_set" json:"-" usual:"none" range:"the name of an environment variable"`
	// the kind of task
	Task task.Kind `toml:"task" usual:"required; built-in: its own"`
	// mode chat: the system turn, instead of the model's own. In every answer's key
	System string `toml:"system" json:",omitempty" least:"1" usual:"that of the model" range:"text"`
	// shown before every prompt: tables of the prompt's fields and an answer; { n = 5 }: drawn from the fit part, which
	// loses them and records of their groups or texts. In every answer's key
	Examples Examples `toml:"examples" json:",omitzero" usual:"none"`
	// words in the order of the indices 0, 1, … of the label column, or tables { class, word }
	Words  []writtenLabel `toml:"labels" json:"-" when:"task=classification" default:"required for classification; built-in: its own" range:"two or more"`
	Labels []Label        // in class order, two or more; nil = it is no classification
	// {field} is replaced by the row's text; {{ and }} are braces
	Prompt string `toml:"prompt" usual:"required; built-in: its own" range:"text with at least one {field}"`
	// what decision models are asked of the prompt. In their answers' keys
	Question string `toml:"question" json:",omitempty" least:"1" when:"task=classification" usual:"none; required for decision models" range:"text"`
	// what each class means, for decision models. In their answers' keys
	Means    map[string]string `toml:"criteria" json:"-" when:"task=classification" usual:"none: the labels' words" range:"table of class = text"`
	Criteria []string          `json:",omitempty"` // of each label, "" = its word; nil = their words alone
	// columns of the prompt's fields; "json:COLUMN" is a list or an object as JSON
	Columns map[string]string `toml:"fields" json:"-" usual:"{field} is the column of that name" range:"table of name = column"`
	Fields  []Field           // what the template may name, sorted by name
	// the reference class; with recorded grades none by default
	LabelColumn string `toml:"label" when:"task=classification" stray:"write reference = … for the accepted answers" usual:"label" range:"a column"`
	// the accepted answers: a text, or a list, the primary one first
	ReferenceColumn string `toml:"reference" when:"task=qa|translation|generation" stray:"write label = …" usual:"required for files of other tasks" range:"a column"`
	// identity of a row
	IDColumn string `toml:"id" usual:"the row number" range:"a column"`
	// rows with equal values stay together in split and resamples
	GroupColumn  string `toml:"group" usual:"none" range:"a column"`
	DomainColumn string `json:"-"` // between whose values policies are transferred; "" = none
	// where in a longer reference the answer is; "after:####" for GSM8K
	FindReference extract.Way `toml:"find_reference" json:",omitempty" usual:"the whole reference" range:"a way of answer"`
	// multiple choice: the prompt's {options} shows them as "A. Paris"; label or reference has the letter, the text, or
	// the number from 0
	Options []string `toml:"options" json:",omitempty" least:"1" or:"one" usual:"none" range:"a column, or a list of them"`
	// from which language into which, for the results
	Direction string `toml:"direction" json:",omitempty" when:"task=translation" usual:"none" range:"two languages, such as de-en"`
	// rows used at most
	Limit int `toml:"limit" json:"-" usual:"split.limit; built-in: 1000" range:"10 to 1e8 rows" fix:"leave it out to use all"`
	// as the study's split, for this dataset
	Split Split `toml:"split"`
	// new tokens of an answer
	MaxTokens int `toml:"max_tokens" when:"task=qa|translation|generation" usual:"qa 16, translation 64, generation 128; built-in: its own" range:"1 to 131072"`
	// texts that end an answer and are not part of it
	Stop []string `toml:"stop" when:"task=qa|translation|generation" default:"[]" range:"texts"`
	// where in a reply the answer is: the last such place counts. Thoughts are searched only by thoughts:WAY. A reply
	// without an answer is wrong, and counted
	Answer []extract.Way `toml:"answer" json:",omitempty" when:"task=qa|translation|generation" or:"one" usual:"the whole reply" range:"boxed, last-number, letter, after:TEXT, json:PATH, re:PATTERN, thoughts:WAY, or a list of them" least:"1" fix:"name a way, such as \"last-number\", or leave it out"`
	// when an answer is right; a rule, or a list of them, stands for a table with it
	Correct Correct `toml:"correct"`
	// scores that tables show
	Metrics []metrics.Name `toml:"metrics" least:"1" fix:"leave it out for the task's own" usual:"classification: accuracy, f1-macro; recorded grades: accuracy; else rouge-l, cosine"`
	// recorded answers: the class of one that is no label; without it such an answer is missing
	Other string `toml:"other" json:"-" when:"task=classification" usual:"none" range:"a name that is no label"`
}

func (d *Dataset) classification() bool { return d.Task == task.Classification }

// Continuations returns the texts a model chooses among: each label's word
// after one space, as it would continue the prompt. Class order.
func (d *Dataset) Continuations() []string {
	var out []string
	for _, l := range d.Labels {
		out = append(out, " "+l.Word)
	}
	return out
}

// Reads reports whether answers are found in replies, or read by a rule, so that some may not be.
func (d *Dataset) Reads() bool {
	return len(d.Answer) > 0 || len(d.Correct.Then) > 0 || d.Correct.Rule.Reads()
}

// Source names a dataset's rows.
type Source struct {
	Scheme Scheme
	Name   string // the generator; the resolved path, in Study.FS or on the machine; or the whole reference to the hub
	Text   string // as the spec writes it, before ${NAME} is replaced
}

// Scheme is where a dataset's rows come from.
type Scheme string

// The schemes.
const (
	File    Scheme = "file"    // JSONL, CSV, TSV or Parquet
	Builtin Scheme = "builtin" // a built-in generator
	Hub     Scheme = "hf"      // Parquet files of a dataset on the Hugging Face hub
)

// UnmarshalText reads SCHEME:NAME.
func (s *Source) UnmarshalText(b []byte) error {
	scheme, name, ok := strings.Cut(string(b), ":")
	if !ok {
		return fmt.Errorf("%q does not say what it is: want one of file:%[1]s, builtin:NAME, hf:OWNER/NAME", b)
	}
	*s = Source{Name: name, Text: string(b)}
	return choice.Decode(&s.Scheme, []byte(scheme), "scheme", []Scheme{File, Builtin, Hub})
}

// Label is one class: how the data (and the tables) name it, and how a model
// says it, without the space that joins it to the prompt.
type Label = dataset.Label

// writtenLabel is a label as a list has it: a table, or a word that is the class too.
type writtenLabel struct {
	// how the label column names the class
	Class string `toml:"class" need:"how the label column names it" range:"text"`
	// how a model says it, without the space before it
	Word string `toml:"word" usual:"the class" range:"text"`
}

// Field maps a name in the prompt to a column of the source.
type Field struct {
	Name   string // as in {name}
	Column string // a column path; equal to Name unless the spec says otherwise
}

// Examples are shown to a model before every prompt of a dataset. The zero value is none.
type Examples struct {
	// how many are drawn
	N int `toml:"n" json:",omitzero" usual:"none: they are listed" range:"1 to 100"`

	Written []map[string]string `json:"-"` // in place of a table
	Listed  []Shown             `json:",omitempty"`
}

// Shown is an example that the study writes out.
type Shown struct {
	Fields map[string]string // of the prompt
	Answer string            // of a classification the label's word
}

// Order is how the rows of the source become the records of the study.
type Order string

// The orders.
const (
	Shuffle Order = "shuffle" // by the seed, before the limit is applied
	InFile  Order = "file"    // the first rows, as they come: the first part fits, the last tests
)

// Split says which rows are used, and which of them fit.
type Split struct {
	// rows used at most
	Limit int `toml:"limit" usual:"all rows" range:"10 to 1e8 rows" fix:"leave it out to use all"`
	// share of the fit part; nothing fitted sees the rest, the test part
	Fit float64 `toml:"fit" fix:"0.8 fits on four records of five and tests on the fifth" default:"0.8" range:"more than 0, less than 1"`
	// shuffle: by the seed, before the limit; file: the first rows fit
	Order Order `toml:"order" one:"shuffle, file" default:"shuffle"`
	// classification: the same share of every class in both parts
	Stratify bool `toml:"stratify" default:"false"`
	// splits of the same answers, each fitted anew: a table of means and standard deviations
	Repeats int `toml:"repeats" json:",omitempty" default:"1" range:"1 to 100"`
	// says in which part a row is: train or fit, or test
	Column string `toml:"column" json:",omitempty" usual:"none: the split is drawn" range:"a column"`
	// with column: the values whose rows fit; all others test
	FitIs []string `toml:"fit_is" json:",omitempty" least:"1" fix:"leave it out for fit and train" usual:"none: rows of fit and train fit, rows of test test" range:"texts"`
}

// Correct is the rule by which an answer is right.
type Correct struct {
	// number (%, $, thousands, fractions), math (LaTeX), choice (a letter) and json compare values, the rest words.
	// command: a program decides (harness/program/PROTOCOL.md); judge: the model of [judge]; recorded: columns.correct
	// or columns.score. Of a list the first rule that decides counts; one that compares words says "wrong" only as the
	// last; undecided is wrong, and counted. exact-match drops marks (-5 is 5); in a list those of numbers and formulas
	// count
	Rules []task.Rule `toml:"rule" json:"-" or:"one" usual:"classification label, qa exact-match, else token-f1" least:"1"`
	Rule  task.Rule   // the first
	// score from which an answer is right
	Tau float64 `toml:"tau" fix:"the paper's is 0.7; leave it out where grades are 0 or 1" usual:"0.7; command, recorded: none, grades are 0 or 1" range:"more than 0, up to 1"`
	// an error is 1 less the score. What learns right from wrong still uses tau
	Soft bool `toml:"soft" json:",omitempty" default:"false" range:"true or false"`

	Then []task.Rule `json:",omitempty"` // the others, asked in turn where the rules before decide nothing
	// the program and its arguments, run without a shell in this file's folder. A grade is made anew where they, or the
	// files that they name, change
	Command []string `toml:"command" json:",omitempty" when:"rule=command" usual:"none" range:"[\"python3\", \"grade.py\"]"`
	Dir     string   `json:"-"` // where it runs
	// command: how long the program may write nothing
	Timeout time.Duration `toml:"timeout" json:"-" when:"rule=command" usual:"60s" range:"a duration: 30s, 5m, 1h"`
}

// Program is what tables and files call the program that grades.
func (c Correct) Program() string { return programName(c.Command) }

// All are the rules, in the order in which they are asked.
func (c Correct) All() []task.Rule { return append([]task.Rule{c.Rule}, c.Then...) }

// String names the rules.
func (c Correct) String() string { return choice.List(c.All()) }
