package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

const recordedSpec = `study = "recorded"
seed  = 42
cost  = { model = "fixed" }

[[models]]
name       = "student"
answers    = "student.jsonl"
fixed_cost = 1

[[models]]
name       = "master"
answers    = "master.jsonl"
fixed_cost = 10

[[datasets]]
name   = "reviews"
source = "file:questions.jsonl"
task   = "classification"
id     = "id"
label  = "label"
labels = ["negative", "positive"]
prompt = "Review: {text}\nSentiment:"

[[cascades]]
models = ["student", "master"]
`

// recordedStudy is the collection of two models' recorded answers to n questions into an empty store.
func recordedStudy(name, title string, n int) work {
	return work{
		name: name, title: title,
		data: func(folder string) error { return writeRecorded(folder, n) },
		ours: func(ctx context.Context, at place) (task, error) {
			answers := filepath.Join(at.folder, "answers")
			return task{run: func() error {
				if err := os.RemoveAll(answers); err != nil {
					return err
				}
				return at.command(ctx, "collect", filepath.Join(at.folder, "study.toml"), "--store", answers)
			}}, nil
		},
	}
}

func writeRecorded(folder string, n int) error {
	if err := os.WriteFile(filepath.Join(folder, "study.toml"), []byte(recordedSpec), 0o666); err != nil {
		return err
	}
	labels := []string{"negative", "positive"}
	files := map[string]func(w *bufio.Writer, rng *rand.Rand, i, gold int){
		"questions": func(w *bufio.Writer, rng *rand.Rand, i, gold int) {
			fmt.Fprintf(w, `{"id":"q%07d","text":"a film of %d scenes, %d of them worth it, seen by viewer %d","label":%q}`+"\n", i,
				rng.IntN(1e6), rng.IntN(1e6), i, labels[gold])
		},
	}
	for model, right := range map[string]float64{"student": 0.75, "master": 0.95} {
		files[model] = func(w *bufio.Writer, rng *rand.Rand, i, gold int) {
			if rng.Float64() >= right {
				gold = 1 - gold
			}
			fmt.Fprintf(w, `{"id":"q%07d","label":%q,"confidence":%.6f}`+"\n", i, labels[gold], 0.5+rng.Float64()/2)
		}
	}
	for name, line := range files {
		gold, own := rand.New(rand.NewPCG(13, 0)), rand.New(rand.NewPCG(13, uint64(len(name))))
		err := write(filepath.Join(folder, name+".jsonl"), func(w *bufio.Writer) error {
			for i := range n {
				line(w, own, i, gold.IntN(2))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
