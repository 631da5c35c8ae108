package spec

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"infnet/harness/spec/place"
)

// Warning is how long before its time limit a shard begins no more calls.
const Warning = 3 * time.Minute

// Cluster is how the study is submitted, with defaults for what it does not say.
func (s *Study) Cluster() Slurm {
	if s.Slurm != nil {
		return *s.Slurm
	}
	return Slurm{Shards: 1}
}

// checkSlurm checks [slurm], of the file that comes first.
func checkSlurm(in *sources) *Slurm {
	files := in.ranked()
	first := slices.IndexFunc(files, func(f *file) bool { return f.raw.Slurm != nil })
	if first < 0 {
		return nil
	}
	f := files[first]
	c := *f.raw.Slurm
	f.lines("slurm.setup", c.Setup)
	f.lines("slurm.options", c.Options)
	if c.Time > 0 && c.Time <= Warning {
		f.wrong("slurm.time", fmt.Sprintf("a shard stops %v before its time limit, which is %v", Warning, c.Time),
			"a longer limit: 30m, 4h")
	}
	for i, o := range c.Options {
		if key := place.Element("slurm.options", i); !strings.HasPrefix(o, "-") {
			f.wrong(key, fmt.Sprintf("%q is no option of sbatch", o), "one option each: \"--constraint=a100\"")
		} else if word := o[:strings.IndexAny(o+" ", "= ")]; slices.Contains(ownOptions, word) {
			f.wrong(key, fmt.Sprintf("infnet sets %s itself", word), "leave it out, or use the key of [slurm] for it")
		}
	}
	return &c
}

// lines checks texts that become lines or words of a job script.
func (f *file) lines(key string, list []string) {
	for i, line := range list {
		if strings.TrimSpace(line) == "" || strings.ContainsFunc(line, func(r rune) bool {
			return unicode.IsControl(r) && r != '\t'
		}) {
			f.wrong(place.Element(key, i), fmt.Sprintf("%q is no line", line), "one line of text in each entry")
		}
		if place.HasSecret(line) {
			f.wrong(place.Element(key, i), "this looks like a secret", "let setup read it from a file on the node")
		}
	}
}

// ownOptions are those of sbatch that infnet sets by itself.
var ownOptions = []string{"--array", "-a", "--job-name", "-J", "--output", "-o", "--error", "-e", "--open-mode",
	"--signal", "--requeue", "--no-requeue", "--export", "--export-file", "--chdir", "-D", "--dependency", "-d",
	"--kill-on-invalid-dep", "--wrap", "--parsable", "--test-only", "--wait", "-W", "--time", "-t", "--nodes", "-N",
	"--ntasks", "-n"}
