package spec

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"infnet/backends"
	"infnet/harness/choice"
)

// habits are keys that other programs use, or that describe one of ours, after the keys that are
// meant, by the struct of their table. They are too different from our keys to be typing errors.
// Case, - and _ are ignored.
var habits = map[reflect.Type]string{
	reflect.TypeFor[rawStudy](): `
		study: name title | models: model | datasets: dataset data | backends: backend | cascades: cascade chain | seed:
		randomseed randomstate | use: include import catalog catalogs | policy: policies thresholds | baselines:
		baseline | embedder: embedding embeddings | datasets.metrics: metrics | datasets.prompt: prompt`,
	reflect.TypeFor[Model](): `
		served id: model modelname | id: modelid | path id: checkpoint repo hub hfid | path: weights folder dir
		modelpath | path answers: file | name: title label | backend: provider type kind engine server | revision:
		commit version | backends.urls: url urls baseurl apibase endpoint host | backends.api_key_env: keyenv apikeyenv |
		datasets.max_tokens: maxtokens maxnewtokens | fixed_cost price_in: cost | price_in price_out: price |
		price_in: inputprice priceinput | price_out: outputprice priceoutput | params: size parameters nparams |
		answers: recorded log logs predictions outputs | mode: chat template | datasets.prompt: prompt | shape:
		architecture`,
	reflect.TypeFor[rawBackend](): `
		urls: url baseurl apibase endpoint endpoints host hosts server address apiurl base | api_key_env: keyenv
		apikeyenv keyvar apikeyvar envkey tokenenv envvar | headers_env: headerenv | kind: type backend | models.served:
		model served | concurrency: parallel workers maxconcurrency maxparallel numworkers ratelimit | batch: batchsize |
		extra: extrabody body params parameters options | top_logprobs: logprobs toplogprob | collect.retries: retries
		maxretries | datasets.max_tokens max_tokens_field: maxtokens maxnewtokens | launch: engine command start gpus
		flags ngpu`,
	reflect.TypeFor[backends.Launch](): `
		engine: kind | engine command: program | command: cmd | args: flags arguments options extra dtype quantization
		maxmodellen gpumemoryutilization | gpus: tensorparallel tensorparallelsize tp ngpu
		ngpus | servers: replicas dataparallel instances n |
		models.id: model | models.revision: revision | models.path: path | models.served: served`,
	reflect.TypeFor[Dataset](): `
		source: path file files data url hub datapath filename format | source name: dataset | name: title | id:
		idcolumn idcol key | fields prompt: textcolumn text textcol input inputcolumn inputs | fields label:
		column columns | fields: mapping features | label: labelcolumn labelcol class y | label reference: target
		targetcolumn | labels: classes classnames labelnames choices categories verbalizer words | reference:
		referencecolumn references answers gold groundtruth output | group: groupcolumn groups groupby
		cluster | prompt: prompttemplate template instruction userprompt | question: instructions | delimiter: separator
		sep comma fieldseparator | max_tokens: maxnewtokens maxlength maxlen maxoutputtokens maxcompletiontokens | stop:
		stopsequences stopwords eos until | limit: n nrows rows maxrows size samples maxsamples maxexamples num |
		metrics: metric score scores | correct: rule correctness tau | task: type kind | direction: language languages |
		on_bad_row: badrows onerror skip | split: trainsplit | split.fit: train fit test | split.order: shuffle order |
		seed: seed`,
	reflect.TypeFor[Split](): `
		fit: train trainsize trainfraction trainratio test testsize testfraction ratio fraction calibration holdout |
		order: shuffle | stratify: stratified | repeats: folds nrepeats runs | limit: n rows | seed: seed |
		datasets.group: group groups`,
	reflect.TypeFor[Cascade](): `
		models: model chain student master small large cheap stages pair | datasets: dataset data on | name: title`,
	reflect.TypeFor[Cost](): `
		model: kind type unit measure by | summary: average aggregate | models.currency: currency | padding: batches
		batchsize | batch: batched discount`,
	reflect.TypeFor[Policy](): `
		target: budget errorbudget performance accuracy xi epsilon | target guarantee: alpha | guarantee: delta |
		calibration: calibrate calibrator | method: solver algorithm | multi: perclass multiclass | setting: oracle mode |
		confidence.generation: confidence`,
	reflect.TypeFor[Collect](): `
		retries: maxretries retry | concurrency: parallel workers | budget datasets.max_tokens: maxtokens | budget:
		maxcost | max_missing: missing | split.limit: limit | timeout: deadline`,
	reflect.TypeFor[Slurm]():    `options: partition account qos cpus memory mem nodes constraint`,
	reflect.TypeFor[Baseline](): `command: encoder program`,
	reflect.TypeFor[Report](): `
		level: confidence ci alpha | bootstrap: resamples nbootstrap samples | published: table paper`,
}

