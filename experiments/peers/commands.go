package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// commands are measured as whole programs, from start to end.
var commands = []work{
	{
		name: "fit-csv", title: "`infnet fit` of a CSV of 1,000,000 rows; a script that takes the best threshold",
		peers: []string{"numpy script"},
		data:  logOf(1e6),
		ours:  fitLog,
	},
	simulatedStudy("analyze-100k", "`infnet analyze`, a simulated pair, 100,000 records", 100_000, 4),
	simulatedStudy("analyze-1m", "`infnet analyze`, a simulated pair, 1,000,000 records", 1_000_000, 4),
	simulatedStudy("study-2k", "`infnet analyze`, 2,000 records of 1,000 classes", 2_000, 1_000),
	simulatedStudy("study-20k", "`infnet analyze`, 20,000 records of 1,000 classes", 20_000, 1_000),
	recordedStudy("collect-1m", "`infnet collect`, two models' recorded answers to 1,000,000 questions", 1_000_000),
	{
		name: "quickstart", title: "`infnet run experiments/quickstart.toml` again, every answer there",
		ours: func(ctx context.Context, at place) (task, error) {
			args := []string{"run", "quickstart", "--store", filepath.Join(at.folder, "answers"),
				"--out", filepath.Join(at.folder, "runs")}
			if err := at.command(ctx, args...); err != nil {
				return task{}, err
			}
			return task{run: func() error { return at.command(ctx, args...) }}, nil
		},
	},
}

// logOf writes a log of n queries, with four classes.
func logOf(n int) func(folder string) error {
	return func(folder string) error { return writeLog(filepath.Join(folder, "log.csv"), n, 4) }
}

func fitLog(ctx context.Context, at place) (task, error) {
	return task{run: func() error { return at.command(ctx, "fit", filepath.Join(at.folder, "log.csv")) }}, nil
}

// command runs infnet; what it prints is shown if it fails.
func (at place) command(ctx context.Context, args ...string) error {
	c := exec.CommandContext(ctx, at.infnet, args...)
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("infnet %s: %w\n%s", args[0], err, bytes.TrimSpace(out))
	}
	if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		*at.peak = max(*at.peak, float64(u.Maxrss)/1024)
	}
	return nil
}

const simulatedSpec = `study = "simulated"
seed  = 42

[[models]]
name       = "student"
backend    = "simulated"
simulated  = { alpha = 2, beta = 1, intercept = 0.6, slope = -0.58 }
fixed_cost = 1

[[models]]
name       = "master"
backend    = "simulated"
simulated  = { alpha = 5, beta = 1, intercept = 0.08 }
fixed_cost = 10

[[datasets]]
name   = "items"
source = "file:items.csv"
task   = "classification"
id     = "item"
label  = "outcome"
labels = [%s]
prompt = "Item {item} is {outcome}.\nColour:"

[[cascades]]
models = ["student", "master"]

[cost]
model = "fixed"
`

// simulatedStudy is the analysis of n records of k classes whose answers are stored.
func simulatedStudy(name, title string, n, k int) work {
	return work{
		name: name, title: title,
		data: func(folder string) error {
			labels := make([]string, k)
			for c := range labels {
				labels[c] = fmt.Sprintf("%q", fmt.Sprint("c", c))
			}
			spec := fmt.Sprintf(simulatedSpec, strings.Join(labels, ", "))
			if err := os.WriteFile(filepath.Join(folder, "study.toml"), []byte(spec), 0o666); err != nil {
				return err
			}
			rng := rand.New(rand.NewPCG(11, uint64(n)))
			return write(filepath.Join(folder, "items.csv"), func(w *bufio.Writer) error {
				fmt.Fprintln(w, "item,outcome")
				for i := range n {
					if _, err := fmt.Fprintf(w, "i%d,c%d\n", i, rng.IntN(k)); err != nil {
						return err
					}
				}
				return nil
			})
		},
		ours: func(ctx context.Context, at place) (task, error) {
			study, store := filepath.Join(at.folder, "study.toml"), filepath.Join(at.folder, "answers")
			if err := at.command(ctx, "collect", study, "--store", store); err != nil {
				return task{}, err
			}
			return task{run: func() error {
				return at.command(ctx, "analyze", study, "--store", store, "--out", filepath.Join(at.folder, "runs"), "--no-cache")
			}}, nil
		},
	}
}
