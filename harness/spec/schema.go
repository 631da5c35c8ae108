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
	// the study; results go to runs/NAME
	Study *string `toml:"study" only:"study" default:"required" range:"a name"`
	// of every random stream
	Seed int64 `toml:"seed" only:"study" default:"0" range:"0 or more"`
	// catalogs: files of shared models and datasets
	Use []string `toml:"use" only:"study" default:"[]" range:"paths"`
	// the models
	Models []rawModel `toml:"models" default:"required"`
	// where models are computed, by a name of your choice
	Backends map[string]*rawBackend `toml:"backends" default:"none"`
	// the datasets
	Datasets []rawDataset `toml:"datasets" default:"required"`
	// chains of models, and what they are measured on
	Cascades []rawCascade `toml:"cascades" only:"study" default:"required, unless there are pools"`
	// models of which to find out which are worth asking, and how
	Pools []rawPool `toml:"pools" only:"study" default:"none"`
	// which rows are used, and which of them fit
	Split *rawSplit `toml:"split"`
	// what turns texts into vectors, for the cosine and the sufficiency test's embeddings
	Embedder *rawEmbedder `toml:"embedder" only:"use"`
	// when a generated answer is right, for datasets that do not say it
	Correct *rawCorrect `toml:"correct" only:"use" default:"by the task"`
	// BARTScore: how well an answer follows from a reference; metric bartscore, HybridLLM's quality
	Scorer *rawScorer `toml:"scorer" only:"use"`
	// the model that rule judge asks
	Judge *rawJudge `toml:"judge" only:"use"`
	// how answers are priced
	Cost Cost `toml:"cost" only:"use"`
	// what is fitted
	Policy Policy `toml:"policy" only:"use"`
	// how log-probabilities become the confidence β
	Confidence Confidence `toml:"confidence" only:"use"`
	// rows next to the policies; a random one replaces the default's. Fitted to pairs of models, also those within a
	// chain
	Baselines []rawBaseline `toml:"baselines" only:"use" default:"none, all, oracle-router and one random"`
	// tests, on the fit part, whether something known at gating time predicts "student wrong, master right" beyond β
	Sufficiency *Sufficiency `toml:"sufficiency" only:"study" default:"none: nothing is tested"`
	// varies settings one at a time, around the study's own
	Grid *Grid `toml:"grid" only:"study" default:"none: no setting is varied"`
	// what is fitted on one domain is used on every other
	Transfer *Transfer `toml:"transfer" only:"study" default:"none: nothing is transferred"`
	// how models are asked
	Collect Collect `toml:"collect" only:"study"`
	// how tables are made
	Report Report `toml:"report" only:"use"`
	// what infnet slurm submit asks for; a catalog's given by --use counts before the study's, that before its
	// catalogs'
	Slurm *Slurm `toml:"slurm" default:"none: a job of one shard per model, and the cluster's own defaults"`
}

