package spec

import (
	"time"

	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/policy/guarantee"
	"infnet/harness/result/style"
	"infnet/sufficiency"
)

// These structs are the schema: a key without a field does not exist. A nil pointer is a missing key. REFERENCE.md is
// generated from the fields' comments, which say what a key does, and their tags (option.go).

type rawStudy struct {
	// the study; results go to runs/NAME
	Study string `toml:"study" only:"study" need:"give the study a name: study = \"my-study\"" range:"a name"`
	// of every random stream
	Seed int64 `toml:"seed" only:"study" default:"0" range:"0 or more"`
	// catalogs: files of shared models and datasets
	Use []string `toml:"use" only:"study" default:"[]" range:"paths"`
	// the models
	Models []Model `toml:"models" default:"required"`
	// where models are computed, by a name of your choice
	Backends map[string]*rawBackend `toml:"backends" default:"none"`
	// the datasets
	Datasets []Dataset `toml:"datasets" default:"required"`
	// chains of models, and what they are measured on
	Cascades []Cascade `toml:"cascades" only:"study" default:"required, unless there are pools"`
	// models of which to find out which are worth asking, and how
	Pools []Pool `toml:"pools" only:"study" default:"none"`
	// which rows are used, and which of them fit
	Split Split `toml:"split"`
	// turns texts into vectors, for the cosine and the sufficiency test
	Embedder *rawEmbedder `toml:"embedder" only:"use"`
	// for datasets that do not say it
	Correct *Correct `toml:"correct" only:"use" default:"by the task"`
	// BARTScore: how well an answer follows from a reference: metric bartscore, HybridLLM's quality
	Scorer *rawScorer `toml:"scorer" only:"use"`
	// the model that rule judge asks
	Judge *Judge `toml:"judge" only:"use"`
	// how answers are priced
	Cost Cost `toml:"cost" only:"use"`
	// what is fitted
	Policy Policy `toml:"policy" only:"use"`
	// how log-probabilities become the confidence β
	Confidence Confidence `toml:"confidence" only:"use"`
	// rows next to the policies, of pairs of models; a random one replaces the default's
	Baselines []Baseline `toml:"baselines" only:"use" default:"none, all, oracle-router and one random"`
	// does something known at gating time predict "student wrong, master right" beyond β?
	Sufficiency *Sufficiency `toml:"sufficiency" only:"study" default:"none: nothing is tested"`
	// varies settings one at a time, around the study's own
	Grid *Grid `toml:"grid" only:"study" default:"none: no setting is varied"`
	// what is fitted on one domain is used on every other
	Transfer *Transfer `toml:"transfer" only:"study" default:"none: nothing is transferred"`
	// how models are asked
	Collect Collect `toml:"collect" only:"study"`
	// how tables are made
	Report Report `toml:"report" only:"use"`
	// what infnet slurm submit asks for; one of --use counts before the study's, that before its catalogs'
	Slurm *Slurm `toml:"slurm" default:"none: a job of one shard per model, and the cluster's own defaults"`
}

type rawEmbedder struct {
	// a model in no cascade: backend encoder, or a server with /v1/embeddings. The built-in one measures wording
	Model string `toml:"model" usual:"lexical, the built-in one" range:"a model's name"`
}

type rawScorer struct {
	// a model in no cascade: backend bart, or a server that echoes the log-probabilities of prompts (vLLM, SGLang)
	Model string `toml:"model" need:"the name of a model whose backend is bart" range:"a model's name"`
}

// Cost is how answers are priced.
type Cost struct {
	// what an answer costs; recorded: what was recorded with it (columns.cost)
	Model cost.Model `toml:"model" default:"tflops"`
	// how the fit part's answers become one cost per model; signature: the published protocol, from a billion
	// parameters up
	Summary cost.Summary `toml:"summary" default:"mean"`
	// tflops: queries are computed N at a time, padded to their longest
	Padding cost.Padding `toml:"padding" json:",omitempty" default:"none" when:"model=tflops"`
	// for models without prices: date = "2026-01-31", currency = "USD", [models.NAME] price_in, price_out
	PricesPath *string    `toml:"prices" json:"-" default:"none: models state their prices" range:"a path, relative to this file"`
	Prices     *PriceFile `json:",omitempty"` // what is in it; nil = none
}

