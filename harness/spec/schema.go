package spec

import (
	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/task"
	"infnet/metrics"
)

// These structs are the schema: a key that has no field here does not exist.
// A nil pointer is a key that was not written. The tags are the reference
// that users read (REFERENCE.md is made from them):
//
//	toml     the key
//	default  what a missing key means; "required" where it must be there
//	range    valid values, with unit; closed sets list theirs by themselves
//	doc      what it does
//	only     "study" where the key has no place in a catalog

type rawStudy struct {
	Study      *string        `toml:"study" only:"study" default:"required" range:"a name" doc:"name of the study; its results go to runs/NAME"`
	Seed       *int64         `toml:"seed" only:"study" default:"0" range:"0 or more" doc:"seed of every random stream: shuffles, built-in data, random baselines, resamples"`
	Use        []string       `toml:"use" only:"study" default:"[]" range:"paths" doc:"catalogs: files of shared models and datasets in this same schema, relative to this file"`
	Models     []rawModel     `toml:"models" default:"required" doc:"a model"`
	Datasets   []rawDataset   `toml:"datasets" default:"required" doc:"a dataset"`
	Cascades   []rawCascade   `toml:"cascades" only:"study" default:"required" doc:"a chain of models, and what it is measured on"`
	Split      *rawSplit      `toml:"split" doc:"which rows are used and which of them fit; a dataset may say otherwise in its own split, and a catalog's split holds for its own datasets where the study's says nothing"`
	Embedder   *rawEmbedder   `toml:"embedder" only:"study" doc:"what turns texts into vectors for the cosine metric"`
	Cost       *rawCost       `toml:"cost" only:"study" doc:"how answers are priced"`
	Policy     *rawPolicy     `toml:"policy" only:"study" doc:"what is fitted"`
	Confidence *rawConfidence `toml:"confidence" only:"study" doc:"how log-probabilities become the confidence β"`
	Baselines  []rawBaseline  `toml:"baselines" only:"study" default:"none, all, oracle-router and one random" doc:"rows beside the policies; none, all and oracle-router are always there, random entries replace the default one"`
	Collect    *rawCollect    `toml:"collect" only:"study" doc:"how models are asked"`
	Report     *rawReport     `toml:"report" only:"study" doc:"how tables are made"`
}

type rawModel struct {
	Name      *string       `toml:"name" default:"required" range:"a name" doc:"name in cascades and tables"`
	ID        *string       `toml:"id" default:"the name" range:"text" doc:"the hub's name of the model; part of an answer's key"`
	Backend   *rawBackend   `toml:"backend" default:"required" doc:"what computes it"`
	Path      *string       `toml:"path" default:"required for local" range:"a path, ${NAME} is replaced; or builtin:NAME" doc:"folder with config.json, *.safetensors and tokenizer.model, relative to this file; or a model that comes with infnet"`
	Mode      *rawMode      `toml:"mode" default:"raw" doc:"raw: the prompt is the model's input; chat: one user turn in the model's chat template"`
	PriceIn   *float64      `toml:"price_in" default:"none" range:"0 or more, currency per million input tokens" doc:"for cost.model = \"price\""`
	PriceOut  *float64      `toml:"price_out" default:"none" range:"0 or more, currency per million output tokens" doc:"for cost.model = \"price\""`
	Currency  *string       `toml:"currency" default:"USD" range:"text" doc:"of the prices; one for all models of a study"`
	FixedCost *float64      `toml:"fixed_cost" default:"none" range:"0 or more, any unit" doc:"cost of one answer, for cost.model = \"fixed\""`
	Params    *float64      `toml:"params" default:"asked of the model" range:"more than 0, billions" doc:"number of parameters, for cost.summary = \"signature\""`
	Simulated *rawSimulated `toml:"simulated" default:"required for simulated" doc:"the joint distribution of confidence and error"`
}