type rawDataset struct {
	// name in cascades and tables
	Name *string `toml:"name" default:"required" range:"a name"`
	// a .jsonl, .csv or .tsv file (each also .gz) or .parquet; a built-in generator; a dataset of the Hugging Face
	// hub, without a revision its own Parquet export
	Source *string `toml:"source" default:"required" range:"file:PATH, builtin:NAME or hf:OWNER/NAME/CONFIG:SPLIT@REVISION"`
	// the dataset is left out, and the study says so, unless the variable is set
	IfSet *string `toml:"if_set" default:"none" range:"the name of an environment variable"`
	// the kind of task
	Task *task.Kind `toml:"task" default:"required; built-in: its own"`
	// the classes: words in the order of the indices 0, 1, … of the label column, or tables { class, word }; without
	// the space before them
	Labels []rawLabel `toml:"labels" default:"required for classification; built-in: its own" range:"two or more"`
	// recorded classifications: the class of an answer that is no label; without it such an answer is missing
	Other *string `toml:"other" default:"none" range:"a name that is no label"`
	// mode chat: the system turn before every prompt, instead of the model's own. In every answer's key
	System *string `toml:"system" usual:"that of the model" range:"text"`
	// shown before every prompt. Listed: tables of the prompt's fields and an answer. { n = 5 }: drawn from the fit
	// part by the seed; they, and records of their groups or texts, leave before the split. In every answer's key
	Examples *rawExamples `toml:"examples" usual:"none"`
	// {field} is replaced by the row's text; {{ and }} are braces
	Prompt *string `toml:"prompt" default:"required; built-in: its own" range:"text with at least one {field}"`
	// decision models: what is asked of the prompt. In the keys of their answers
	Question *string `toml:"question" usual:"none; required for decision models" range:"text"`
	// decision models: what each class means. In the keys of their answers
	Criteria map[string]string `toml:"criteria" usual:"none: the labels' words" range:"table of class = text"`
	// columns of the prompt's fields; "json:COLUMN" is a list or an object as JSON
	Fields map[string]string `toml:"fields" default:"{field} is the column of that name" range:"table of name = column"`
	// classification: the reference class; with recorded grades none by default
	Label *string `toml:"label" default:"label" range:"a column"`
	// the accepted answers: a text, or a list, the primary one first. Not needed with recorded grades
	Reference *string `toml:"reference" default:"required for files of other tasks" range:"a column"`
	// where in a longer reference the answer is; "after:####" for GSM8K
	FindReference *extract.Way `toml:"find_reference" usual:"the whole reference" range:"a way of answer"`
	// multiple choice: a column with a list, or a column each. The prompt's {options} shows them as "A. Paris"; label
	// or reference has the letter, the text, or the number from 0
	Options []string `toml:"options" or:"one" usual:"none" range:"a column, or a list of them"`
	// the seed draws the options' order for each question
	ShuffleOptions bool `toml:"shuffle_options" default:"false"`
	// identity of a row
	ID *string `toml:"id" default:"the row number" range:"a column"`
	// rows with equal values stay together in split and resamples
	Group *string `toml:"group" default:"none" range:"a column"`
	// files named .csv: what parts the cells
	Delimiter *string `toml:"delimiter" default:"," range:"one character, or tab"`
	// translation: from which language into which, for the results
	Direction *string `toml:"direction" default:"none" range:"two languages, such as de-en"`
	// a row that cannot be read ends the study, or is left out and counted
	OnBadRow *OnBadRow `toml:"on_bad_row" default:"error"`
	// first: a row with the text of an earlier row is left out before limit and split, and counted
	Dedupe *dataset.Dedupe `toml:"dedupe" default:"off"`
	// rows used at most
	Limit *int `toml:"limit" default:"split.limit; built-in: 1000" range:"10 to 1e8 rows" fix:"leave it out to use all"`
	// as the study's split, for this dataset
	Split *rawSplit `toml:"split"`
	// new tokens of an answer; not for classification
	MaxTokens *int `toml:"max_tokens" default:"qa 16, translation 64, generation 128; built-in: its own" range:"1 to 131072"`
	// texts that end an answer and are not part of it; not for classification
	Stop []string `toml:"stop" default:"[]" range:"texts"`
	// where in a reply the answer is: ways, tried in order; the last such place counts. Thoughts are searched only by
	// thoughts:WAY. A reply without an answer is wrong, and counted. Not for classification
	Answer []extract.Way `toml:"answer" or:"one" usual:"the whole reply" range:"boxed, last-line, last-number, letter, after:TEXT, json:PATH, re:PATTERN, thoughts:WAY, or a list of them" least:"1" fix:"name a way, such as \"last-number\", or leave it out"`
	// when an answer is right; a rule, or a list of rules, stands for a table with it
	Correct *rawCorrect `toml:"correct"`
	// scores that tables show
	Metrics []metrics.Name `toml:"metrics" default:"classification: accuracy, f1-macro; recorded grades: accuracy; else rouge-l, cosine"`
	// as cost.padding, for this dataset
	Padding *cost.Padding `toml:"padding" default:"cost.padding"`
	// a prompt cut to a model's context counts, with a footnote, or leaves the record unanswered
	Truncate *Truncate `toml:"truncate" default:"allow"`
}

