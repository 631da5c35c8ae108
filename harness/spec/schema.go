package spec

import (
	"time"

	"infnet/harness/baseline"
	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/dataset"
	"infnet/harness/policy"
	"infnet/harness/policy/chain"
	"infnet/harness/policy/guarantee"
	"infnet/harness/router"
	"infnet/harness/task"
	"infnet/metrics"
	"infnet/metrics/extract"
	"infnet/sufficiency"
)

// These structs are the schema: a key without a field does not exist. A nil pointer is a missing
// key. REFERENCE.md is generated from the fields' comments, which say what a key does, and their
// tags:
//
//	toml     the key
//	default  what a missing key means; "required" where it must be there
//	range    valid values, with unit; closed sets list theirs by themselves
//	only     see option.go

type rawStudy struct {
	// name of the study; its results go to runs/NAME
	Study *string `toml:"study" only:"study" default:"required" range:"a name"`
	// seed of every random stream: shuffles, built-in data, random baselines, resamples
	Seed int64 `toml:"seed" only:"study" default:"0" range:"0 or more"`
	// catalogs: files of shared models and datasets in this same schema, relative to this file
	Use []string `toml:"use" only:"study" default:"[]" range:"paths"`
	// a model
	Models []rawModel `toml:"models" default:"required"`
	// where models are computed, by a name that models refer to; a study's table replaces a catalog's of the same
	// name
	Backends map[string]*rawBackend `toml:"backends" default:"none"`
	// a dataset
	Datasets []rawDataset `toml:"datasets" default:"required"`
	// a chain of models, and what it is measured on
	Cascades []rawCascade `toml:"cascades" only:"study" default:"required, unless there are pools"`
	// models of which to find out which are ever worth asking, alone, in cascades or otherwise
	Pools []rawPool `toml:"pools" only:"study" default:"none"`
	// which rows are used and which of them fit; a dataset may say otherwise in its own split
	Split *rawSplit `toml:"split"`
	// what turns texts into vectors, for the cosine and for the sufficiency test's embeddings
	Embedder *rawEmbedder `toml:"embedder" only:"use"`
	// when a generated answer is right, for datasets that do not say it themselves
	Correct *rawCorrect `toml:"correct" only:"use" default:"by the task"`
	// what says how well an answer follows from a reference: BARTScore, for the metric bartscore and as
	// HybridLLM's quality
	Scorer *rawScorer `toml:"scorer" only:"use"`
	// the model that says whether answers are right, for the rule judge
	Judge *rawJudge `toml:"judge" only:"use"`
	// how answers are priced
	Cost Cost `toml:"cost" only:"use"`
	// what is fitted
	Policy Policy `toml:"policy" only:"use"`
	// how log-probabilities become the confidence β
	Confidence Confidence `toml:"confidence" only:"use"`
	// rows next to the policies. random entries replace the default one; frugalgpt and hybridllm are fitted to
	// pairs of models, also those within a longer cascade
	Baselines []rawBaseline `toml:"baselines" only:"use" default:"none, all, oracle-router and one random"`
	// tests whether anything known at gating time helps to predict student wrong, master right, beyond the
	// confidence; on the fit part
	Sufficiency *Sufficiency `toml:"sufficiency" only:"study" default:"none: nothing is tested"`
	// varies settings one at a time, each list around the study's own: tables of what policies come to along it. What a
	// list does not change (answers, grades, confidences, what learned) is computed once
	Grid *Grid `toml:"grid" only:"study" default:"none: no setting is varied"`
	// what is fitted on the records of one domain is used on those of every other
	Transfer *Transfer `toml:"transfer" only:"study" default:"none: nothing is transferred"`
	// how models are asked
	Collect Collect `toml:"collect" only:"study"`
	// how tables are made
	Report Report `toml:"report" only:"use"`
	// what infnet slurm submit asks of a cluster. The table of a catalog given by --use counts first, then the
	// study's, then those of its catalogs
	Slurm *Slurm `toml:"slurm" default:"none: a job of one shard per model, and the cluster's own defaults"`
}

