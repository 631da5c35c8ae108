package cli

// example is a command line that works, and what it does.
type example struct{ command, what string }

// examples are printed below each command's help, by command name.
var examples = map[string][]example{
	"run": {
		{"infnet run quickstart", "the built-in study, from any folder"},
		{"infnet run study.toml --limit 200", "the first look at a new study: 200 records of each dataset"},
	},
	"plan":    {{"infnet plan study.toml --show 3", "calls, tokens and price, and three rendered prompts"}},
	"collect": {{"infnet collect study.toml --shard 3/16 --only large", "a sixteenth of one model's answers"}},
	"batch": {
		{"infnet batch write study.toml", "what the study still has to ask, as files for OpenAI's Batch API"},
		{"infnet batch read --batch runs/study/batch output.jsonl errors.jsonl", "what came back, into the store"},
	},
	"analyze": {{"infnet analyze study.toml --target master --out runs/master", "another budget, the same answers"}},
	"report":  {{"infnet report runs/quickstart", "write the tables of a run again, and print them"}},
	"paper":   {{"infnet paper runs/quickstart", "numbers.tex, results.tex, tables and figures in paper/"}},
	"verify":  {{"infnet verify runs/quickstart", "every file once more, from the answers alone; nothing changes"}},
	"accept":  {{"infnet accept runs/nightly --because before-release", "write accepted.json, for version control"}},
	"compare": {{"infnet compare accepted.json runs/nightly", "is tonight's run worse than the accepted one, and why?"}},
	"doctor":  {{"infnet doctor study.toml", "a line for each question to each model, and the fix where one is needed"}},
	"slurm": {
		{"infnet slurm submit study.toml --dry-run", "the scripts that would be submitted"},
		{"infnet slurm status study.toml", "what is there and missing, and what Slurm says of the jobs"},
		{"infnet slurm cancel study.toml", "end the study's jobs; what they collected stays"},
	},
	"check": {{"infnet check experiments/*.toml", "every mistake of several studies, with its place and the fix"}},
	"init": {
		{"infnet init reviews.csv > study.toml", "a starter spec from the file's columns"},
		{"infnet init answers.small.jsonl answers.large.jsonl questions.jsonl",
			"the study that replays recorded answers: a file per model, and the questions"},
	},
	"fit": {
		{"infnet fit answers.csv --target master", "columns confidence, student and master (1 = right): one threshold"},
		{"infnet fit log.jsonl --class label --reference truth -o thresholds.toml",
			"answers against a reference; a threshold per class, written for deployment"},
	},
	"decide": {{"infnet decide thresholds.toml --listen 127.0.0.1:8090",
		"POST a confidence, or the student's reply, to /decide"}},
	"export-policy": {{"infnet export-policy policies.toml --policy multi --to python > policy.py", "a function"}},
	"route":         {{"infnet route thresholds.toml < answers.jsonl", "a line of JSON in, a decision out"}},
	"sufficiency":   {{"infnet sufficiency answers.csv --extra length,topic", "J is two further columns"}},
	"data":          {{"infnet data builtin:reviews -n 5", "the first five records studies use"}},
	"export":        {{"infnet export runs/quickstart --to /tmp/tidy", "answers and decisions as Parquet and CSV"}},
	"certify":       {{"infnet certify runs/quickstart", "columns, claims and check.py, for a reviewer"}},
	"version":       {{"infnet version", "the version, and the Go it was built with"}},
	"help":          {{"infnet help --all", "every command, and the exit codes"}},
	"completion": {{"infnet completion bash > ~/.local/share/bash-completion/completions/infnet",
		"for every new shell"}},
}
