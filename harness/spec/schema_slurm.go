package spec

type rawSlurm struct {
	// the partition of every job
	Partition *string `toml:"partition" default:"the cluster's" range:"a name, or several joined by commas"`
	// the account that is charged
	Account *string `toml:"account" default:"the user's" range:"a name"`
	// the quality of service
	QOS *string `toml:"qos" default:"the cluster's" range:"a name"`
	// how many shards a model's answers are divided into: an array of so many jobs
	Shards *int64 `toml:"shards" default:"1" range:"1 to 1000"`
	// how many of a model's shards may run at once
	Parallel *int64 `toml:"parallel" default:"all" range:"1 to 1000"`
	// time limit of a shard
	Time *string `toml:"time" default:"the partition's" range:"a duration: 30m, 4h, 48h"`
	// how long before the time limit a shard begins no more calls; those under way have [collect] grace
	Warning *string `toml:"warning" default:"3m" range:"a duration: 3m"`
	// how often a shard that reached its time limit, or whose node failed, is put back into the queue
	Requeues *int64 `toml:"requeues" default:"3" range:"0 to 100"`
	// GPUs of a shard (--gres=gpu:N)
	GPUs *int64 `toml:"gpus" default:"what the model's servers take, else 0" range:"0 to 64"`
	// processors of a job
	CPUs *int64 `toml:"cpus" default:"the cluster's" range:"1 to 4096"`
	// memory of a job
	Memory *string `toml:"memory" default:"the cluster's" range:"a number and K, M, G or T: 32G"`
	// lines of the shell before infnet starts: modules, an environment
	Setup []string `toml:"setup" default:"[]" range:"lines"`
	// the words by which a node starts infnet, such as those of a container
	Command []string `toml:"command" default:"the program that submits" range:"words"`
	// further options of sbatch, for every job
	Options []string `toml:"options" default:"[]" range:"options, such as --constraint=a100"`
	// further environment variables that jobs get, by name; those that the study names are always among them
	Env []string `toml:"env" default:"[]" range:"names of environment variables"`
	// what differs for one model, by its name
	Models map[string]*rawSlurmModel `toml:"models" default:"none"`
	// what differs for the last job, which analyses and writes the tables
	Analysis *rawSlurmAnalysis `toml:"analysis" default:"none"`
}

type rawSlurmModel struct {
	// the partition of its shards
	Partition *string `toml:"partition" default:"slurm.partition" range:"a name, or several joined by commas"`
	// how many shards
	Shards *int64 `toml:"shards" default:"slurm.shards" range:"1 to 1000"`
	// time limit of a shard
	Time *string `toml:"time" default:"slurm.time" range:"a duration: 30m, 4h, 48h"`
	// GPUs of a shard
	GPUs *int64 `toml:"gpus" default:"slurm.gpus" range:"0 to 64"`
	// processors of a shard
	CPUs *int64 `toml:"cpus" default:"slurm.cpus" range:"1 to 4096"`
	// memory of a shard
	Memory *string `toml:"memory" default:"slurm.memory" range:"a number and K, M, G or T: 32G"`
}

type rawSlurmAnalysis struct {
	// the partition of the last job
	Partition *string `toml:"partition" default:"slurm.partition" range:"a name, or several joined by commas"`
	// time limit of the last job
	Time *string `toml:"time" default:"the partition's" range:"a duration: 30m, 4h, 48h"`
	// processors of the last job
	CPUs *int64 `toml:"cpus" default:"slurm.cpus" range:"1 to 4096"`
	// memory of the last job
	Memory *string `toml:"memory" default:"slurm.memory" range:"a number and K, M, G or T: 32G"`
}
