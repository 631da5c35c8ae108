package spec

import (
	"fmt"
	"reflect"
	"strings"

	"infnet/backends"
)

// habits maps keys that other programs use, or that describe one of ours, to the keys that are
// meant, by the struct of their table. They are too different from our keys to be typing errors.
// Case, - and _ are ignored.
var habits = map[reflect.Type]map[string]string{
	reflect.TypeFor[rawStudy](): {
		"name": "study", "title": "study", "model": "models", "dataset": "datasets", "data": "datasets",
		"backend": "backends",
		"cascade": "cascades", "chain": "cascades", "randomseed": "seed", "random_state": "seed", "include": "use",
		"import": "use", "catalog": "use", "catalogs": "use",
		"policies": "policy", "baseline": "baselines", "embedding": "embedder", "embeddings": "embedder",
		"thresholds": "policy", "metrics": "datasets.metrics", "prompt": "datasets.prompt",
	},
	reflect.TypeFor[rawModel](): {
		"model": "served id", "modelname": "served id", "modelid": "id", "checkpoint": "path id", "repo": "path id",
		"hub": "path id", "hfid": "path id", "weights": "path", "folder": "path", "dir": "path", "file": "path answers",
		"modelpath": "path",
		"title":     "name", "label": "name", "provider": "backend", "type": "backend", "kind": "backend",
		"engine": "backend",
		"commit": "revision", "version": "revision",
		"url": "backends.urls", "urls": "backends.urls", "baseurl": "backends.urls", "apibase": "backends.urls",
		"endpoint": "backends.urls", "host": "backends.urls", "server": "backend",
		"keyenv": "backends.api_key_env", "apikeyenv": "backends.api_key_env", "maxtokens": "datasets.max_tokens",
		"maxnewtokens": "datasets.max_tokens",
		"cost":         "fixed_cost price_in", "price": "price_in price_out", "inputprice": "price_in",
		"outputprice": "price_out",
		"priceinput":  "price_in", "priceoutput": "price_out", "size": "params", "parameters": "params", "nparams": "params",
		"recorded": "answers", "log": "answers", "logs": "answers", "predictions": "answers", "outputs": "answers",
		"chat": "mode", "template": "mode", "prompt": "datasets.prompt", "architecture": "shape",
	},
	reflect.TypeFor[rawBackend](): {
		"url": "urls", "baseurl": "urls", "apibase": "urls", "endpoint": "urls", "endpoints": "urls", "host": "urls",
		"hosts": "urls", "server": "urls", "address": "urls", "apiurl": "urls", "base": "urls",
		"keyenv": "api_key_env", "apikeyenv": "api_key_env", "keyvar": "api_key_env", "apikeyvar": "api_key_env",
		"envkey": "api_key_env", "tokenenv": "api_key_env", "envvar": "api_key_env", "headerenv": "headers_env",
		"type": "kind", "backend": "kind", "model": "models.served",
		"served":   "models.served",
		"parallel": "concurrency", "workers": "concurrency", "maxconcurrency": "concurrency", "maxparallel": "concurrency",
		"numworkers": "concurrency", "ratelimit": "concurrency", "batchsize": "batch",
		"extrabody": "extra", "body": "extra", "params": "extra", "parameters": "extra", "options": "extra",
		"logprobs": "top_logprobs", "toplogprob": "top_logprobs", "retries": "collect.retries",
		"maxretries": "collect.retries",
		"maxtokens":  "datasets.max_tokens max_tokens_field", "maxnewtokens": "datasets.max_tokens max_tokens_field",
		"engine": "launch", "command": "launch", "start": "launch", "gpus": "launch", "flags": "launch",
		"ngpu": "launch",
	},
	reflect.TypeFor[backends.Launch](): {
		"kind": "engine", "program": "engine command", "cmd": "command", "flags": "args", "arguments": "args",
		"options": "args", "extra": "args", "environment": "env", "variables": "env",
		"tensorparallel": "gpus", "tensorparallelsize": "gpus", "tp": "gpus", "ngpu": "gpus", "ngpus": "gpus",
		"replicas": "servers", "dataparallel": "servers", "instances": "servers", "n": "servers", "timeout": "silence",
		"starttimeout": "silence", "retries": "restarts", "model": "models.id", "revision": "models.revision",
		"path": "models.path", "served": "models.served", "dtype": "args", "quantization": "args", "maxmodellen": "args",
		"gpumemoryutilization": "args",
	},
	reflect.TypeFor[rawDataset](): {
		"path": "source", "file": "source", "files": "source", "data": "source", "url": "source", "dataset": "source name",
		"hub": "source", "datapath": "source", "filename": "source",
		"title": "name", "id_column": "id", "idcolumn": "id", "idcol": "id", "key": "id",
		"textcolumn": "fields prompt", "text": "fields prompt", "textcol": "fields prompt", "input": "fields prompt",
		"inputcolumn": "fields prompt", "inputs": "fields prompt", "column": "fields label", "columns": "fields label",
		"mapping": "fields", "features": "fields",
		"labelcolumn": "label", "labelcol": "label", "target": "label reference", "targetcolumn": "label reference",
		"class": "label", "y": "label", "classes": "labels", "classnames": "labels", "labelnames": "labels",
		"choices": "labels", "categories": "labels", "verbalizer": "labels", "words": "labels",
		"reference_column": "reference", "referencecolumn": "reference", "references": "reference",
		"answers": "reference", "gold": "reference", "groundtruth": "reference", "output": "reference",
		"groupcolumn": "group", "groups": "group", "groupby": "group", "cluster": "group",
		"prompttemplate": "prompt", "template": "prompt", "instruction": "prompt",
		"instructions": "question", "userprompt": "prompt",
		"separator": "delimiter", "sep": "delimiter", "comma": "delimiter", "fieldseparator": "delimiter", "format": "source",
		"maxnewtokens": "max_tokens", "maxlength": "max_tokens", "maxlen": "max_tokens", "maxoutputtokens": "max_tokens",
		"maxcompletiontokens": "max_tokens", "stopsequences": "stop", "stopwords": "stop", "eos": "stop", "until": "stop",
		"n": "limit", "nrows": "limit", "rows": "limit", "maxrows": "limit", "size": "limit", "samples": "limit",
		"maxsamples": "limit", "maxexamples": "limit", "num": "limit",
		"metric": "metrics", "score": "metrics", "scores": "metrics", "rule": "correct", "correctness": "correct",
		"tau": "correct", "type": "task", "kind": "task", "language": "direction", "languages": "direction",
		"badrows": "on_bad_row", "onerror": "on_bad_row", "skip": "on_bad_row", "trainsplit": "split", "train": "split.fit",
		"fit": "split.fit", "test": "split.fit", "shuffle": "split.order", "order": "split.order", "seed": "seed",
	},
	reflect.TypeFor[rawSplit](): {
		"train": "fit", "trainsize": "fit", "trainfraction": "fit", "trainratio": "fit", "test": "fit", "testsize": "fit",
		"testfraction": "fit", "ratio": "fit", "fraction": "fit", "calibration": "fit", "holdout": "fit",
		"shuffle": "order", "stratified": "stratify", "folds": "repeats", "nrepeats": "repeats", "runs": "repeats",
		"n": "limit", "rows": "limit", "seed": "seed", "group": "datasets.group", "groups": "datasets.group",
	},
	reflect.TypeFor[rawCascade](): {
		"model": "models", "chain": "models", "student": "models", "master": "models", "small": "models", "large": "models",
		"cheap": "models", "stages": "models", "pair": "models", "dataset": "datasets", "data": "datasets", "on": "datasets",
		"title": "name",
	},
	reflect.TypeFor[Cost](): {"kind": "model", "type": "model", "unit": "model", "measure": "model", "by": "model",
		"average": "summary", "aggregate": "summary", "currency": "models.currency", "batches": "padding",
		"batchsize": "padding", "batched": "batch", "discount": "batch"},
	reflect.TypeFor[Policy](): {
		"budget": "target", "errorbudget": "target", "performance": "target", "accuracy": "target", "xi": "target",
		"epsilon": "target", "alpha": "target guarantee", "delta": "guarantee", "calibrate": "calibration",
		"calibrator": "calibration", "solver": "method", "algorithm": "method", "perclass": "multi", "multiclass": "multi",
		"oracle": "setting", "mode": "setting", "confidence": "confidence.generation",
	},
	reflect.TypeFor[Collect](): {"maxretries": "retries", "retry": "retries", "parallel": "concurrency",
		"workers": "concurrency", "maxtokens": "budget datasets.max_tokens", "maxcost": "budget", "missing": "max_missing",
		"limit": "split.limit", "deadline": "timeout"},
	reflect.TypeFor[Report](): {"confidence": "level", "ci": "level", "alpha": "level", "resamples": "bootstrap",
		"nbootstrap": "bootstrap", "samples": "bootstrap", "table": "published", "paper": "published"},
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
	meant := habits[t][folded]
	if meant == "" {
		meant = habits[t][strings.ToLower(key)]
	}
	if meant == "" {
		if t == reflect.TypeFor[rawSimulated]() {
			return ""
		}
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
