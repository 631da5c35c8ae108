package slurm

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"infnet/backends/engine"
	"infnet/harness/spec"
)

// Submission is everything that the job scripts of a study say. All paths are absolute.
type Submission struct {
	Study   string
	Token   string
	Cluster spec.Slurm
	Program string   // this one
	Flags   []string // the study and the flags that every command has: SPEC --store … --out …
	Collect []string // further flags of infnet collect
	Folder  string   // of scripts and logs
	Work    string   // the working folder
	Probe   string   // a file in the store
	Export  []string // names of environment variables
}

// Task is the work of one model: an array of shards. The last job has none.
type Task struct {
	Model  string
	Of     int      // shards
	GPUs   int      // of each
	Shards []int    // that have something to do, from 1
	After  []string // jobs that have to end well before
}

// Name is the name of the model's jobs. "" is the last job's.
func (s *Submission) Name(model string) string {
	what := "analysis"
	if model != "" {
		what = jobName(model)
	}
	return "infnet-" + jobName(s.Study) + "-" + what + "-" + s.Token
}

// Log is the file of the logs of a model's shards, or of the last job: %A is the number of the job, %a that of the
// shard.
func (s *Submission) Log(model string, of int) string {
	if model == "" {
		return filepath.Join(s.Folder, "analysis.%A.log")
	}
	return filepath.Join(s.Folder, fmt.Sprintf("%s.%%a-of-%d.%%A.log", jobName(model), of))
}

// Check refuses what no script can say.
func (s *Submission) Check() error {
	for _, p := range []struct{ what, path string }{
		{"the run's folder", s.Folder}, {"the working folder", s.Work}, {"the store", s.Probe}} {
		if err := checkPath(p.what, p.path); err != nil {
			return err
		}
	}
	return nil
}

func (s *Submission) head(model string, limit time.Duration, gpus int, more ...string) string {
	lines := []string{"#!/bin/bash", option("job-name", s.Name(model))}
	add := func(name, value string) {
		if value != "" {
			lines = append(lines, option(name, value))
		}
	}
	add("time", clock(limit))
	add("nodes", "1")
	add("ntasks", "1")
	if gpus > 0 {
		add("gres", "gpu:"+strconv.Itoa(gpus))
	}
	lines = append(lines, more...)
	for _, o := range s.Cluster.Options {
		name, value, has := strings.Cut(strings.TrimPrefix(o, "--"), "=")
		if has && strings.HasPrefix(o, "--") {
			lines = append(lines, option(name, value))
		} else {
			lines = append(lines, "#SBATCH "+o)
		}
	}
	add("open-mode", "append")
	add("chdir", s.Work)
	add("export", strings.Join(s.Export, ","))
	return strings.Join(lines, "\n") + "\n"
}

// clock is a time as sbatch reads it; "" = no limit of its own.
func clock(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	m := int((d + time.Minute - 1) / time.Minute)
	return fmt.Sprintf("%d-%02d:%02d:00", m/(24*60), m/60%24, m%60)
}

func (s *Submission) begin() string {
	var b strings.Builder
	fmt.Fprintf(&b, `
probe=%s
for wait in 1 2 4 8 16 32 0; do # a network file system may show a new file late
  [ -e "$probe" ] && break
  sleep "$wait"
done
if [ ! -e "$probe" ]; then
  echo "infnet: node ${SLURMD_NODENAME:-$(hostname)} does not see $probe, which infnet slurm submit wrote into the store:" \
    "the store is on a disk that the nodes do not share; name a folder that they share with --store and --out" >&2
  echo "infnet: ended with exit code 8"
  exit 8
fi
`, engine.Quote(s.Probe))
	if len(s.Cluster.Setup) > 0 {
		b.WriteString("\n")
		if slices.ContainsFunc(s.Cluster.Setup, func(l string) bool { return strings.HasPrefix(l, "module ") }) {
			b.WriteString(`for init in /etc/profile.d/modules.sh /etc/profile.d/lmod.sh /etc/profile.d/z00_lmod.sh; do
  if ! type module >/dev/null 2>&1 && [ -r "$init" ]; then . "$init"; fi
done
`)
		}
		b.WriteString(strings.Join(s.Cluster.Setup, "\n") + "\n")
	}
	return b.String()
}

// requeues is how often a shard that reached its time limit, or whose node failed, is put back into the queue.
const requeues = 3

