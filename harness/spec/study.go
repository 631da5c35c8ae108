package spec

import (
	"io/fs"
	"math/big"
	"slices"
	"strconv"
	"time"

	"infnet/backends"
	"infnet/harness/baseline"
	"infnet/harness/choice"
	"infnet/harness/cost"
	"infnet/harness/dataset"
	"infnet/harness/router"
	"infnet/harness/spec/place"
	"infnet/harness/task"
	"infnet/metrics"
	"infnet/metrics/extract"
)

// Study is a checked study: every name resolved, every default filled in.
// Load makes it; nothing changes it afterwards, so any number of goroutines
// may read it. It holds no secret.
type Study struct {
	Name string // names the folder of its results
	Seed uint64 // of every random stream
	File string // the spec as it was named to Load
	Hash string // SHA-256 of the resolved study, hexadecimal; see Hash in hash.go

	Models   []Model   // those the cascades name, in the order of the definitions
	Datasets []Dataset // those the cascades name, likewise
	Cascades []Cascade // at least one, or a pool
	Pools    []Pool    `json:",omitempty"`

	// LeftOut are datasets of the cascades that this machine does without: the
	// variable of their if_set is not set here.
	LeftOut []string `json:",omitempty"`

	Embedder   Embedder
	Scorer     *Model `json:",omitempty"` // of BARTScore; nil = none
	Judge      *Judge `json:",omitempty"` // of answers; nil = none
	Cost       Cost
	Policy     Policy
	Confidence Confidence
	Baselines  []Baseline // none, all and oracle-router always; random once or more; in the order of the tables
	Collect    Collect
	Report     Report

	StandIns []StandIn `json:",omitempty"` // models that are asked in place of those the cascades name

	Sufficiency *Sufficiency `json:",omitempty"` // nil = not tested
	Grid        *Grid        `json:",omitempty"` // nil = no setting is varied
	Transfer    *Transfer    `json:",omitempty"` // nil = nothing is transferred

	Slurm *Slurm   `json:"-"` // how the study is submitted to a cluster; nil = nothing is said; see Cluster
	Env   []string `json:"-"` // the environment variables that it names, sorted

	// FS is where the datasets' paths point: nil for the machine's file
	// system, else the file system given to LoadFS (the embedded quickstart),
	// in which paths are slash-separated and relative to its root. Each model
	// says for itself (Model.FS): built-in ones are embedded wherever the spec
	// is.
	FS fs.FS

	// Warnings are what a careful reader would ask about: definitions that
	// nothing uses, and the like. They stop nothing.
	Warnings []place.Problem

	positions map[string]position // of definitions, by section and name; see At
}

// Model is a model as a study uses it. The spec opens no model: for a local
// folder Config.Model.Revision is empty, or what the spec expects, until
// whoever opens it fills in the hash of the folder's content. A simulated
// model's is the hash of its distribution. Of a model on the hub it is left to
// whoever fetches it: the commit. A server's model has the one the
// spec states ("" where it states none), followed by "+" and a hash of those
// settings of its backend that change answers, where there are any.
type Model struct {
	Name   string          // in tables
	Config backends.Config // how to open it; Config.Model.ID is the id, or the name where the spec gives none
	Mode   backends.Mode   // how the prompt reaches it; default raw, of a hosted model chat
	System string          `json:",omitempty"` // the system prompt of its chats; "" = none

	Samples *Samples `json:",omitempty"` // it is asked several times, and its answers vote; nil = once

	// local, encoder: the folder as the spec writes it; Config.Folder() is resolved
	Path string
	FS   fs.FS // local, encoder: where the folder is; nil = on the machine
	// local: the reference of a model on the hub, "" = none; Config.Folder() is then empty, for whoever
	// fetches it to fill in
	Hub string `json:"-"`

	// HeadersEnv are further headers of every call to a server: header name →
	// name of the environment variable that holds its value. Whoever opens the
	// model looks them up; Config holds no secret.
	HeadersEnv map[string]string

	// Shape is the network's shape as the spec states it, with Params filled
	// in where they are known; nil = not stated (local: the folder says).
	Shape *backends.Shape
	// ShapeIn is the folder of a config.json that says it, in Study.FS or on the machine; "" = none
	ShapeIn string `json:",omitempty"`

	// Recording is where a replayed model's answers are; nil for others. Whoever
	// opens the model fills in the revision.
	Recording *Recording `json:"Answers,omitempty"`

	PriceIn  float64 // currency per million input tokens, ≥ 0
	PriceOut float64 // currency per million output tokens, ≥ 0
	Priced   bool    // the spec gives both prices
	// currency per million input tokens from the vendor's cache, ≥ 0; nil = as all others
	PriceCached *float64 `json:",omitempty"`
	// share of the prices that the provider takes off answers from batch files, in [0,1); 0 = none is known
	BatchDiscount float64  `json:",omitempty"`
	Currency      string   // of the prices; default "USD"
	Fixed         *float64 // cost of one answer, any unit, ≥ 0; nil = not given
	Params        float64  // parameters in billions as the spec or the known shape states them; 0 = ask the model
}