type rawExamples struct {
	// how many are drawn
	N int `toml:"n" usual:"none: they are listed" range:"1 to 100"`

	Listed []map[string]string // in place of a table
}

type rawLabel struct {
	// how the label column names the class
	Class *string `toml:"class" default:"required" range:"text"`
	// how a model says it, without the space before it
	Word *string `toml:"word" default:"the class" range:"text"`

	plain bool // written as a word in a list
}

type rawSplit struct {
	// rows used at most
	Limit *int `toml:"limit" default:"all rows" range:"10 to 1e8 rows" fix:"leave it out to use all"`
	// share of the fit part; nothing fitted sees the rest, the test part
	Fit *float64 `toml:"fit" fix:"0.8 fits on four records of five and tests on the fifth" default:"0.8" range:"more than 0, less than 1"`
	// shuffle: by the seed, before the limit; file: the first rows fit
	Order *Order `toml:"order" default:"shuffle"`
	// classification: the same share of every class in both parts
	Stratify *bool `toml:"stratify" default:"false"`
	// go on even if more than half of the test part has a text of the fit part. Better: dedupe, or group
	Overlap *bool `toml:"allow_overlap" default:"false" range:"true or false"`
	// says in which part a row is: train or fit, or test. then fit, order and stratify say nothing
	Column *string `toml:"column" default:"none: the split is drawn" range:"a column"`
	// with column: the values whose rows fit; all others test
	FitIs []string `toml:"fit_is" default:"none: rows of fit and train fit, rows of test test" range:"texts"`
	// splits of the same answers, each fitted anew; a table has the mean and standard deviation
	Repeats *int `toml:"repeats" default:"1" range:"1 to 100"`
}

type rawCorrect struct {
	// number (%, $, thousands, fractions), math (LaTeX), choice (a letter) and json compare values; contains and the
	// rest compare words. command: a program decides (harness/program/PROTOCOL.md). judge: the model of [judge].
	// recorded: the grade recorded with the answer (columns.correct, columns.score). Of a list the first rule that
	// decides counts; one that compares words says "wrong" only as the last; undecided is wrong, and counted.
	// exact-match drops marks (-5 is 5); in a list those of numbers and formulas count
	Rule []task.Rule `toml:"rule" or:"one" default:"classification label, qa exact-match, else token-f1" least:"1"`
	// the program and its arguments, run without a shell in this file's folder. Words and bytes of the files they name
	// are in every grade's name
	Command []string `toml:"command" default:"none" range:"[\"python3\", \"grade.py\"]"`
	// command: how long the program may write nothing
	Timeout *time.Duration `toml:"timeout" default:"60s" range:"a duration: 30s, 5m, 1h"`
	// number: right is at most this share of the reference off
	Tolerance float64 `toml:"tolerance" fix:"0.01 is one per cent of the reference" default:"0" range:"0 to 1"`
	// score from which an answer is right: token-f1, rouge-l, cosine; scores of command and recorded
	Tau *float64 `toml:"tau" fix:"the paper's is 0.7; leave it out where grades are 0 or 1" default:"0.7; command, recorded: none, grades are 0 or 1" range:"more than 0, up to 1"`
	// for the rules of tau: an error is 1 less the score. What learns right from wrong still uses tau
	Soft bool `toml:"soft" default:"false" range:"true or false"`
}

type rawCascade struct {
	// name in tables and files
	Name *string `toml:"name" default:"the models' names joined by +" range:"a name"`
	// the student, then the master; in a chain each model is asked if none before it is confident enough, and its
	// pairs are analysed too
	Models []string `toml:"models" default:"required" range:"two to six names, cheapest first"`
	// what it is measured on
	Datasets []string `toml:"datasets" default:"the study's own; the catalogs' where it has none" range:"names"`
}

type rawPool struct {
	// name in tables and files
	Name *string `toml:"name" default:"the models' names joined by +" range:"a name"`
	// tried: every model alone, mixes of two, pairs with every threshold, chains, ensembles, a router; by each
	// record's own costs
	Models []string `toml:"models" default:"required" range:"two to twenty names, in any order"`
	// what it is measured on
	Datasets []string `toml:"datasets" default:"the study's own; the catalogs' where it has none" range:"names"`
	// how answers of two, three or all models become one; [] for none
	Ensembles []chain.EnsembleRule `toml:"ensembles" default:"all of them"`
}

