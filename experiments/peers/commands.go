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
)

// commands are measured as whole programs, from start to end.
var commands = []work{
	{
		name: "fit-csv", title: "`infnet fit` of a CSV of 1,000,000 rows; a script that takes the best threshold",
		peers: []string{"numpy script"},
		data:  logOf(1e6),
		ours:  fitLog,
	},
	simulatedStudy("analyze-100k", "`infnet analyze`, a simulated pair, 100,000 records", 100_000, "analyze"),
	simulatedStudy("analyze-1m", "`infnet analyze`, a simulated pair, 1,000,000 records", 1_000_000, "analyze"),
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
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("infnet %s: %w\n%s", args[0], err, bytes.TrimSpace(out))
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
labels = ["red", "green", "blue", "grey"]
prompt = "Item {item} is {outcome}.\nColour:"

[[cascades]]
models = ["student", "master"]

[cost]
model = "fixed"
`

// simulatedStudy is a command on a study of n records whose answers are stored.
func simulatedStudy(name, title string, n int, command string) work {
	return work{
		name: name, title: title,
		data: func(folder string) error {
			if err := os.WriteFile(filepath.Join(folder, "study.toml"), []byte(simulatedSpec), 0o666); err != nil {
				return err
			}
			rng := rand.New(rand.NewPCG(11, uint64(n)))
			return write(filepath.Join(folder, "items.csv"), func(w *bufio.Writer) error {
				fmt.Fprintln(w, "item,outcome")
				for i := range n {
					colour := []string{"red", "green", "blue", "grey"}[rng.IntN(4)]
					if _, err := fmt.Fprintf(w, "i%d,%s\n", i, colour); err != nil {
						return err
					}
				}
				return nil
			})
		},
		ours: func(ctx context.Context, at place) (task, error) {
			on := func(command string) error {
				return at.command(ctx, command, filepath.Join(at.folder, "study.toml"),
					"--store", filepath.Join(at.folder, "answers"), "--out", filepath.Join(at.folder, "runs"))
			}
			if command != "collect" {
				if err := on("collect"); err != nil {
					return task{}, err
				}
			}
			return task{run: func() error { return on(command) }}, nil
		},
	}
}