// Policy is what is fitted.
type Policy struct {
	// errors are against the reference, or against the master's answer
	Setting policy.Setting `toml:"setting" default:"non-oracle"`
	// the error budget: a model's errors on the fit part, or a performance (oracle setting: always)
	Target policy.Target `toml:"target" default:"best" range:"master, student, best, min, or a number from 0 to 1"`
	// how β is corrected, on the fit part, before thresholds are fitted
	Calibration confidence.Calibration `toml:"calibration" default:"none"`
	// counted on the records (exact, lagrangian, lagrangian-grid; oracle setting: linear), or solved for an estimated
	// population
	Method Solver `toml:"method" default:"exact"`
	// what thresholds minimise: deferred records, or the master's cost of them
	Objective policy.Objective `toml:"objective" default:"deferrals"`
	policy.ErrorPrice
	// what a query without an answer costs; adds policies that answer, defer or abstain
	AbstainCost float64 `toml:"abstain_cost" json:",omitzero" usual:"none" range:"more than 0, less than error_cost" fix:"abstain_cost = 1.0 prices a query without an answer at one unit of the study's cost"`
	// further rows, each with what it costs against the exact one
	Compare []Comparand `toml:"compare" default:"none"`
	// pairs: a promise about records not seen yet; adds a certified row
	Guarantee *guarantee.Terms `toml:"guarantee" default:"none"`
	// classification: also a threshold per predicted class
	Multi bool `toml:"multi" default:"true"`
}

// Confidence is how an answer's log-probabilities become β.
type Confidence struct {
	// the largest label probability, or what a decision model's server calls its confidence
	Classification confidence.Score `toml:"score" default:"softmax" range:"softmax, vendor"`
	// of generated tokens; quantiles: logistic regression on 20 quantiles, sum and mean, fitted out of fold
	Generation confidence.Score `toml:"generation" default:"exp" range:"exp, minmax, sum, sigmoid, quantiles"`
	// β is that of the tokens that hold the answer; without an answer it is 0
	Over Over `toml:"over" json:",omitempty" one:"answer" usual:"the whole reply"`
	// answers with less probability on all labels together are counted and named
	LabelMass float64 `toml:"label_mass" fix:"0.5 is the default, and 0 is never undercut" json:",omitzero" default:"0.5" range:"0 to 1"`
	// what else may tell the student's right answers from wrong ones: a table compares each with β, at its cost
	Signals []Signal `toml:"signals" json:",omitempty" usual:"none"`
}

// Signal is what may tell a right answer of a student from a wrong one.
type Signal struct {
	// vendor: the recorded confidence. By further calls of the student: vote-share, semantic-entropy, p-true, stated,
	// self-verification
	Kind confidence.Signal `toml:"kind" need:"names"`
	// its name in tables
	Name string `toml:"name" json:",omitempty" usual:"its kind" range:"a name"`
	// a model's own samples are used where it has them
	Samples int `toml:"samples" json:",omitzero" when:"kind=vote-share|semantic-entropy|self-verification" fix:"5 are usual" default:"5" range:"2 to 100"`
	// of these samples
	Temperature float64 `toml:"temperature" json:",omitzero" when:"kind=vote-share|semantic-entropy|self-verification" fix:"1 draws as the model says" default:"1" range:"0.01 to 2"`
	// the cosine of embeddings from which two generated answers are the same
	Cosine float64 `toml:"cosine" json:",omitzero" when:"kind=vote-share|semantic-entropy" fix:"0.9 is for texts that hardly differ; which one separates meanings depends on the embedder" usual:"none: the same by a rule of the dataset, or exact match" range:"more than 0, up to 1"`
	// token-quantile: of the tokens' log-probabilities
	Q float64 `toml:"q" json:",omitzero" when:"kind=token-quantile" fix:"0.1 is exceeded by nine tokens of ten" default:"0.1" range:"0 to 1"`
}

// Sufficiency says how it is tested whether anything known at gating time tells more of "student wrong, master right"
// than the confidence β (package sufficiency).
type Sufficiency struct {
	// a row each: statistics of the student's output distribution, embeddings of the input
	Extra []Extra `toml:"extra" one:"output-stats, embeddings" least:"1" fix:"name output-stats or embeddings, or leave the [sufficiency] table out" usual:"output-stats"`
	sufficiency.Test
	// embeddings: columns of the truncated SVD
	Dimensions int `toml:"dimensions" when:"extra=embeddings" default:"100" range:"1 to 10000"`
}