// Script is the script of an array of shards.
func (s *Submission) Script(t Task) string {
	more := []string{option("array", ranges(t.Shards))}
	if len(t.After) > 0 {
		more = append(more, after(t.After)...)
	}
	more = append(more, option("signal", fmt.Sprintf("B:USR1@%d", int(spec.Warning.Seconds()))), "#SBATCH --requeue",
		"#SBATCH --output="+outputWord(s.Log(t.Model, t.Of), s.Folder))
	words := slices.Concat([]string{"collect"}, s.Flags, s.Collect, []string{"--quiet", "--only", t.Model, "--shard"})
	return s.head(t.Model, s.Cluster.Time, t.GPUs, more...) + fmt.Sprintf(`#
# Shard $SLURM_ARRAY_TASK_ID of %d of the answers of a model, for the study %s. It writes files of its own into the
# store. Before the time limit Slurm sends USR1: calls under way are finished, and the shard goes back into the queue,
# at most %d times. What is on disk then is not asked again.
requeues=%d
`, t.Of, jobName(s.Study), requeues, requeues) + s.begin() + fmt.Sprintf(`
restarts=${SLURM_RESTART_COUNT:-0}
echo "infnet: shard $SLURM_ARRAY_TASK_ID of %d on ${SLURMD_NODENAME:-$(hostname)}, start $((restarts + 1))"
if [ "$restarts" -gt "$requeues" ]; then
  echo "infnet: requeued $restarts times, and no shard is more often: submit the study again to go on" >&2
  echo "infnet: ended with exit code 1"
  exit 1
fi

limit=
trap 'limit=1; kill -TERM "$child" 2>/dev/null' USR1
trap ':' TERM # Slurm sends it to infnet as well
command %s %s "$SLURM_ARRAY_TASK_ID/%d" &
child=$!
while kill -0 "$child" 2>/dev/null; do wait "$child"; done
wait "$child"
code=$?
if [ -n "$limit" ] && [ "$code" -eq 130 ]; then
  if [ "$restarts" -ge "$requeues" ]; then
    echo "infnet: the time limit is near, and this is start $((restarts + 1)): submit the study again to go on" >&2
  elif scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"; then
    echo "infnet: the time limit is near: back into the queue, $((restarts + 1)) of $requeues"
    exit "$code" # Slurm ends it at any moment
  fi
fi
echo "infnet: ended with exit code $code"
exit "$code"
`, t.Of, engine.Quote(s.Program), engine.Quoted(words...), t.Of)
}

// Last is the script of the job that analyses the study. texts are the embedder and the scorer that it runs before.
func (s *Submission) Last(texts, deps []string) string {
	var more []string
	if len(deps) > 0 {
		more = after(deps)
	}
	more = append(more, "#SBATCH --output="+outputWord(s.Log("", 0), s.Folder))
	var b strings.Builder
	b.WriteString(s.head("", 0, 0, more...))
	fmt.Fprintf(&b, `#
# The study %s is analysed when every shard has ended well.
`, jobName(s.Study))
	b.WriteString(s.begin())
	fmt.Fprintf(&b, "\ninfnet() { command %s \"$@\"; }\n", engine.Quote(s.Program))
	b.WriteString(`: >"$probe.$SLURM_JOB_ID" && rm -f "$probe.$SLURM_JOB_ID" # a network file system lists the store anew
code=0
`)
	for _, model := range texts {
		words := slices.Concat([]string{"collect"}, s.Flags, []string{"--quiet", "--shard", "1/1", "--only", model})
		fmt.Fprintf(&b, "[ \"$code\" -ne 0 ] || infnet %s || code=$?\n", engine.Quoted(words...))
	}
	words := slices.Concat([]string{"analyze"}, s.Flags, []string{"--quiet"})
	fmt.Fprintf(&b, "[ \"$code\" -ne 0 ] || infnet %s || code=$?\n", engine.Quoted(words...))
	b.WriteString("echo \"infnet: ended with exit code $code\"\nexit \"$code\"\n")
	return b.String()
}

// outputWord is the value of --output: patterns stay, and % of the folder does not count as one.
func outputWord(path, folder string) string {
	value := strings.ReplaceAll(folder, "%", "%%") + strings.TrimPrefix(path, folder) // a pattern begins with %
	return strings.TrimPrefix(option("output", value), "#SBATCH --output=")
}

func after(jobs []string) []string {
	return []string{option("dependency", "afterok:"+strings.Join(jobs, ":")), "#SBATCH --kill-on-invalid-dep=yes"}
}

// ranges writes sorted numbers as sbatch's --array does: 1-4,7.
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, strconv.Itoa(list[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// option is a line that sbatch reads: it divides lines into words as a shell does, with quotes and
// backslashes, and expands nothing.
func option(name, value string) string {
	if engine.Quote(value) == value {
		return "#SBATCH --" + name + "=" + value
	}
	return "#SBATCH --" + name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// checkPath refuses paths that no job script can hold.
func checkPath(what, path string) error {
	switch {
	case strings.ContainsFunc(path, unicode.IsControl):
		return fmt.Errorf("%s %q: a line break or another control character is in its name, which sbatch cannot take: "+
			"rename the folder or name another one", what, path)
	case strings.Contains(path, `\`):
		return fmt.Errorf("%s %s: sbatch does not take a backslash in a path: rename the folder or name another one", what,
			path)
	}
	return nil
}

func jobName(s string) string { return cmp.Or(spec.Slug(s, 40), "x") }