type rawSimulated struct {
	Alpha     *float64 `toml:"alpha" default:"required" range:"more than 0" doc:"first shape of the confidence's Beta distribution"`
	Beta      *float64 `toml:"beta" default:"required" range:"more than 0" doc:"second shape of the confidence's Beta distribution"`
	Intercept *float64 `toml:"intercept" default:"required" range:"a number" doc:"error rate at β = 0; intercept + slope·β is clipped to [0,1]"`
	Slope     *float64 `toml:"slope" default:"0" range:"a number" doc:"change of the error rate from β = 0 to β = 1"`
	Rho       *float64 `toml:"rho" default:"0" range:"0 to 1" doc:"probability that the error's draw is the one all simulated models share"`
}

type rawDataset struct {
	Name      *string           `toml:"name" default:"required" range:"a name" doc:"name in cascades and tables"`
	Source    *string           `toml:"source" default:"required" range:"file:PATH or builtin:NAME; ${NAME} is replaced" doc:"where the rows are: a .jsonl, .csv or .tsv file (each also .gz) or .parquet, relative to this file, or a built-in generator"`
	Task      *task.Kind        `toml:"task" default:"required; built-in: its own" doc:"what the dataset asks of a model"`
	Labels    []rawLabel        `toml:"labels" default:"required for classification; built-in: its own" range:"two or more" doc:"the classes: a list of words in the order of the indices 0, 1, … that stand in the label column, or of tables { class, word }; words are written without the space that joins them to the prompt"`
	Prompt    *string           `toml:"prompt" default:"required; built-in: its own" range:"text with at least one {field}" doc:"the prompt; {field} is replaced by the row's text, {{ and }} are braces"`
	Fields    map[string]string `toml:"fields" default:"every {field} of the prompt is the column of that name" range:"table of name = column" doc:"columns of the prompt's fields; a column such as \"translation.de\" leads into nested values"`
	Label     *string           `toml:"label" default:"label" range:"a column" doc:"classification: the reference class"`
	Reference *string           `toml:"reference" default:"required for files of other tasks" range:"a column" doc:"the accepted answers: one text, or a list, the first being primary"`
	ID        *string           `toml:"id" default:"the row number" range:"a column" doc:"identity of a row"`
	Group     *string           `toml:"group" default:"none" range:"a column" doc:"rows with equal values stay together in the split and in resamples"`
	OnBadRow  *OnBadRow         `toml:"on_bad_row" default:"error" doc:"what a row that cannot be read does: stop the study, or be left out and counted"`
	Limit     *int64            `toml:"limit" default:"split.limit; built-in: 1000" range:"10 or more rows" doc:"rows used at most"`
	Split     *rawSplit         `toml:"split" doc:"as the study's split, for this dataset"`
	MaxTokens *int64            `toml:"max_tokens" default:"qa 16, translation 64, generation 128; built-in: its own" range:"1 to 4096 tokens" doc:"new tokens an answer may have; not for classification"`
	Stop      []string          `toml:"stop" default:"[]" range:"texts" doc:"texts that end an answer, and are not part of it; not for classification"`
	Correct   *rawCorrect       `toml:"correct" doc:"when an answer is right"`
	Metrics   []metrics.Name    `toml:"metrics" default:"classification: accuracy, f1-macro; else rouge-l, cosine" doc:"scores the tables show, in order"`
	Truncate  *Truncate         `toml:"truncate" default:"allow" doc:"what a prompt cut to a model's context does: count, with a footnote, or make the record unanswered"`
}

type rawLabel struct {
	Class *string `toml:"class" default:"required" range:"text" doc:"how the label column names the class"`
	Word  *string `toml:"word" default:"the class" range:"text" doc:"how a model says it, without the space that joins it to the prompt"`

	plain bool // written as a word in a list
}

type rawSplit struct {
	Limit    *int64   `toml:"limit" default:"all rows" range:"10 or more rows" doc:"rows used at most"`
	Fit      *float64 `toml:"fit" default:"0.8" range:"more than 0, less than 1" doc:"share of the fit part; the rest is the test part, which nothing fitted sees"`
	Order    *Order   `toml:"order" default:"shuffle" doc:"shuffle: by the seed, before the limit; file: the first rows, the first of them to fit"`
	Stratify *bool    `toml:"stratify" default:"false" doc:"classification: the same share of every class in both parts"`
}