type rawEmbedder struct {
	// a model in no cascade: backend encoder, or a server with /v1/embeddings. The built-in hashed n-grams measure
	// wording
	Model *string `toml:"model" default:"lexical, the built-in one" range:"a model's name"`
}

type rawScorer struct {
	// a model in no cascade: backend bart, or a server that echoes the log-probabilities of prompts (vLLM, SGLang)
	Model *string `toml:"model" default:"required" range:"a model's name"`
}

type rawJudge struct {
	// a model in no cascade; asked for a letter, as a classification is
	Model *string `toml:"model" default:"required" range:"a model's name"`
	// reference: does the answer say what the reference says; pairwise: is it as good, in both orders. A text names
	// {prompt}, {answer} and {reference} and lets it reply A (right) or B; or {first} and {second}, and A, B (the
	// better one) or C (equal); fields of the rows too
	Template *string `toml:"template" default:"reference" range:"reference, pairwise, or a text"`
	// human grades of answers drawn at random: rows of id, model, correct, and dataset where there are several; with
	// answer, of that answer alone. Tables say how far the judge is right, and correct the accuracy
	Human *string `toml:"human" default:"none" range:"a path"`
}

// Cost is how answers are priced.
type Cost struct {
	// what an answer costs; where tokens are estimated tables say so. recorded: what was recorded with it
	// (columns.cost)
	Model cost.Model `toml:"model" default:"tflops"`
	// how the fit part's answers become one cost per model; signature: the published protocol, no physical cost, from
	// a billion parameters up
	Summary cost.Summary `toml:"summary" default:"mean"`
	// tflops: queries are computed N at a time, padded to their longest
	Padding cost.Padding `toml:"padding" json:",omitempty" default:"none" when:"model=tflops"`
	// a TOML file for models without prices: date = "2026-01-31", currency = "USD", [models.NAME] price_in, price_out,
	// price_cached
	PricesPath *string    `toml:"prices" json:"-" default:"none: models state their prices" range:"a path, relative to this file"`
	Prices     *PriceFile `json:",omitempty"` // what is in it; nil = none
	// price: answers from batch files cost what batch_discount leaves of the price
	Batch bool `toml:"batch" json:",omitempty" default:"false" range:"true or false" when:"model=price"`
}

// Policy is what is fitted.
type Policy struct {
	// errors are against the reference, or against the master's answer
	Setting policy.Setting `toml:"setting" default:"non-oracle"`
	// the error budget: a model's errors on the fit part, or a performance. The oracle setting needs a number
	Target policy.Target `toml:"target" default:"best" range:"master, student, best, min, or a number from 0 to 1"`
	// how β is corrected, on the fit part, before thresholds are fitted
	Calibration confidence.Calibration `toml:"calibration" default:"none"`
	// thresholds are counted on the records (exact, lagrangian, lagrangian-grid; oracle setting: linear), or solved
	// for an estimated population
	Method Solver `toml:"method" default:"exact"`
	// what thresholds minimise within the budget: deferred records, the master's cost of them, or its time on them
	// (pairs)
	Objective policy.Objective `toml:"objective" default:"deferrals"`
	policy.ErrorPrice
	// what a query without an answer costs; adds policies that answer, defer or abstain
	AbstainCost float64 `toml:"abstain_cost" json:",omitzero" usual:"none" range:"more than 0, less than error_cost" fix:"abstain_cost = 1.0 prices a query without an answer at one unit of the study's cost"`
	// further rows, each with what it costs against the exact one
	Compare []Comparand `toml:"compare" default:"none"`
	// further rows where every model answers every query and is paid for; answers become one by class, or by what they
	// say
	Ensembles []chain.EnsembleRule `toml:"ensembles" json:",omitempty" default:"none"`
	// a promise about records not seen yet; adds a certified row
	Guarantee *guarantee.Terms `toml:"guarantee" default:"none"`
	// classification: also a threshold per predicted class
	Multi bool `toml:"multi" default:"true"`
}