type rawDataset struct {
	// name in cascades and tables
	Name *string `toml:"name" default:"required" range:"a name"`
	// the rows: a .jsonl, .csv or .tsv file (each also .gz) or .parquet; a built-in generator; or a dataset on the
	// Hugging Face hub, without a revision its own Parquet export
	Source *string `toml:"source" default:"required" range:"file:PATH, builtin:NAME or hf:OWNER/NAME/CONFIG:SPLIT@REVISION"`
	// the dataset is used only if the variable is set; otherwise the study leaves it out and says so
	IfSet *string `toml:"if_set" default:"none" range:"the name of an environment variable"`
	// the kind of task
	Task *task.Kind `toml:"task" default:"required; built-in: its own"`
	// the classes: words in the order of the indices 0, 1, … in the label column, or tables { class, word };
	// without the space that joins them to the prompt
	Labels []rawLabel `toml:"labels" default:"required for classification; built-in: its own" range:"two or more"`
	// classification of recorded answers: the class of an answer that is none of the labels. Without it such an
	// answer is missing
	Other *string `toml:"other" default:"none" range:"a name that is no label"`
	// the system turn before every prompt, for models in mode chat. It takes the place of a model's own. Part of every
	// answer's key
	System *string `toml:"system" usual:"that of the model" range:"text"`
	// examples shown before every prompt: turns in mode chat, text in mode raw. Listed: tables of the prompt's fields
	// and an answer. Or { n = 5 }: that many records of the fit part, drawn by the seed; they, and all records of their
	// groups or with their texts, leave the records before the split. Part of every answer's key
	Examples *rawExamples `toml:"examples" usual:"none"`
	// the prompt; {field} is replaced by the row's text, {{ and }} are braces
	Prompt *string `toml:"prompt" default:"required; built-in: its own" range:"text with at least one {field}"`
	// classification by a decision model (backend kind decisions): what is asked of the prompt. Part of the keys of such
	// a model's answers
	Question *string `toml:"question" usual:"none; required for decision models" range:"text"`
	// classification by a decision model: what each class means, for those that need words. Part of the keys of such a
	// model's answers
	Criteria map[string]string `toml:"criteria" usual:"none: the labels' words" range:"table of class = text"`
	// columns of the prompt's fields; a column such as "translation.de" leads into nested values. "json:COLUMN" is a list
	// or an object as JSON, for a program that grades
	Fields map[string]string `toml:"fields" default:"{field} is the column of that name" range:"table of name = column"`
	// classification: the reference class. If grades are recorded there is none by default
	Label *string `toml:"label" default:"label" range:"a column"`
	// the accepted answers: one text, or a list, the first being primary; not needed if grades are recorded
	Reference *string `toml:"reference" default:"required for files of other tasks" range:"a column"`
	// where the answer is in a reference that says more, in one of the ways of answer; "after:####" for GSM8K
	FindReference *extract.Way `toml:"find_reference" usual:"the whole reference" range:"a way of answer"`
	// the options of a multiple choice: one column with a list of texts, or the columns with one each. The prompt names
	// them {options}, one a line, as "A. Paris"; label or reference holds the letter, the text, or the number from 0 of
	// the right one
	Options []string `toml:"options" or:"one" usual:"none" range:"a column, or a list of them"`
	// the options in an order that the seed draws for each question; else as they stand
	ShuffleOptions bool `toml:"shuffle_options" default:"false"`
	// identity of a row
	ID *string `toml:"id" default:"the row number" range:"a column"`
	// rows with equal values stay together in the split and in resamples
	Group *string `toml:"group" default:"none" range:"a column"`
	// files named .csv: what parts the cells of a row
	Delimiter *string `toml:"delimiter" default:"," range:"one character, or tab"`
	// translation: from which language into which; results say it
	Direction *string `toml:"direction" default:"none" range:"two languages, such as de-en"`
	// what a row that cannot be read does: stop the study, or be left out and counted
	OnBadRow *OnBadRow `toml:"on_bad_row" default:"error"`
	// what a row does whose text an earlier row of the source has to the byte: counts (off), or is left out before
	// limit and split, and counted in results (first)
	Dedupe *dataset.Dedupe `toml:"dedupe" default:"off"`
	// rows used at most
	Limit *int `toml:"limit" default:"split.limit; built-in: 1000" range:"10 to 1e8 rows" fix:"leave it out to use all"`
	// as the study's split, for this dataset
	Split *rawSplit `toml:"split"`
	// new tokens an answer may have; not for classification
	MaxTokens *int `toml:"max_tokens" default:"qa 16, translation 64, generation 128; built-in: its own" range:"1 to 131072"`
	// texts that end an answer, and are not part of it; not for classification
	Stop []string `toml:"stop" default:"[]" range:"texts"`
	// where the answer is in a reply, one way or several that are tried in order; the last such place counts, and
	// thoughts (<think>…</think>, harmony's channels, reasoning_content) are kept, charged and not searched, but by a
	// way behind "thoughts:". A reply without an answer is wrong, and counted. Not for classification
	Answer []extract.Way `toml:"answer" or:"one" usual:"the whole reply" range:"boxed, last-line, last-number, letter, after:TEXT, json:PATH, re:PATTERN, thoughts:WAY, or a list of them" least:"1" fix:"name a way, such as \"last-number\", or leave it out"`
	// when an answer is right. A rule, or a list of them, stands for a table with this rule
	Correct *rawCorrect `toml:"correct"`
	// scores the tables show, in order
	Metrics []metrics.Name `toml:"metrics" default:"classification: accuracy, f1-macro; recorded grades: accuracy; else rouge-l, cosine"`
	// as cost.padding, for this dataset
	Padding *cost.Padding `toml:"padding" default:"cost.padding"`
	// what a prompt cut to a model's context does: count, with a footnote, or make the record unanswered
	Truncate *Truncate `toml:"truncate" default:"allow"`
}