type rawCorrect struct {
	Rule *task.Rule `toml:"rule" default:"classification label, qa exact-match, else token-f1" doc:"how an answer is judged"`
	Tau  *float64   `toml:"tau" default:"0.7" range:"more than 0, up to 1" doc:"score from which an answer is right, for token-f1, rouge-l and cosine"`
}

type rawCascade struct {
	Name     *string  `toml:"name" default:"the models' names joined by +" range:"a name" doc:"name in tables and files"`
	Models   []string `toml:"models" default:"required" range:"two names, cheapest first" doc:"the student, then the master"`
	Datasets []string `toml:"datasets" default:"the study's own; the catalogs' where it has none" range:"names" doc:"what it is measured on"`
}

type rawEmbedder struct {
	Kind *rawEmbedderKind `toml:"kind" default:"lexical" doc:"lexical: hashed word and character n-grams, built in"`
}

type rawCost struct {
	Model   *cost.Model   `toml:"model" default:"tflops" doc:"what an answer costs"`
	Summary *cost.Summary `toml:"summary" default:"mean" doc:"how the fit part's answers become one cost per model; signature is the published protocol, no physical cost, and needs a billion parameters or more"`
}

type rawPolicy struct {
	Setting     *policy.Setting         `toml:"setting" default:"non-oracle" doc:"what errors are measured against: the dataset's reference, or the master's answer"`
	Target      *policy.Target          `toml:"target" default:"best" range:"master, student, best, min, or a number from 0 to 1" doc:"the error budget: a model's errors on the fit part, or a performance; the oracle setting needs a number, an agreement with the master"`
	Calibration *confidence.Calibration `toml:"calibration" default:"none" doc:"how β is corrected, on the fit part, before thresholds are fitted"`
	Method      *policy.Method          `toml:"method" default:"exact" doc:"how thresholds are found; linear is for the oracle setting"`
	Objective   *policy.Objective       `toml:"objective" default:"deferrals" doc:"what thresholds minimise within the budget: the number of deferred records, or the master's cost of them"`
	Multi       *bool                   `toml:"multi" default:"true" doc:"classification: a threshold per predicted class too, beside the single one"`
}

type rawConfidence struct {
	Classification *confidence.Score `toml:"classification" default:"softmax" range:"softmax" doc:"largest probability over the label tokens"`
	Generation     *confidence.Score `toml:"generation" default:"exp" range:"exp, minmax, sum, sigmoid" doc:"from the log-probabilities of the generated tokens"`
	IncludeEOS     *bool             `toml:"include_eos" default:"false" doc:"generation: the end token counts as a token of the answer"`
}

type rawBaseline struct {
	Kind  *BaselineKind `toml:"kind" default:"required" doc:"which baseline"`
	P     *float64      `toml:"p" default:"0.5" range:"0 to 1" doc:"random: chance to defer a record"`
	Draws *int64        `toml:"draws" default:"1000" range:"1 to 100000" doc:"random: draws averaged; not with rng = \"numpy:N\", which is one draw"`
	RNG   *string       `toml:"rng" default:"seed" range:"seed, numpy:N" doc:"random: the study's seed, or numpy's default_rng(N) bit for bit, as the published tables"`
}

type rawCollect struct {
	MaxMissing  *float64 `toml:"max_missing" default:"0.01" range:"0 to 1" doc:"share of a cascade's records that may lack an answer; more ends with exit code incomplete, tables written and marked"`
	Timeout     *string  `toml:"timeout" default:"5m" range:"a duration: 30s, 5m, 1h" doc:"of one call"`
	Retries     *int64   `toml:"retries" default:"4" range:"0 to 20" doc:"further tries of a call that failed for a passing reason"`
	Concurrency *int64   `toml:"concurrency" default:"1" range:"1 to 1024" doc:"calls in flight per model; CPU threads are --jobs"`
}

type rawReport struct {
	Bootstrap *int64   `toml:"bootstrap" default:"2000" range:"2000 to 100000" doc:"resamples of every interval"`
	Level     *float64 `toml:"level" default:"0.95" range:"more than 0, less than 1" doc:"of the intervals"`
}