// Grid are settings that are varied, one at a time; the others stay as the study has them.
type Grid struct {
	// instead of policy.target
	Target []policy.Target `toml:"target" least:"1" json:",omitempty" usual:"none" range:"targets"`
	// instead of correct.tau, where the rule has one
	Tau []float64 `toml:"tau" least:"1" json:",omitempty" usual:"none" range:"more than 0, up to 1"`
	// a learning curve: records drawn from the fit part, each set within the next
	FitRecords []int `toml:"fit_records" least:"1" json:",omitempty" usual:"none" range:"10 or more"`
	// of split, folds, learners and resamples; records and answers stay
	Seed []int64 `toml:"seed" least:"1" json:",omitempty" usual:"none" range:"0 or more"`
}

// Transfer says between which domains policies are transferred.
type Transfer struct {
	// what a domain is: a dataset, or the records with one value of a column
	By string `toml:"by" need:"by = \"dataset\", or the name of a column" range:"dataset, or a column"`
}

// Collect is how models are asked.
type Collect struct {
	// share of records that may lack an answer; with more, tables are marked and the exit code is 6
	MaxMissing float64 `toml:"max_missing" fix:"a share: 0.01 is one in a hundred" default:"0.01" range:"0 to 1"`
	// of one call
	Timeout time.Duration `toml:"timeout" default:"5m" range:"a duration: 30s, 5m, 1h"`
	// of a call after a temporary failure
	Retries int `toml:"retries" default:"4" range:"0 to 20"`
	// calls in flight per model, where its backend does not say; CPU threads are --jobs
	Concurrency int `toml:"concurrency" default:"1" range:"1 to 1024"`

	// of one run: it stops before the call that would exceed it, with exit code 10; the same command goes on
	Spending Spending `toml:"budget" json:"-" default:"none"`
}

// Spending is what one run may spend on asking; 0 = no limit.
type Spending struct {
	// in and out together, as servers count them, local models' too
	Tokens int64 `toml:"tokens" default:"none" range:"1 to 1e15" fix:"leave it out for no limit"`
	// tokens at price_in and price_out
	Cost float64 `toml:"cost" default:"none" range:"more than 0, up to 1e12, in the currency of the prices" fix:"cost = 5.0 stops before five of the currency that the prices are in"`
	// after it no call begins
	Time time.Duration `toml:"time" default:"none" range:"a duration: 30s, 5m, 1h, up to 87600h" fix:"leave it out for no limit"`
}

// Report is how tables are made.
type Report struct {
	// resamples of intervals
	Bootstrap int `toml:"bootstrap" default:"2000" range:"2000 to 100000"`
	// of the intervals
	Level float64 `toml:"level" fix:"0.95 makes 95 % intervals" default:"0.95" range:"more than 0, less than 1"`
	// the difference of errors per query that counts as none; 0.02 is 2 points
	Margin float64 `toml:"margin" fix:"0.02 is 2 points of error" default:"0.02" range:"0 or more, less than 1"`
	// the paper's table, printed next to ours
	Published string `toml:"published" json:",omitempty" default:"none" range:"a label, such as tab:add_res1, as in experiments/paper"`

	style.Style `json:"-"` // how tables and figures look; it changes no number
}

// Slurm is how a study is submitted to a cluster. Times that are 0 leave it to the cluster.
type Slurm struct {
	// an array of so many jobs per model
	Shards int `toml:"shards" default:"1" range:"1 to 1000"`
	// of a shard: it stops 3 minutes before, and is queued again, up to three times
	Time time.Duration `toml:"time" default:"the partition's" range:"a duration: 30m, 4h, 48h"`
	// of a shard (--gres=gpu:N)
	GPUs *int `toml:"gpus" default:"what the model's servers take, else 0" range:"0 to 64"`
	// of the shell before infnet starts: modules, an environment
	Setup []string `toml:"setup" default:"[]" range:"lines"`
	// of sbatch, for every job
	Options []string `toml:"options" default:"[]" range:"options: [\"--partition=gpu\", \"--mem=32G\"]"`
}
