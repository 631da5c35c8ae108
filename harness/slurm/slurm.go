// Package slurm submits a study to a cluster that Slurm manages, and follows its jobs. It owns the
// text of job scripts, the calls of sbatch, squeue and scancel, and the list of a study's
// jobs. It refuses to open a study or its store, and to run anything by itself.
//
// Its opinion: the scheduler knows what runs and the store knows what is done, so no other state is
// needed. A script says everything that happens on a node, and holds no secret.
package slurm

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"infnet/backends/engine"
	"infnet/harness/regular"
)

// Find returns the path of a program of Slurm.
func Find(program string) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		err = fmt.Errorf("%s is not on the PATH: this is no machine of a cluster with Slurm, or a module has to be "+
			"loaded; infnet slurm submit --dry-run shows the scripts anywhere", program)
	}
	return path, err
}

func run(ctx context.Context, program string, args ...string) (string, error) {
	path, err := Find(program)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", fmt.Errorf("%s %s: %s", program, engine.Quoted(args...),
			cmp.Or(strings.TrimSpace(said.String()), err.Error()))
	}
	return out.String(), nil
}

// Token is a new name for a submission: its jobs are found by it.
func Token() string { return strings.ToLower(rand.Text()[:8]) }

// Submit hands a script to sbatch and returns the number of the job.
func Submit(ctx context.Context, script string) (id string, err error) {
	out, err := run(ctx, "sbatch", "--parsable", script)
	if err != nil {
		return "", err
	}
	if id = strings.TrimSpace(out); !isNumber(id) {
		return "", fmt.Errorf("sbatch --parsable said %q, which is no number of a job: see squeue", id)
	}
	return id, nil
}

// Cancel cancels a job that has this name: numbers are used again when Slurm's state is lost.
func Cancel(ctx context.Context, j Job) error {
	_, err := run(ctx, "scancel", "--jobname="+j.Name, j.ID)
	return err
}

func isNumber(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// Job is a submitted job. One is an array of shards of a model, or the last job.
type Job struct {
	ID    string `json:"id"` // a number
	Name  string `json:"name"`
	Model string `json:"model,omitempty"` // "" = the last job
	Tasks []int  `json:"tasks,omitempty"` // shards, from 1
	Of    int    `json:"of,omitempty"`
	Log   string `json:"log"` // %A is the number of the job, %a that of the shard
}

// LogOf is the log of a shard, or of the last job.
func (j Job) LogOf(shard int) string {
	dir, name := filepath.Split(j.Log)
	return dir + strings.NewReplacer("%A", j.ID, "%a", fmt.Sprint(shard)).Replace(name)
}

// JobsFile is the list of a study's jobs in a folder: a line each, the oldest first.
func JobsFile(folder string) string { return filepath.Join(folder, "jobs.jsonl") }

// Remember adds a job to the list, so that it can be found even if the submission goes no further.
func Remember(folder string, j Job) error {
	line, err := json.Marshal(j)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(JobsFile(folder), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return fmt.Errorf("note job %s: %w", j.ID, err)
	}
	_, err = f.Write(append(line, '\n'))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Jobs reads the list; where nothing was submitted, it is empty. A line that breaks off is left out.
func Jobs(folder string) (list []Job, err error) {
	data, err := regular.ReadFile(JobsFile(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the list of jobs: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var j Job
		if err := json.Unmarshal(lines.Bytes(), &j); err != nil || !isNumber(j.ID) || j.Name == "" {
			if !bytes.HasSuffix(data, []byte("\n")) && bytes.HasSuffix(data, lines.Bytes()) {
				break // a submission was killed while it wrote
			}
			return nil, fmt.Errorf("%s:%d: no job is written here: delete the line", JobsFile(folder), n)
		}
		list = append(list, j)
	}
	return list, lines.Err()
}
