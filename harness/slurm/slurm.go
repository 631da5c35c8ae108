// Package slurm submits a study to a cluster that Slurm manages, and follows its jobs. It owns the
// text of job scripts, the calls of sbatch, squeue, sacct and scancel, and the list of a study's
// jobs. It refuses to open a study or its store, and to run anything by itself.
//
// Its opinion: the scheduler knows what runs and the store knows what is done, so no other state is
// needed. A script says everything that happens on a node, and holds no secret.
package slurm

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os/exec"
	"strings"
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

// run calls a program and returns its output.
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
		return "", fmt.Errorf("%s %s: %s", program, strings.Join(quoted(args), " "),
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
