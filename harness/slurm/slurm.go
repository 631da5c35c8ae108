// Package slurm submits a study to a cluster that Slurm manages, and follows its jobs. It owns the
// text of job scripts, the calls of sbatch, squeue, sacct and scancel, and the list of a study's
// jobs. It refuses to open a study or its store, and to run anything by itself.
//
// Its opinion: the scheduler knows what runs and the store knows what is done, so no other state is
// needed. A script says everything that happens on a node, and holds no secret.
package slurm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Client calls the programs of Slurm.
type Client struct {
	// Find returns the path of a program. nil = exec.LookPath.
	Find func(string) (string, error)
}

// MissingError says that a program of Slurm is not on the PATH.
type MissingError struct{ Program string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not on the PATH: this is no machine of a cluster with Slurm, or a module has to be "+
		"loaded; infnet slurm submit --dry-run shows the scripts anywhere", e.Program)
}

// RefusedError is what a program of Slurm said when it failed.
type RefusedError struct {
	Program string
	Args    []string
	Said    string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s %s: %s", e.Program, strings.Join(quoted(e.Args), " "), e.Said)
}

// run calls a program and returns its output.
func (c Client) run(ctx context.Context, program string, args ...string) (string, error) {
	find := c.Find
	if find == nil {
		find = exec.LookPath
	}
	path, err := find(program)
	if err != nil {
		return "", &MissingError{program}
	}
	cmd := exec.CommandContext(ctx, path, args...)
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		text := strings.TrimSpace(said.String())
		if text == "" {
			text = err.Error()
		}
		return "", &RefusedError{program, args, text}
	}
	return out.String(), nil
}

// Token is a new name for a submission: its jobs are found by it.
func Token() string { return strings.ToLower(rand.Text()[:8]) }

// Submit hands a script to sbatch and returns the number of the job. A cluster's name, where sbatch
// says one, stays behind a semicolon.
func (c Client) Submit(ctx context.Context, script string) (id string, err error) {
	out, err := c.run(ctx, "sbatch", "--parsable", script)
	if err != nil {
		return "", err
	}
	id = strings.TrimSpace(out)
	if number, _, _ := strings.Cut(id, ";"); !isNumber(number) {
		return "", fmt.Errorf("sbatch --parsable said %q, which is no number of a job: see squeue", id)
	}
	return id, nil
}

// Cancel cancels a job that has this name: numbers are used again when Slurm's state is lost.
func (c Client) Cancel(ctx context.Context, j Job) error {
	_, err := c.run(ctx, "scancel", append(j.cluster(), "--jobname="+j.Name, j.number())...)
	return err
}

// Available reports whether a program is there.
func (c Client) Available(program string) bool {
	find := c.Find
	if find == nil {
		find = exec.LookPath
	}
	_, err := find(program)
	return err == nil
}

func isNumber(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// errNone is the error of a file of jobs that does not exist.
var errNone = errors.New("nothing was submitted")