type rawExamples struct {
	// drawn: how many
	N int `toml:"n" usual:"none: they are listed" range:"1 to 100"`

	Listed []map[string]string // in place of a table
}

type rawLabel struct {
	// how the label column names the class
	Class *string `toml:"class" default:"required" range:"text"`
	// how a model says it, without the space that joins it to the prompt
	Word *string `toml:"word" default:"the class" range:"text"`

	plain bool // written as a word in a list
}

type rawSplit struct {
	// rows used at most
	Limit *int `toml:"limit" default:"all rows" range:"10 to 1e8 rows" fix:"leave it out to use all"`
	// share of the fit part; the rest is the test part, which nothing fitted sees
	Fit *float64 `toml:"fit" fix:"0.8 fits on four records of five and tests on the fifth" default:"0.8" range:"more than 0, less than 1"`
	// shuffle: by the seed, before the limit; file: the first rows, the first of them to fit
	Order *Order `toml:"order" default:"shuffle"`
	// classification: the same share of every class in both parts
	Stratify *bool `toml:"stratify" default:"false"`
	// continue even if more than half of the test part has a text that is also in the fit part. Better: dedupe, or
	// group by the text's column
	Overlap *bool `toml:"allow_overlap" default:"false" range:"true or false"`
	// column that says in which part a row is: train or fit, or test. It takes the place of a draw, so fit, order
	// and stratify say nothing then
	Column *string `toml:"column" default:"none: the split is drawn" range:"a column"`
	// with column: the values whose rows fit; all other rows test
	FitIs []string `toml:"fit_is" default:"none: rows of fit and train fit, rows of test test" range:"texts"`
	// splits of the same answers, on each of which everything is fitted anew; a table has the mean and standard
	// deviation over them
	Repeats *int `toml:"repeats" default:"1" range:"1 to 100"`
}