// Samples say how often a model is asked for every record, and how its answers are drawn.
type Samples struct {
	N int // 2 or more
	backends.Sampling
}

// Recorded reports whether every model's answers are recorded ones: there is nobody to ask.
func (s *Study) Recorded() bool {
	return len(s.Models) > 0 && !slices.ContainsFunc(s.Models, func(m Model) bool { return m.Recording == nil })
}

// Recording is a file of recorded answers.
type Recording struct {
	Text    string // as the spec writes it, before ${NAME} is replaced
	File    string // the resolved path, in Study.FS or on the machine
	Format  backends.AnswersFormat
	Filter  string // lm-eval; "" = the only one
	Columns dataset.AnswerColumns

	Delimiter rune `json:",omitempty"` // of a table named .csv: what parts cells; 0 = a comma

	Also      []string `json:",omitempty"` // further files, as the spec writes them
	AlsoFiles []string `json:"-"`          // their resolved paths

	Of      string `json:",omitempty"` // whose answers are wanted; "" = the file has one model's
	ModelIn string `json:",omitempty"` // the column that says whose answer it is
	Ties    bool   `json:",omitempty"` // answers without a confidence have the confidence 0

	Facts dataset.AnswerFacts `json:",omitzero"`
}

// Scheme is where a dataset's rows come from.
type Scheme string

// The schemes.
const (
	File    Scheme = "file"    // JSONL, CSV, TSV or Parquet
	Builtin Scheme = "builtin" // a built-in generator
	Hub     Scheme = "hf"      // Parquet files of a dataset on the Hugging Face hub
)

// Source names a dataset's rows.
type Source struct {
	Scheme Scheme
	// builtin: the generator's name; file: the resolved path, in Study.FS or on the machine; hf: the whole
	// reference
	Name string
	Text string // as the spec writes it, before ${NAME} is replaced
}

// Dataset is a dataset as a study uses it.
type Dataset struct {
	Name   string
	Source Source
	Task   task.Kind

	System   string   `json:",omitempty"` // the system turn of chats; "" = that of the model
	Examples Examples `json:",omitzero"`  // shown before every prompt

	Labels []Label // classification: in class order, two or more; else nil
	Prompt string  // the template: {field} names a field, {{ and }} are braces

	// What decision models are asked of the prompt, and what each label means, in the labels' order, "" = its word; nil =
	// their words alone.
	Question string   `json:",omitempty"`
	Criteria []string `json:",omitempty"`

	Fields []Field // what the template may name, sorted by name; builtin: the generator's

	// Columns of a file: a path such as "answers.text" leads into nested
	// values. Empty for built-in sources, which need none.
	LabelColumn     string // classification: the reference class
	ReferenceColumn string // other tasks: the accepted answers
	IDColumn        string // "" = the row number
	GroupColumn     string // records with equal values stay together in splits; "" = each alone
	DomainColumn    string `json:"-"` // between whose values policies are transferred; "" = none

	FindReference extract.Way `json:",omitempty"` // where the answer is in a reference; "" = it is all of it

	Options        []string `json:",omitempty"` // of a multiple choice: one column with a list, or one each; nil = it is none
	ShuffleOptions bool     `json:",omitempty"`

	Dedupe    bool `json:",omitempty"` // rows whose text an earlier one has are left out
	Delimiter rune `json:",omitempty"` // CSV: what parts cells; 0 = a comma

	Direction string `json:",omitempty"` // translation: from which language into which, such as "de-en"; "" = not said
	OnBadRow  OnBadRow
	Padding   cost.Padding `json:",omitempty"` // tflops: queries computed together; 0 = each by itself
	Split     Split
	MaxTokens int      // generation: limit on new tokens; 0 for classification
	Stop      []string // generation: texts that end the answer
	// generation: how the answer is found in a reply, tried in order; nil = the reply is the answer
	Answer   []extract.Way `json:",omitempty"`
	Correct  Correct
	Metrics  []metrics.Name // what the tables show, in order
	Truncate Truncate
}

// Continuations returns the texts a model chooses among: each label's word
// after one space, as it would continue the prompt. Class order.
func (d *Dataset) Continuations() []string {
	if len(d.Labels) == 0 {
		return nil
	}
	out := make([]string, len(d.Labels))
	for i, l := range d.Labels {
		out[i] = " " + l.Word
	}
	return out
}

// Label is one class: how the data (and the tables) name it, and how a model
// says it, without the space that joins it to the prompt. In a plain list of
// words both are the word.
type Label = dataset.Label

