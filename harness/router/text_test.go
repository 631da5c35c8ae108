package router

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

var full = flag.Bool("full", false, "train on 6,400 records of all sets, in place of 2,000 of one")

// realText reads the first rows of a file of real sentences with classes.
func realText(t *testing.T, name string, n int) (samples []Sample, class []int) {
	t.Helper()
	dir := os.Getenv("INFNET_DATA")
	if dir == "" {
		t.Skip("INFNET_DATA names no folder with the real datasets")
	}
	f, err := os.Open(filepath.Join(dir, "train", name+"_train.jsonl.gz"))
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(z); len(samples) < n && lines.Scan(); {
		var row struct {
			ID, Text string
			Label    int
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		samples = append(samples, Sample{ID: row.ID, Query: row.Text, Class: -1})
		class = append(class, row.Label)
	}
	return samples, class
}

// The light learner next to scikit-learn on real text: one fit per class, the
// class of the largest probability. The expected accuracies are those of
// testdata/sklearn_text.py (scikit-learn 1.9.1), on the same rows: the same
// kinds of n-grams from HashingVectorizer, tf-idf, and LogisticRegression with
// C chosen on the last 15 % of the training rows.
func TestLightBesideScikitLearn(t *testing.T) {
	for _, tt := range []struct {
		name    string
		classes int
		sklearn float64
	}{{"sst2", 2, 0.7613}, {"agnews", 4, 0.8607}, {"emotion", 6, 0.7207}} {
		t.Run(tt.name, func(t *testing.T) {
			n, sklearn := 2000, tt.sklearn
			if !*full && tt.name != "sst2" {
				t.Skip("takes long: -full trains on all three, and on more records")
			}
			if *full {
				n, sklearn = 6400, map[string]float64{"sst2": 0.8267, "agnews": 0.8833, "emotion": 0.8387}[tt.name]
			}
			samples, class := realText(t, tt.name, n+1500)
			train, test := samples[:n], samples[n:]
			best, most := make([]int, len(test)), slices.Repeat([]float64{-1}, len(test))
			for k := range tt.classes {
				task := Task{Samples: train, Seed: 1, Name: fmt.Sprint(tt.name, k)}
				for _, c := range class[:n] {
					y := 0.0
					if c == k {
						y = 1
					}
					task.Labels = append(task.Labels, y)
				}
				began := time.Now()
				got, err := NewLight().Learn(t.Context(), task, test)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s class %d: %v, %d of %d passes, %v %s", tt.name, k, got.Report.Held, got.Report.Epochs,
					got.Report.Passes, time.Since(began), got.Report.Note)
				for i, v := range got.Scores {
					if v > most[i] {
						best[i], most[i] = k, v
					}
				}
			}
			right := 0
			for i, k := range best {
				if k == class[n+i] {
					right++
				}
			}
			got := float64(right) / float64(len(test))
			t.Logf("%s: accuracy %.4f on %d, scikit-learn %.4f", tt.name, got, len(test), sklearn)
			if got < sklearn-0.025 { // two standard errors of an accuracy of 1,500
				t.Errorf("%s: accuracy %.4f, scikit-learn %.4f", tt.name, got, sklearn)
			}
		})
	}
}