type rawCorrect struct {
	// how an answer is judged. number (exact, with %, $, thousands and fractions), math (LaTeX: formulas, sets, tuples),
	// choice (a letter) and json decide what they can read. The others compare words; contains: those of a reference
	// are in the answer. command: a program of yours says so, or cannot tell (harness/program/PROTOCOL.md); alone it needs
	// no reference. judge: the model of [judge] says so. recorded: by the grade that was recorded with it
	// (columns.correct, columns.score). Of a list the first that decides counts, and what compares words decides what is
	// wrong only as the last; what none decides is wrong, and counted. exact-match drops marks, so -5 is 5, but in a list
	// those of numbers and formulas count
	Rule []task.Rule `toml:"rule" or:"one" default:"classification label, qa exact-match, else token-f1" least:"1"`
	// command: the program and its arguments, run without a shell in the folder of this file. Their words, and the bytes
	// of the files that they name, are part of every grade's name
	Command []string `toml:"command" default:"none" range:"[\"python3\", \"grade.py\"]"`
	// command: for how long the program may write nothing before it counts as hung
	Timeout *time.Duration `toml:"timeout" default:"60s" range:"a duration: 30s, 5m, 1h"`
	// number: right is at most this share of the reference away from it
	Tolerance float64 `toml:"tolerance" fix:"0.01 is one per cent of the reference" default:"0" range:"0 to 1"`
	// score from which an answer is right, for token-f1, rouge-l, cosine, and scores of command and recorded
	Tau *float64 `toml:"tau" fix:"the paper's is 0.7; leave it out where grades are 0 or 1" default:"0.7; command, recorded: none, grades are 0 or 1" range:"more than 0, up to 1"`
	// errors are soft: 1 less the score, for the rules that tau is for. What learns right from wrong still asks whether
	// the score reaches tau
	Soft bool `toml:"soft" default:"false" range:"true or false"`
}

type rawCascade struct {
	// name in tables and files
	Name *string `toml:"name" default:"the models' names joined by +" range:"a name"`
	// the student, then the master; in a longer cascade each model is asked if none before it is
	// confident enough, and its pairs are analysed too
	Models []string `toml:"models" default:"required" range:"two to six names, cheapest first"`
	// what it is measured on
	Datasets []string `toml:"datasets" default:"the study's own; the catalogs' where it has none" range:"names"`
}

type rawPool struct {
	// name in tables and files
	Name *string `toml:"name" default:"the models' names joined by +" range:"a name"`
	// tried are every model alone, two mixed at random, every pair with every threshold, chains, ensembles and a
	// router; by each record's own costs
	Models []string `toml:"models" default:"required" range:"two to twelve names, in any order"`
	// what it is measured on
	Datasets []string `toml:"datasets" default:"the study's own; the catalogs' where it has none" range:"names"`
	// how the answers of two, three or all models become one; no ensembles where the list is empty
	Ensembles []chain.EnsembleRule `toml:"ensembles" default:"all of them"`
}

type rawEmbedder struct {
	// a model that embeds and is in no cascade, in place of the built-in hashed n-grams, which measure wording:
	// backend encoder, or a server with /v1/embeddings
	Model *string `toml:"model" default:"lexical, the built-in one" range:"a model's name"`
}

type rawScorer struct {
	// a model that scores and is in no cascade: backend bart (facebook/bart-large-cnn), or a server that echoes
	// the log-probabilities of prompts (vLLM, SGLang)
	Model *string `toml:"model" default:"required" range:"a model's name"`
}

type rawJudge struct {
	// a model that is in no cascade. It is asked for a letter, as a classification is
	Model *string `toml:"model" default:"required" range:"a model's name"`
	// how it is asked. reference: does the answer say what the reference says; pairwise: is it as good, asked in both
	// orders. A text of your own names {prompt}, {answer} and {reference}, and lets it reply A (right) or B; or {first}
	// and {second}, and lets it reply A, B (the better one) or C (equal). Fields of the rows may be named too
	Template *string `toml:"template" default:"reference" range:"reference, pairwise, or a text"`
	// a file of human grades of some answers, drawn at random: rows of id, model, correct, and dataset where there are
	// several; with a column answer, a grade is of that answer alone, and not of what another model or prompt says.
	// Tables then say how far the judge is right, and correct the accuracy for it
	Human *string `toml:"human" default:"none" range:"a path"`
}