// Confidence is how an answer's log-probabilities become β.
type Confidence struct {
	// classification: the largest label probability, or what a decision model's server calls its confidence
	Classification confidence.Score `toml:"score" default:"softmax" range:"softmax, vendor"`
	// from the log-probabilities of the generated tokens; quantiles: logistic regression on 20 quantiles, sum and
	// mean, fitted out of fold
	Generation confidence.Score `toml:"generation" default:"exp" range:"exp, minmax, sum, sigmoid, quantiles"`
	// answer: β is that of the tokens that hold the answer; a token on its border counts whole, a reply without an
	// answer has β = 0
	Over Over `toml:"over" json:",omitempty" usual:"the whole reply" range:"answer"`
	// classification: answers with less probability on all labels together are counted and named; 0 counts none
	LabelMass float64 `toml:"label_mass" fix:"0.5 is the default, and 0 is never undercut" json:",omitzero" default:"0.5" range:"0 to 1"`
	// what else may tell the student's right answers from its wrong ones: a table compares each with β, at its cost,
	// and says which adds to which
	Signals []Signal `toml:"signals" json:",omitempty" usual:"none"`
}

// Signal is what may tell a right answer of a student from a wrong one.
type Signal struct {
	// of label or token probabilities; length: negative; label-mass: the probability on all labels; vendor: the
	// recorded confidence. By further calls of the student: vote-share, semantic-entropy (how far samples agree),
	// p-true, stated, self-verification
	Kind confidence.Signal `toml:"kind" usual:"required"`
	// its name in tables
	Name string `toml:"name" json:",omitempty" usual:"its kind" range:"a name"`
	// vote-share, semantic-entropy, self-verification. The first two use a model's own samples where it has them
	Samples int `toml:"samples" json:",omitzero" when:"kind=vote-share|semantic-entropy|self-verification" fix:"5 are usual" default:"5" range:"2 to 100"`
	// of these samples
	Temperature float64 `toml:"temperature" json:",omitzero" when:"kind=vote-share|semantic-entropy|self-verification" fix:"1 draws as the model says" default:"1" range:"0.01 to 2"`
	// vote-share, semantic-entropy: the cosine of embeddings from which two generated answers are the same
	Cosine float64 `toml:"cosine" json:",omitzero" when:"kind=vote-share|semantic-entropy" fix:"0.9 is for texts that hardly differ; which one separates meanings depends on the embedder" usual:"none: the same by a rule of the dataset, or exact match" range:"more than 0, up to 1"`
	// token-quantile: of the tokens' log-probabilities
	Q float64 `toml:"q" json:",omitzero" when:"kind=token-quantile" fix:"0.1 is exceeded by nine tokens of ten" default:"0.1" range:"0 to 1"`
}

type rawBaseline struct {
	// which baseline
	Kind *baseline.Kind `toml:"kind" default:"required"`
	// random: probability of deferring
	P *float64 `toml:"p" fix:"a share: 0.01 is one in a hundred" default:"0.5" range:"0 to 1"`
	// fixed: the student's answer counts from this uncalibrated confidence on
	Threshold *float64 `toml:"threshold" usual:"required: fixed" range:"0 to 1"`
	// random: the study's seed, or numpy's default_rng(N) to the bit, as the published tables
	RNG *string `toml:"rng" default:"seed" range:"seed, numpy:N"`

	// frugalgpt, hybridllm. light: hashed n-grams and logistic regression; gbdt: boosted trees on the input's
	// embedding; command: a program
	Learner *router.Kind `toml:"learner" default:"light"`
	// learner command: program and arguments, run in this file's folder for every fit (harness/program/PROTOCOL.md)
	Command []string `toml:"command" default:"none" range:"[\"python3\", \"learn.py\"]"`
	// routers that read the query alone: the mean quality may be this far below the master's, on the fit part
	Delta *float64 `toml:"delta" default:"0.01" range:"-1000 to 1000"`
	// released: as the paper's authors' code: one fit, thresholds on records that it saw; frugalgpt the larger of
	// P(right) and P(wrong); hybridllm strictly better, delta relative, tuned as a router and charged as a cascade
	Compat *Compat `toml:"compat" default:"none"`
}

