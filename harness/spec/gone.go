package spec

import "strings"

// gone lists keys and values that specs had once, and what does their work now. A table is the first part of a key's
// path; a value of "" stands for the key itself.
var gone = []struct{ table, key, value, instead string }{
	{"backends", "provider", "googleai", "ask Google by the OpenAI protocol: kind = \"openai\", urls = " +
		"[\"https://generativelanguage.googleapis.com/v1beta/openai\"]"},
	{"backends", "provider", "google", "ask Google by the OpenAI protocol: kind = \"openai\", urls = " +
		"[\"https://generativelanguage.googleapis.com/v1beta/openai\"]"},
	{"backends", "provider", "mistral", "ask Mistral by the OpenAI protocol: kind = \"openai\", urls = " +
		"[\"https://api.mistral.ai/v1\"]"},
	{"backends", "provider", "cohere", "ask Cohere by the OpenAI protocol: kind = \"openai\", urls = " +
		"[\"https://api.cohere.ai/compatibility/v1\"]"},
	{"backends", "provider", "bedrock", "ask Bedrock's models with open weights by the OpenAI protocol: " +
		"kind = \"openai\", urls = [\"https://bedrock-runtime.REGION.amazonaws.com/openai/v1\"]; " +
		"Claude by provider = \"anthropic\""},
	{"backends", "labels", "logit-bias", "labels = \"top-logprobs\" measures the same without a bias; a label that is " +
		"not among the tokens reported has a bound"},
	{"backends", "labels", "structured", "labels = \"token-ids\" measures the same, and on the whole vocabulary"},
	{"backends", "labels", "grammar", "labels = \"top-logprobs\" with a larger top_logprobs measures the same"},
	{"backends", "region", "", "only Bedrock had regions: its address names one, " +
		"\"https://bedrock-runtime.REGION.amazonaws.com/openai/v1\", with kind = \"openai\""},
	{"backends", "adaptive", "", "leave it out: concurrency is the number of calls in flight, and a server's 429 slows " +
		"them down by itself"},
	{"baselines", "learner", "encoder", "a program fine-tunes encoders: learner = \"command\", command = " +
		"[\"python3\", \"distilbert.py\"], which is experiments/learners/distilbert.py"},
	{"baselines", "encoder", "", "learner = \"command\", and command names the program that fine-tunes"},
	{"report", "together", "", "draw = [\"cost-error\"] has a panel for each dataset; the other kinds have " +
		"a file for each"},
	{"backends", "cool_down", "", "leave it out: a URL that failed is left alone for 10 s, then longer"},
	{"backends", "max_body", "", "leave it out: a response may have 64 MiB, of classifiers and providers 4 MiB"},
	{"backends", "structured_field", "", "leave it out: vLLM's field is structured_outputs since 0.12"},
	{"backends", "limit", "", "leave it out: silence is how long a starting server may log nothing"},
	{"backends", "threads", "", "leave it out: --jobs is the number of CPU threads"},
	{"models", "token_counts", "", "counted_apart = [\"cached\", \"reasoning\"] names the tokens that are counted apart"},
	{"confidence", "include_eos", "", "leave it out: the end token is no token of the answer"},
	{"embedder", "kind", "", "leave it out: without a model the built-in lexical embedder is used"},
	{"confidence", "classification", "", "leave it out: the confidence of a classification is softmax"},
	{"pools", "chains", "", "leave it out: three models in series are always tried"},
	{"pools", "router", "", "leave it out: the router of a pool is always tried"},
	{"baselines", "draws", "", "leave it out: random baselines are means of 1,000 draws"},
	{"baselines", "delta_kind", "", "leave it out: delta is in points, and with compat = \"released\" relative to the " +
		"master's mean quality"},
	{"baselines", "learner_cost", "", "leave it out: with cost.model = \"tflops\" a learner's own work is counted, and " +
		"elsewhere a footnote says that it is not"},
	{"report", "one_table", "", "leave it out: the tables of a study have the rows of all cascades"},
	{"slurm", "partition", "", "options = [\"--partition=…\"]"},
	{"slurm", "account", "", "options = [\"--account=…\"]"},
	{"slurm", "qos", "", "options = [\"--qos=…\"]"},
	{"slurm", "cpus", "", "options = [\"--cpus-per-task=…\"]"},
	{"slurm", "memory", "", "options = [\"--mem=…\"]"},
	{"slurm", "parallel", "", "leave it out: fewer shards, or a limit of the partition, keep jobs waiting"},
	{"slurm", "warning", "", "leave it out: a shard stops 3 minutes before its time limit"},
	{"slurm", "requeues", "", "leave it out: a shard goes back into the queue up to three times"},
	{"slurm", "models", "", "the keys of [slurm] are for all models; GPUs are those that a model's servers take"},
	{"slurm", "analysis", "", "options are for every job; the last one has the partition's time and no GPU"},
	{"sufficiency", "method", "conditional", "write method = \"pcm\", whose regressions on β are checked, or " +
		"method = \"plain\", the paper's permutation"},
	{"sufficiency", "stratum", "", "it belonged to method = \"conditional\", which is gone: leave it out"},
	{"sufficiency", "sensitivity", "", "it belonged to method = \"conditional\", which is gone: leave it out"},
	{"sufficiency", "folds", "", "leave it out: there are five folds"},
	{"sufficiency", "trees", "", "leave it out: each regression has 100 trees, as in the paper"},
	{"sufficiency", "depth", "", "leave it out: trees have a depth of 3, as in the paper"},
	{"sufficiency", "splits", "", "leave it out: method = \"pcm\" takes eight halves"},
	{"sufficiency", "stop", "", "leave it out: every one of the permutations is made"},
	{"sufficiency", "alpha", "", "leave it out: the level of a finding is 0.05"},
	{"sufficiency", "power", "", "leave it out: where method = \"pcm\" shows nothing, it says which effect it would " +
		"have seen"},
}

// instead says what to write in place of a key, or of a value, that is gone; "" = it never was.
func instead(path, value string) string {
	table := path[:strings.IndexAny(path+".", ".[")]
	key := path[strings.LastIndex(path, ".")+1:]
	for _, g := range gone {
		if g.table == table && g.key == key && g.value == value {
			return g.instead
		}
	}
	return ""
}
