package spec

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"infnet/harness/spec/place"
)

// Slurm is how a study is submitted to a cluster. Texts that are "" and numbers that are 0 leave it to the cluster.
type Slurm struct {
	Account  string
	QOS      string
	Parallel int // shards of a model at once; 0 = all
	Warning  time.Duration
	Requeues int
	Setup    []string
	Command  []string // nil = the program that submits
	Options  []string
	Env      []string

	Shard    SlurmJob            // of every model
	Models   map[string]SlurmJob // by model, with what Shard says where they say nothing
	Analysis SlurmJob            // the last job
}

// SlurmJob is what one job, or each of an array, asks for.
type SlurmJob struct {
	Partition string
	Shards    int
	Time      time.Duration
	GPUs      int // -1 = what the model's servers take
	CPUs      int
	Memory    string
}

// Of is what a shard of the model asks for.
func (s Slurm) Of(model string) SlurmJob {
	if j, ok := s.Models[model]; ok {
		return j
	}
	return s.Shard
}

// Cluster is how the study is submitted, with defaults for what it does not say.
func (s *Study) Cluster() Slurm {
	if s.Slurm != nil {
		return *s.Slurm
	}
	return Slurm{Warning: defaultWarning, Requeues: defaultRequeues, Shard: anyShard, Analysis: SlurmJob{Shards: 1}}
}

// anyShard is what a shard asks for where nothing is said.
var anyShard = SlurmJob{Shards: 1, GPUs: -1}

// Defaults of [slurm].
const (
	defaultWarning  = 3 * time.Minute
	defaultRequeues = 3
	mostShards      = 1000
)

var (
	slurmName   = regexp.MustCompile(`^[\pL\pN][\pL\pN_.,:@+/-]*$`)
	slurmMemory = regexp.MustCompile(`^[1-9][0-9]*[KMGT]?$`)
)

// checkSlurm checks [slurm], of the file that comes first.
func checkSlurm(s *Study, in *sources) {
	files := in.ranked()
	first := slices.IndexFunc(files, func(f *file) bool { return f.raw.Slurm != nil })
	if first < 0 {
		return
	}
	f, r := files[first], *files[first].raw.Slurm
	s.Slurm = &Slurm{
		Account: f.slurmName("slurm.account", r.Account), QOS: f.slurmName("slurm.qos", r.QOS),
		Parallel: int(f.given("slurm.parallel", r.Parallel, mostShards)),
		Warning:  f.duration("slurm.warning", r.Warning, defaultWarning),
		Requeues: int(f.whole("slurm.requeues", r.Requeues, defaultRequeues, 0, 100)),
		Setup:    f.lines("slurm.setup", r.Setup), Command: f.lines("slurm.command", r.Command),
		Options: f.lines("slurm.options", r.Options),
	}
	for i, name := range r.Env {
		s.Slurm.Env = append(s.Slurm.Env, f.variable(place.Element("slurm.env", i), name))
	}
	for i, o := range s.Slurm.Options {
		if key := place.Element("slurm.options", i); !strings.HasPrefix(o, "-") {
			f.wrong(key, fmt.Sprintf("%q is no option of sbatch", o), "one option each: \"--constraint=a100\"")
		} else if ours := ownOption(o); ours != "" {
			f.wrong(key, fmt.Sprintf("infnet sets %s itself", ours), "leave it out, or use the key of [slurm] for it")
		}
	}
	s.Slurm.Shard = f.slurmJob("slurm", anyShard, rawSlurmModel{r.Partition, r.Shards, r.Time, r.GPUs, r.CPUs, r.Memory})
	s.Slurm.Models = map[string]SlurmJob{}
	for _, name := range slices.Sorted(maps.Keys(r.Models)) {
		at := place.Join("slurm.models", name)
		if names := in.models(); f.study && in.whole && !slices.Contains(names, name) {
			f.misplaced(at, fmt.Sprintf("no model is called %q", name), place.Nearest(name, names))
		}
		s.Slurm.Models[name] = f.slurmJob(at, s.Slurm.Shard, *r.Models[name])
	}
	last := s.Slurm.Shard
	last.Shards, last.GPUs, last.Time = 1, 0, 0
	a := or(r.Analysis, rawSlurmAnalysis{})
	s.Slurm.Analysis = f.slurmJob("slurm.analysis", last, rawSlurmModel{Partition: a.Partition, Time: a.Time, CPUs: a.CPUs,
		Memory: a.Memory})
	for _, j := range append(slices.Collect(maps.Values(s.Slurm.Models)), s.Slurm.Shard) {
		if j.Time > 0 && s.Slurm.Warning >= j.Time {
			f.once("slurm.warning", fmt.Sprintf("a shard is to stop %v before its time limit, which is %v", s.Slurm.Warning,
				j.Time), "a time limit that is longer than the warning (3m where it is left out)")
		}
	}
}