// Sufficiency says how it is tested whether anything known at gating time tells more of "student wrong, master right"
// than the confidence β (package sufficiency).
type Sufficiency struct {
	// what is tested, a row each: statistics of the student's output distribution, embeddings of the input
	Extra []Extra `toml:"extra" least:"1" fix:"name output-stats or embeddings, or leave the [sufficiency] table out" usual:"output-stats"`
	sufficiency.Test
	// what the model without the extra information knows; without classes beta+class is beta
	Nulls []sufficiency.Null `toml:"nulls" least:"1" usual:"beta; classification: beta, beta+class"`
	// embeddings: columns of the truncated SVD; 0 keeps them as they are
	Dimensions int `toml:"dimensions" when:"extra=embeddings" default:"100" range:"0 to 10000"`
}

// Grid are settings that are varied, one at a time; the others stay as the study has them.
type Grid struct {
	// instead of policy.target
	Target []policy.Target `toml:"target" least:"1" json:",omitempty" usual:"none" range:"targets"`
	// instead of correct.tau, where the rule has one
	Tau []float64 `toml:"tau" least:"1" json:",omitempty" usual:"none" range:"numbers more than 0, up to 1"`
	// a learning curve on one test part: records drawn from the fit part, each set within the next
	FitRecords []int `toml:"fit_records" least:"1" json:",omitempty" usual:"none" range:"whole numbers from 10"`
	// instead of the cascades, on all of their datasets
	Models [][]string `toml:"models" least:"1" json:",omitempty" usual:"none" range:"lists of models, cheapest first"`
	// instead of the seed of split, folds, learners and resamples; records and answers stay
	Seed []int64 `toml:"seed" least:"1" json:",omitempty" usual:"none" range:"two whole numbers or more, from 0"`

	Cascades []Cascade `json:"-"` // those of Models
}

// Transfer says between which domains policies are transferred.
type Transfer struct {
	// what a domain is: a dataset, or the records with one value of a column
	By string `toml:"by" usual:"required" range:"dataset, or a column"`
}

// Collect is how models are asked.
type Collect struct {
	// share of a cascade's records that may lack an answer; with more, tables are marked and the exit code is 6
	MaxMissing float64 `toml:"max_missing" fix:"a share: 0.01 is one in a hundred" default:"0.01" range:"0 to 1"`
	// of one call
	Timeout time.Duration `toml:"timeout" default:"5m" range:"a duration: 30s, 5m, 1h"`
	// of a call after a temporary failure
	Retries int `toml:"retries" default:"4" range:"0 to 20"`
	// calls in flight per model, where its backend does not say; CPU threads are --jobs
	Concurrency int `toml:"concurrency" default:"1" range:"1 to 1024"`

	// how long calls in flight may go on after Ctrl-C, SIGTERM or the end of the budget's time. A second Ctrl-C ends
	// at once
	Grace time.Duration `toml:"grace" json:"-" default:"30s" range:"a duration: 5s, 30s, 5m"`
	// a model is asked no more after so many equal failures in a row, or five times as many of any kind; 0: never
	GiveUp int `toml:"give_up" json:"-" default:"20" range:"0 to 1000000"`
	// what one run may spend: it stops before the call that would exceed it, with exit code 10; the same command goes
	// on, with a fresh budget
	Spending Spending `toml:"budget" json:"-" default:"none"`
}

// Spending is what one run may spend on asking; 0 = no limit.
type Spending struct {
	// in and out together, as servers count them, local models' too
	Tokens int64 `toml:"tokens" default:"none" range:"1 to 1e15" fix:"leave it out for no limit"`
	// tokens at price_in and price_out; other models what their prices say, else nothing
	Cost float64 `toml:"cost" default:"none" range:"more than 0, up to 1e12, in the currency of the prices" fix:"cost = 5.0 stops before five of the currency that the prices are in"`
	// after it no call begins; those under way have grace
	Time time.Duration `toml:"time" default:"none" range:"a duration: 30s, 5m, 1h, up to 87600h" fix:"leave it out for no limit"`
}
