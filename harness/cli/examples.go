package cli

// example is a command line that works, and what it does.
type example struct{ command, what string }

// examples are printed below each command's help, by command name.
var examples = map[string][]example{
	"run": {
		{"infnet run quickstart", "the built-in study, from any folder"},
		{"infnet run study.toml --limit 200", "the first look at a new study: 200 records of each dataset"},
		{"infnet run study.toml --target 0.9", "another error budget; the stored answers serve again"},
		{"infnet run study.toml --retry-failed", "ask once more what failed last time"},
		{"infnet run study.toml --shard 3/16",
			"one of sixteen processes, on any machines, that share --store; the last one analyses"},
	},
	"plan": {
		{"infnet plan study.toml", "calls, tokens, work and price per model and dataset"},
		{"infnet plan study.toml --show 3", "also three rendered prompts of each dataset"},
	},
	"collect": {
		{"infnet collect study.toml", "ask for what is not on disk yet"},
		{"infnet collect study.toml --shard 3/16 --only large", "a sixteenth of one model's answers"},
		{"infnet collect study.toml --store /data/answers", "into a store that several studies share"},
	},
	"batch": {
		{"infnet batch write study.toml", "what the study still has to ask, as files for OpenAI's Batch API"},
		{"infnet batch write study.toml --format vllm", "the same for vllm run-batch, and the command that answers it"},
		{"infnet batch read --batch runs/study/batch output.jsonl errors.jsonl", "what came back, into the store"},
		{"infnet batch read runs/study/batch/large-001.out.jsonl", "the same, where it lies next to its manifest"},
	},
	"analyze": {
		{"infnet analyze study.toml", "results and tables from the stored answers"},
		{"infnet analyze study.toml --target master --out runs/master",
			"the same answers under another budget, beside the first"},
	},
	"report": {
		{"infnet report runs/quickstart", "write the tables of a run again, and print them"},
		{"infnet report study.toml", "the same, naming the study"},
		{"infnet report runs/quickstart --brief", "print what the run ended with, and no table"},
		{"infnet report runs/quickstart --to paper --layout paper --intervals pm",
			"its tables and figures as a paper wants them, in the folder paper"},
	},
	"paper": {
		{"infnet paper runs/quickstart", "numbers.tex, results.tex, tables and figures in paper/"},
		{"infnet paper runs/first runs/second --layout paper", "of two studies, with tables in the paper's form"},
	},
	"verify": {
		{"infnet verify runs/quickstart",
			"every table and figure once more, from the answers alone; nothing in the run changes"},
		{"infnet verify runs/sst2 --spec moved/sst2.toml --store /data/answers",
			"a run whose study or answers are elsewhere now"},
	},
	"accept": {
		{"infnet accept runs/nightly --because before-release", "write accepted.json, for version control"},
		{"infnet accept runs/nightly --out accepted.json --replace", "in place of what was accepted before"},
	},
	"compare": {
		{"infnet compare accepted.json runs/nightly", "is tonight's run worse than the accepted one, and why?"},
		{"infnet compare runs/before runs/after --json diff.json", "two folders; everything as JSON, too"},
		{"infnet compare accepted.json runs/nightly --history history.jsonl --report runs/report",
			"one night of many: the level holds for all of them together; files for a CI"},
	},
	"doctor": {
		{"infnet doctor study.toml", "one line for each question to each model, and the fix where one is needed"},
		{"infnet doctor study.toml --only gemma3-1b", "one model alone"},
		{"infnet doctor study.toml --use experiments/catalog/gpu.toml --start",
			"with the servers that a run would start, which are started, asked and stopped"},
	},
	"slurm": {
		{"infnet slurm submit study.toml --dry-run", "the scripts that would be submitted"},
		{"infnet slurm submit study.toml --shards 16", "an array of sixteen jobs per model, then the analysis"},
		{"infnet slurm status study.toml", "answers there and missing, by model and shard, and what Slurm says of the jobs"},
		{"infnet slurm cancel study.toml", "end the study's jobs; what they collected stays"},
	},
	"check": {
		{"infnet check study.toml", "every mistake of one study, with its place and the fix"},
		{"infnet check experiments/*.toml", "several studies at once"},
	},
	"init": {
		{"infnet init reviews.csv > study.toml", "a starter spec from the file's columns"},
		{"infnet init tickets.jsonl.gz --name support", "with a name of your own"},
		{"infnet init answers.small.jsonl answers.large.jsonl questions.jsonl",
			"the study that replays recorded answers: a file per model, and the questions"},
		{"infnet init answers.csv --column id=key --name keyed", "a column that has an unusual name"},
		{"infnet init small.eval large.eval -o logs.toml", "logs of Inspect"},
	},
	"fit": {
		{"infnet fit answers.csv --target master", "columns confidence, student and master (1 = right): one threshold"},
		{"infnet fit answers.parquet", "columns by their usual names: beta, student_correct, gold, …; it says which"},
		{"infnet fit log.jsonl --class label --reference truth -o thresholds.toml",
			"answers against a reference; a threshold per class, written for deployment"},
		{"infnet fit log.csv --oracle --target 0.95", "agree with the master on 95 % of the queries"},
		{"infnet fit answers.csv --target 0.9 --guarantee ltt",
			"thresholds whose true error is at most 10 % with probability 95 %"},
		{"infnet fit answers.csv --error-cost 20 --student-cost 1 --master-cost 10",
			"what to do where an error costs 20, and from which price on the master alone is right"},
		{"infnet fit answers.csv --frontier frontier.csv", "every optimal trade of errors against deferrals"},
	},
	"decide": {
		{"infnet decide thresholds.toml --listen 127.0.0.1:8090", "POST a confidence, or the student's reply, to /decide"},
		{"infnet decide policies.toml --policy multi --listen 0.0.0.0:8090 --public --key-file key",
			"for other machines, with a key"},
	},
	"export-policy": {
		{"infnet export-policy thresholds.toml --to vercel --question intent > fallback.json",
			"a conditional decision fallback of the AI Gateway"},
		{"infnet export-policy policies.toml --policy multi --to python > policy.py", "a function of ten lines"},
	},
	"route": {
		{"infnet route thresholds.toml < answers.jsonl",
			"a line {\"id\", \"confidence\", \"class\"} in, a line {\"id\", \"decision\", \"threshold\"} out"},
		{"infnet route thresholds.toml --confidence beta --class label < answers.jsonl > decisions.jsonl",
			"fields with other names"},
	},
	"sufficiency": {
		{"infnet sufficiency answers.csv --extra length,topic",
			"columns confidence, student and master (1 = right); J is two further columns"},
		{"infnet sufficiency log.parquet --extra-prefix emb_ --extra-prefix stat_ --class label",
			"two J, a row each, against β and against β and class"},
		{"infnet sufficiency log.jsonl --extra embedding --reference truth",
			"answers against a reference; J is a list; clear cases end early"},
		{"infnet sufficiency answers.csv --extra length --format latex > table.tex", "the row for a paper"},
	},
	"data": {
		{"infnet data builtin:reviews -n 5", "the first five records studies use"},
		{"infnet data builtin:reviews --stream train -n 50000", "training data: shares no text with the studies' stream"},
	},
	"export": {
		{"infnet export runs/quickstart", "answers and decisions as Parquet and CSV, with a data dictionary"},
		{"infnet export runs/quickstart --to /tmp/tidy", "into another folder"},
	},
	"certify": {
		{"infnet certify runs/quickstart", "columns, claims and check.py, in the run's folder certificate"},
		{"infnet certify study.toml --to review", "the same for a study's run, in the folder review"},
	},
	"version": {
		{"infnet version", "the version, and the Go it was built with"},
	},
	"help": {
		{"infnet help --all", "every command, and the exit codes"},
		{"infnet help run", "the flags of a command, with examples"},
	},
	"completion": {
		{"infnet completion bash > ~/.local/share/bash-completion/completions/infnet", "for bash, of every new shell"},
		{"infnet completion fish > ~/.config/fish/completions/infnet.fish", "for fish"},
		{"infnet completion zsh > ~/.zfunc/_infnet", "for zsh, where ~/.zfunc is in its fpath"},
	},
}