// slurmJob checks what a job asks for. What it leaves out is as in otherwise.
func (f *file) slurmJob(at string, otherwise SlurmJob, r rawSlurmModel) SlurmJob {
	j := otherwise
	key := func(k string) string { return place.Join(at, k) }
	if r.Partition != nil {
		j.Partition = f.slurmName(key("partition"), r.Partition)
	}
	j.Shards = int(f.whole(key("shards"), r.Shards, int64(j.Shards), 1, mostShards))
	if j.Time = f.duration(key("time"), r.Time, j.Time); r.Time != nil && j.Time > 0 && j.Time < time.Minute {
		f.wrong(key("time"), fmt.Sprintf("%v is less than a minute", j.Time), "Slurm counts in minutes: 30m, 4h")
	}
	if r.GPUs != nil {
		j.GPUs = int(f.whole(key("gpus"), r.GPUs, 0, 0, 64))
	}
	if r.CPUs != nil {
		j.CPUs = int(f.whole(key("cpus"), r.CPUs, 1, 1, 4096))
	}
	if r.Memory != nil {
		if j.Memory = *r.Memory; !slurmMemory.MatchString(j.Memory) {
			f.wrong(key("memory"), fmt.Sprintf("%q is no amount of memory", j.Memory), "a number and K, M, G or T: 32G")
		}
	}
	return j
}

// slurmName checks a name that becomes a word of a job script.
func (f *file) slurmName(key string, p *string) string {
	if p == nil {
		return ""
	}
	if !slurmName.MatchString(*p) {
		f.wrong(key, fmt.Sprintf("%q is no name that Slurm knows", *p), "sinfo lists partitions, sacctmgr the others")
	}
	return *p
}

// lines checks texts that become lines or words of a job script.
func (f *file) lines(key string, list []string) []string {
	for i, line := range list {
		if strings.TrimSpace(line) == "" || strings.ContainsFunc(line, func(r rune) bool {
			return unicode.IsControl(r) && r != '\t'
		}) {
			f.wrong(place.Element(key, i), fmt.Sprintf("%q is no line", line), "one line of text in each entry")
		}
		if place.HasSecret(line) {
			f.wrong(place.Element(key, i), "this looks like a secret", "export it under a name, and put the name into slurm.env")
		}
	}
	return list
}

// ownOption returns the option that infnet sets by itself; "" = it is another one.
func ownOption(option string) string {
	word, _, _ := strings.Cut(option, "=")
	word, _, _ = strings.Cut(word, " ")
	own := []string{"--array", "-a", "--job-name", "-J", "--output", "-o", "--error", "-e", "--open-mode", "--signal",
		"--requeue", "--no-requeue", "--export", "--export-file", "--chdir", "-D", "--dependency", "-d",
		"--kill-on-invalid-dep", "--wrap", "--parsable", "--test-only", "--wait", "-W", "--time", "-t", "--partition", "-p",
		"--account", "-A", "--qos", "-q", "--nodes", "-N", "--ntasks", "-n"}
	if slices.Contains(own, word) {
		return word
	}
	return ""
}