// Cost is how answers are priced.
type Cost struct {
	// what an answer costs. tflops, price and tokens rest on the tokens that were reported, or are estimated,
	// which tables say; recorded: what was recorded with each answer (columns.cost)
	Model cost.Model `toml:"model" default:"tflops"`
	// how the fit part's answers become one cost per model; signature is the published protocol, no physical cost,
	// and needs a billion parameters or more
	Summary cost.Summary `toml:"summary" default:"mean"`
	// tflops: queries are computed N at a time, padded to the longest of their batch
	Padding cost.Padding `toml:"padding" json:",omitempty" default:"none" when:"model=tflops"`
	// a TOML file for the models that state no prices: date = "2026-01-31", currency = "USD", [models.NAME]
	// price_in, price_out, price_cached
	PricesPath *string    `toml:"prices" json:"-" default:"none: models state their prices" range:"a path, relative to this file"`
	Prices     *PriceFile `json:",omitempty"` // what is in it; nil = none
	// price: answers from batch files cost what batch_discount of their backend leaves of the price; else the list
	// price
	Batch bool `toml:"batch" json:",omitempty" default:"false" range:"true or false" when:"model=price"`
}

// Policy is what is fitted.
type Policy struct {
	// what errors are measured against: the dataset's reference, or the master's answer
	Setting policy.Setting `toml:"setting" default:"non-oracle"`
	// the error budget: a model's errors on the fit part, or a performance; the oracle setting needs a number
	Target policy.Target `toml:"target" default:"best" range:"master, student, best, min, or a number from 0 to 1"`
	// how β is corrected, on the fit part, before thresholds are fitted
	Calibration confidence.Calibration `toml:"calibration" default:"none"`
	// how thresholds are found: counted on the records (exact, lagrangian, lagrangian-grid; linear for the oracle
	// setting), or solved for an estimated population
	Method Solver `toml:"method" default:"exact"`
	// what thresholds minimise within the budget: the number of deferred records, the master's cost of them, or
	// its time on them; latency for cascades of two models
	Objective policy.Objective `toml:"objective" default:"deferrals"`
	// what an error costs, in the unit of the study's cost: adds rows of least loss (cost plus errors) at this price, a
	// table of what every policy loses, and from which price on the master alone is right; of pairs
	ErrorCost float64 `toml:"error_cost" json:",omitzero" usual:"none" range:"more than 0" fix:"error_cost = 5.0 prices an error at five units of the study's cost"`
	// what a query without an answer costs, likewise, less than an error: adds policies that answer, defer or abstain
	AbstainCost float64 `toml:"abstain_cost" json:",omitzero" usual:"none" range:"more than 0, less than error_cost" fix:"abstain_cost = 1.0 prices a query without an answer at one unit of the study's cost"`
	// further rows next to ours, each with what it costs against the exact one
	Compare []Comparand `toml:"compare" default:"none"`
	// further rows where every model of a cascade answers every query, and is paid for; how their answers become one:
	// by class, or by what they say
	Ensembles []chain.EnsembleRule `toml:"ensembles" json:",omitempty" default:"none"`
	// a promise about records not seen yet; adds a certified row
	Guarantee *guarantee.Terms `toml:"guarantee" default:"none"`
	// classification: a threshold per predicted class too, next to the single one
	Multi bool `toml:"multi" default:"true"`
}

