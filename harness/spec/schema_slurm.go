package spec

import "time"

// Slurm is how a study is submitted to a cluster. Times that are 0 leave it to the cluster.
type Slurm struct {
	// an array of so many jobs per model
	Shards int `toml:"shards" default:"1" range:"1 to 1000"`
	// of a shard: it begins no more calls 3 minutes before, and is queued again, up to three times
	Time time.Duration `toml:"time" default:"the partition's" range:"a duration: 30m, 4h, 48h"`
	// of a shard (--gres=gpu:N)
	GPUs *int `toml:"gpus" default:"what the model's servers take, else 0" range:"0 to 64"`
	// of the shell before infnet starts: modules, an environment
	Setup []string `toml:"setup" default:"[]" range:"lines"`
	// by which a node starts infnet, such as a container's
	Command []string `toml:"command" default:"the program that submits" range:"words"`
	// of sbatch, for every job
	Options []string `toml:"options" default:"[]" range:"options: [\"--partition=gpu\", \"--mem=32G\"]"`
	// that jobs get besides those that the study names
	Env []string `toml:"env" default:"[]" range:"names of environment variables"`
}
