package spec

import "time"

// Slurm is how a study is submitted to a cluster. Times that are 0 leave it to the cluster.
type Slurm struct {
	// how many shards a model's answers are divided into: an array of so many jobs
	Shards int `toml:"shards" default:"1" range:"1 to 1000"`
	// time limit of a shard. It begins no more calls 3 minutes before, and goes back into the queue, up to three times
	Time time.Duration `toml:"time" default:"the partition's" range:"a duration: 30m, 4h, 48h"`
	// GPUs of a shard (--gres=gpu:N)
	GPUs *int `toml:"gpus" default:"what the model's servers take, else 0" range:"0 to 64"`
	// lines of the shell before infnet starts: modules, an environment
	Setup []string `toml:"setup" default:"[]" range:"lines"`
	// the words by which a node starts infnet, such as those of a container
	Command []string `toml:"command" default:"the program that submits" range:"words"`
	// options of sbatch, for every job
	Options []string `toml:"options" default:"[]" range:"options: [\"--partition=gpu\", \"--mem=32G\"]"`
	// further environment variables that jobs get, by name; those that the study names are always among them
	Env []string `toml:"env" default:"[]" range:"names of environment variables"`
}