// Confidence is how an answer's log-probabilities become β.
type Confidence struct {
	// classification: the largest probability of the labels (softmax), or what a decision model's server calls its
	// confidence (vendor), which tables describe
	Classification confidence.Score `toml:"score" default:"softmax" range:"softmax, vendor"`
	// from the log-probabilities of the generated tokens; quantiles: a logistic regression on 20 of their
	// quantiles, their sum and mean, fitted on the fit part out of fold
	Generation confidence.Score `toml:"generation" default:"exp" range:"exp, minmax, sum, sigmoid, quantiles"`
	// answer: β is that of the tokens that hold the answer, where the dataset says what in a reply is the answer; a token
	// on its border counts whole, and a reply without an answer has β = 0
	Over Over `toml:"over" json:",omitempty" usual:"the whole reply" range:"answer"`
	// classification: answers with less probability on the labels together are counted and said. Below 0.5
	// everything else is together more probable than all labels; 0 counts none
	LabelMass float64 `toml:"label_mass" fix:"0.5 is the default, and 0 is never undercut" json:",omitzero" default:"0.5" range:"0 to 1"`
	// what else may tell a right answer of the student from a wrong one: a table compares each with β, charged what its
	// calls cost, and says which adds to which
	Signals []Signal `toml:"signals" json:",omitempty" usual:"none"`
}

// Signal is what may tell a right answer of a student from a wrong one.
type Signal struct {
	// which: of the label probabilities or those of the tokens; the answer's length, negative; the probability on all
	// labels together; the confidence that was recorded with the answer. By further calls of the student: what share of
	// samples says what it says, how far samples say one thing, and what it says of its own answer
	Kind confidence.Signal `toml:"kind" usual:"required"`
	// its name in tables, where two have one kind
	Name string `toml:"name" json:",omitempty" usual:"its kind" range:"a name"`
	// vote-share, semantic-entropy, self-verification: how many samples. With vote-share and semantic-entropy a model that
	// has samples is asked no more: these are they
	Samples int `toml:"samples" json:",omitzero" when:"kind=vote-share|semantic-entropy|self-verification" fix:"5 are usual" default:"5" range:"2 to 100"`
	// of these samples
	Temperature float64 `toml:"temperature" json:",omitzero" when:"kind=vote-share|semantic-entropy|self-verification" fix:"1 draws as the model says" default:"1" range:"0.01 to 2"`
	// token-quantile: which quantile of the tokens' log-probabilities
	Q float64 `toml:"q" json:",omitzero" when:"kind=token-quantile" fix:"0.1 is exceeded by nine tokens of ten" default:"0.1" range:"0 to 1"`
}

type rawBaseline struct {
	// which baseline
	Kind *baseline.Kind `toml:"kind" default:"required"`
	// random: chance to defer a record
	P *float64 `toml:"p" fix:"a share: 0.01 is one in a hundred" default:"0.5" range:"0 to 1"`
	// fixed: the student's answer is taken from this confidence on, uncalibrated, which nobody fitted
	Threshold *float64 `toml:"threshold" usual:"required: fixed" range:"0 to 1"`
	// random: the study's seed, or numpy's default_rng(N) bit for bit, as the published tables
	RNG *string `toml:"rng" default:"seed" range:"seed, numpy:N"`

	// frugalgpt, hybridllm: what learns. light: hashed n-grams and logistic regression; gbdt: boosted trees on the
	// embedding of the input; command: a program of yours
	Learner *router.Kind `toml:"learner" default:"light"`
	// learner command: the program and its arguments, run in the folder of this file for every fit; texts and
	// labels go in, scores come out (harness/program/PROTOCOL.md)
	Command []string `toml:"command" default:"none" range:"[\"python3\", \"learn.py\"]"`
	// routers that read the query alone: the mean quality of the answers may be this far below the master's, on the
	// fit part
	Delta *float64 `toml:"delta" default:"0.01" range:"-1000 to 1000"`
	// released: as the paper's authors' code. Both: one fit, whose scores of records that it saw the threshold is
	// fitted to. frugalgpt: the larger of P(right) and P(wrong); hybridllm: the student strictly better, delta
	// relative, tuned as a router and charged as a cascade
	Compat *Compat `toml:"compat" default:"none"`
}