// Field maps a name in the prompt to a column of the source.
type Field struct {
	Name   string // as in {name}
	Column string // a column path; equal to Name unless the spec says otherwise
}

// OnBadRow says what a row that cannot be read does.
type OnBadRow = dataset.OnBadRow

// Order is how the rows of the source become the records of the study.
type Order string

// The orders.
const (
	Shuffle Order = "shuffle" // by the seed, before the limit is applied
	InFile  Order = "file"    // the first rows, as they come: the first part fits, the last tests
)

// Split says which rows are used, and which of them fit.
type Split struct {
	Limit    int     // rows used at most; 0 = all (files only)
	Fit      float64 // fraction of the fit part, in (0,1); the rest is the test part
	Order    Order
	Stratify bool // classification: keep the classes' shares equal in both parts

	// AllowOverlap goes on where most texts of the test part are in the fit part.
	AllowOverlap bool `json:",omitempty"`

	// Repeats is how many splits there are; 0 = one.
	Repeats int `json:",omitempty"`

	// Column says in which part a row is; "" = the split is drawn.
	Column string `json:",omitempty"`
	// FitIs are the values of Column whose rows fit; the other rows test. Empty = the usual words, and
	// another word is an error.
	FitIs []string `json:",omitempty"`
}

// Truncate says what a prompt too long for a model does. Backends cut by
// their own fixed rule and report it (backends.Answer.Truncated).
type Truncate string

// What happens to long prompts.
const (
	TruncateAllow  Truncate = "allow"  // the cut prompt's answer counts; the tables say how many
	TruncateRefuse Truncate = "refuse" // the record counts as not answered, cause too-long
)

// Correct is the rule by which an answer is right.
type Correct struct {
	Rule task.Rule
	Tau  float64 // the score from which an answer is right, in (0,1]; 0 for rules without one, and for grades of 0 and 1
	Soft bool    `json:",omitempty"` // errors are 1 less the score

	Then      []task.Rule `json:",omitempty"` // asked in turn where the rules before decide nothing
	Tolerance float64     `json:",omitempty"` // number: as a share of the reference

	Command []string      `json:",omitempty"` // command: the program and its arguments
	Dir     string        `json:"-"`          // command: where it runs
	Timeout time.Duration `json:"-"`          // command: of silence
}

// Program is what tables and files call the program that grades.
func (c Correct) Program() string { return programName(c.Command) }

// All are the rules, in the order in which they are asked.
func (c Correct) All() []task.Rule { return append([]task.Rule{c.Rule}, c.Then...) }

// String names the rules.
func (c Correct) String() string { return choice.List(c.All()) }

// Share is the tolerance as the decimal that it was written as; nil = none.
func (c Correct) Share() *big.Rat {
	if c.Tolerance == 0 {
		return nil
	}
	share, _ := new(big.Rat).SetString(strconv.FormatFloat(c.Tolerance, 'g', -1, 64))
	return share
}

// Reads reports whether answers are found in replies, or read by a rule, so that some may not be.
func (d *Dataset) Reads() bool {
	return len(d.Answer) > 0 || len(d.Correct.Then) > 0 || d.Correct.Rule.Reads()
}

// Cascade is a chain of models, cheapest first.
type Cascade struct {
	Name     string
	Models   []string // model names; two to six
	Written  []string `json:",omitempty"` // the models that the spec names, where others stand in for them
	Datasets []string // dataset names, as the study lists them

	// Pool: the models are a pool, in no order, and no model needs a confidence.
	Pool bool `json:",omitempty"`
}

// Baseline is one baseline row.
type Baseline struct {
	Kind  baseline.Kind
	P     float64 // random: chance to defer, in [0,1]
	Draws int     // random: draws averaged, ≥ 1; 1 with Numpy

	// Numpy: draw as numpy.random.default_rng(NumpySeed) does, one draw, as
	// the published tables were made. Else from the study's seed.
	Numpy     bool
	NumpySeed uint64

	Threshold float64 `json:",omitempty"` // of fixed

	// Of frugalgpt and hybridllm.
	Learner  router.Kind `json:",omitempty"`
	Command  []string    `json:",omitempty"` // learner command: the program and its arguments
	Released bool        `json:",omitempty"` // as the authors' code: see REFERENCE.md
	Delta    float64     `json:",omitempty"` // hybridllm: the largest mean drop of quality below the master's
}

// Model returns the model with this name.
func (s *Study) Model(name string) (*Model, bool) {
	for i := range s.Models {
		if s.Models[i].Name == name {
			return &s.Models[i], true
		}
	}
	return nil, false
}

// Dataset returns the dataset with this name.
func (s *Study) Dataset(name string) (*Dataset, bool) {
	for i := range s.Datasets {
		if s.Datasets[i].Name == name {
			return &s.Datasets[i], true
		}
	}
	return nil, false
}