// never lists keys that have no counterpart, and the reason.
var never = map[string]string{
	"temperature": "answers are greedy: there is no temperature to set; confidences are corrected by policy.calibration",
	"topp":        "answers are greedy: nothing is sampled, so there is no top_p",
	"topk":        "answers are greedy: nothing is sampled, so there is no top_k",
	"dosample":    "answers are greedy: nothing is sampled",
	"stream":      "answers are taken whole: leave it out",
	"device":      "models in this process run on CPU threads (--jobs); a GPU is behind a server, with a [backends] table",
	"dtype":       "models in this process compute in float32: leave it out",
}

// habit returns the hint for a key from another program; "" if there is none.
func habit(t reflect.Type, key string) string {
	folded := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))
	meant := ""
	for entry := range strings.SplitSeq(habits[t], "|") {
		if ours, theirs, _ := strings.Cut(entry, ":"); slices.Contains(strings.Fields(theirs), folded) {
			meant = strings.Join(strings.Fields(ours), " ")
		}
	}
	if meant == "" {
		return never[folded]
	}
	var out []string
	for _, k := range strings.Fields(meant) {
		if table, name, ok := strings.Cut(k, "."); ok {
			out = append(out, fmt.Sprintf("%q in %s", name, sectionTitles[table]))
		} else {
			out = append(out, fmt.Sprintf("%q", k))
		}
	}
	hint := "did you mean " + strings.Join(out, ", or ") + "?"
	if more := explained[meant]; more != "" {
		hint += " " + more
	}
	return hint
}

// sectionTitles are the headers of tables as authors write them.
var sectionTitles = map[string]string{
	"models": "[[models]]", "backends": "the [backends] table that the model names", "datasets": "[[datasets]]",
	"split": "[split]", "collect": "[collect]", "confidence": "[confidence]",
}

// explained says how keys that are often confused differ.
var explained = map[string]string{
	"served id": "served is the model's name at its server, id the name under which its answers are kept",
	"path id":   "path is the folder, or \"hf:OWNER/NAME\"; id the name under which its answers are kept",
	"urls":      "it is a list: urls = [\"http://gpu0:8000/v1\"]",
	"source":    "source = \"file:reviews.csv\"; the name's ending says the format",
	"fields prompt": "fields = { text = \"COLUMN\" } says which column {text} of the prompt is; without it {COLUMN} is " +
		"the column of that name",
	"fields label": "fields = { text = \"COLUMN\" } says which column {text} of the prompt is, label which one holds " +
		"the class",
	"fit":         "it is the share of the fit part; the rest tests",
	"models":      "models = [\"student\", \"master\"], cheapest first",
	"api_key_env": "it is the name of an environment variable, not the key",
	"order":       "order = \"shuffle\" or \"file\"",
	"limit":       "rows used at most",
	"args":        "args = [\"--dtype\", \"float32\"]: the engine's own flags",
	"launch":      "a table of its own: [backends.NAME.launch] with engine = \"vllm\"",
}

// notOne reports a name outside a closed set. The set's error lists the valid
// names after a colon; the nearest of them goes into the hint.
func (d decoder) notOne(path, got string, err error) {
	message, list, _ := strings.Cut(err.Error(), ": want one of ")
	valid := strings.Split(list, ", ")
	hint := ""
	if list != "" {
		hint = "want one of " + list
	}
	if strings.HasPrefix(path, "backends.") &&
		slices.Contains([]string{"vllm", "sglang", "llama.cpp", "llamacpp", "ollama", "tgi", "lmdeploy", "google", "googleai",
			"mistral", "cohere", "bedrock"},
			strings.ToLower(got)) {
		hint = "it speaks the OpenAI protocol: kind = \"openai\""
	} else if strings.HasPrefix(path, "backends.") && strings.HasSuffix(path, ".kind") &&
		slices.Contains(ownKinds(), got) {
		hint = fmt.Sprintf("%s needs no table: its models have backend = %q", got, got)
	} else if n := choice.Nearest(got, valid); n != "" && list != "" {
		hint = fmt.Sprintf("did you mean %q? valid are %s", n, list)
	}
	d.file.wrong(path, message, hint)
}

func (d decoder) mismatch(path, want string, v any) {
	hint := ""
	switch s := v.(type) {
	case string:
		if _, err := strconv.ParseFloat(s, 64); err == nil && strings.Contains(want, "number") {
			hint = "write it without the quotes"
		} else if (s == "true" || s == "false") && want == "true or false" {
			hint = "write it without the quotes"
		} else if want == "an array" {
			hint = "write it in brackets: [ … ]"
		}
	case map[string]any:
		if want == "an array of tables" {
			hint = "write the header in double brackets: [[…]]"
		}
	case int64, float64, bool:
		if want == "a string" {
			hint = "write it in quotes"
		} else if want == "a whole number" {
			hint = "write digits alone: 1000"
		}
	}
	d.file.wrong(path, fmt.Sprintf("want %s, got %s", want, describe(v)), hint)
}

func describe(v any) string {
	switch v := v.(type) {
	case string:
		return "a string"
	case int64:
		return "the whole number " + strconv.FormatInt(v, 10)
	case float64:
		return "the number " + strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case map[string]any:
		return "a table"
	case []any, []map[string]any:
		return "an array"
	case time.Time:
		return "a date or time"
	}
	return fmt.Sprintf("a %T", v)
}