// Sufficiency says how it is tested whether anything known at gating time tells more of "student wrong, master right"
// than the confidence β (package sufficiency).
type Sufficiency struct {
	// the extra information J, each a row of the table: statistics of the student's output distribution,
	// embeddings of the input's text
	Extra []Extra `toml:"extra" least:"1" fix:"name output-stats or embeddings, or leave the [sufficiency] table out" usual:"output-stats"`
	sufficiency.Test
	// what the model without J knows; where there are no classes, beta+class is beta
	Nulls []sufficiency.Null `toml:"nulls" least:"1" usual:"beta; classification: beta, beta+class"`
	// embeddings: truncated singular value decomposition to this many columns; 0 leaves them as they are
	Dimensions int `toml:"dimensions" when:"extra=embeddings" default:"100" range:"0 to 10000"`
}

// Grid are settings that are varied, one at a time; the others stay as the study has them.
type Grid struct {
	// in place of policy.target
	Target []policy.Target `toml:"target" least:"1" json:",omitempty" usual:"none" range:"targets"`
	// in place of correct.tau, for the datasets whose rule has one
	Tau []float64 `toml:"tau" least:"1" json:",omitempty" usual:"none" range:"numbers more than 0, up to 1"`
	// records that fit, drawn from the fit part, each number's among those of the next: a learning curve on one test part
	FitRecords []int `toml:"fit_records" least:"1" json:",omitempty" usual:"none" range:"whole numbers from 10"`
	// in place of the cascades, on all of their datasets
	Models [][]string `toml:"models" least:"1" json:",omitempty" usual:"none" range:"lists of models, cheapest first"`
	// in place of the seed of the split, the folds, the learners and the resamples; the records and the answers stay
	Seed []int64 `toml:"seed" least:"1" json:",omitempty" usual:"none" range:"two whole numbers or more, from 0"`

	Cascades []Cascade `json:"-"` // those of Models
}

// Transfer says between which domains policies are transferred.
type Transfer struct {
	// what a domain is: a dataset, or the records with one value of a column. Thresholds, scales, calibrators and learned
	// routers of each are used on the test part of every domain
	By string `toml:"by" usual:"required" range:"dataset, or a column"`
}

// Collect is how models are asked.
type Collect struct {
	// share of a cascade's records that may lack an answer; more ends with exit code incomplete, tables written
	// and marked
	MaxMissing float64 `toml:"max_missing" fix:"a share: 0.01 is one in a hundred" default:"0.01" range:"0 to 1"`
	// of one call
	Timeout time.Duration `toml:"timeout" default:"5m" range:"a duration: 30s, 5m, 1h"`
	// retries of a call after a temporary failure
	Retries int `toml:"retries" default:"4" range:"0 to 20"`
	// calls in flight per model, where its backend does not say; CPU threads are --jobs
	Concurrency int `toml:"concurrency" default:"1" range:"1 to 1024"`

	// how long calls in flight may continue after Ctrl-C, SIGTERM or the end of the budget's time: they are paid
	// for. A second Ctrl-C exits at once
	Grace time.Duration `toml:"grace" json:"-" default:"30s" range:"a duration: 5s, 30s, 5m"`
	// stop asking a model after so many consecutive failures with the same cause and message, or five times as
	// many of any kind. 0 never stops
	GiveUp int `toml:"give_up" json:"-" default:"20" range:"0 to 1000000"`
	// what one run may spend on calls. It stops before the call that is expected to exceed a limit, with exit code
	// 10; the same command goes on with a fresh budget
	Spending Spending `toml:"budget" json:"-" default:"none"`
}

// Spending is what one run may spend on asking; 0 = no limit.
type Spending struct {
	// in and out together, as servers count them, of all models that are asked, local ones too
	Tokens int64 `toml:"tokens" default:"none" range:"1 to 1e15" fix:"leave it out for no limit"`
	// tokens at price_in and price_out; others cost what their prices say, and nothing without
	Cost float64 `toml:"cost" default:"none" range:"more than 0, up to 1e12, in the currency of the prices" fix:"cost = 5.0 stops before five of the currency that the prices are in"`
	// after it no call is begun; those under way may take as long as grace says
	Time time.Duration `toml:"time" default:"none" range:"a duration: 30s, 5m, 1h, up to 87600h" fix:"leave it out for no limit"`
}
