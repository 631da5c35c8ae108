package importer_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/harness/importer"
)

// judgement is an answer without a grade: the small model says the right one of two labels on 8 of 12 questions (not
// where 3 divides the number), the large one on 10 (not on 0 and 10), by hand.
func judgement(i int, large bool) (said, right string) {
	labels := []string{"neg", "pos"}
	wrong := i%3 == 0
	if large {
		wrong = i%10 == 0
	}
	right = labels[i%2]
	if said = right; wrong {
		said = labels[1-i%2]
	}
	return said, right
}

// rows are 12 rows of JSON.
func rows(of func(i int) map[string]any) string {
	var b strings.Builder
	for i := range 12 {
		row := of(i)
		row["id"] = fmt.Sprint("q", i)
		line, err := json.Marshal(row)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "%s\n", line)
	}
	return b.String()
}

// Answers without grades are graded by the right answers, wherever these are: in the rows, in a file of questions under
// any of their names, or in the column that is named.
func TestImportWithRightAnswers(t *testing.T) {
	probs := func(said string) map[string]float64 {
		return map[string]float64{said: 0.8, map[string]string{"neg": "pos", "pos": "neg"}[said]: 0.2}
	}
	question := func(column string) string {
		return rows(func(i int) map[string]any {
			_, right := judgement(i, false)
			return map[string]any{"question": fmt.Sprint("What is ", i, "?"), column: right}
		})
	}
	text := func(i int, large bool) map[string]any {
		said, _ := judgement(i, large)
		return map[string]any{"text": said, "confidence": 0.5 + float64(i)/40}
	}
	for _, test := range []struct {
		name      string
		row       func(i int, large bool) map[string]any
		questions string // a file of questions; "" = there is none
		columns   map[string]string
		task      string
	}{
		{"probabilities, a label and the right one", func(i int, large bool) map[string]any {
			said, right := judgement(i, large)
			return map[string]any{"probs": probs(said), "label": said, "reference": right}
		}, "", nil, "classification"},
		{"probabilities, and the right one is called label", func(i int, large bool) map[string]any {
			said, right := judgement(i, large)
			return map[string]any{"probs": probs(said), "label": right}
		}, "", map[string]string{"reference": "label"}, "classification"},
		{"texts and the right one", func(i int, large bool) map[string]any {
			row := text(i, large)
			_, row["target"] = judgement(i, large)
			return row
		}, "", nil, "qa"},
		{"questions with an answer", text, question("answer"), nil, "qa"},
		{"questions with a column of their own", text, question("solution"), map[string]string{"reference": "solution"},
			"qa"},
		{"labels and questions with labels", func(i int, large bool) map[string]any {
			said, _ := judgement(i, large)
			return map[string]any{"probs": probs(said)}
		}, question("label"), nil, "classification"},
	} {
		t.Run(test.name, func(t *testing.T) {
			paths := put(t, "small.jsonl", rows(func(i int) map[string]any { return test.row(i, false) }),
				"zlarge.jsonl", rows(func(i int) map[string]any { return test.row(i, true) }))
			if test.questions != "" {
				path := filepath.Join(filepath.Dir(paths[0]), "z.questions.jsonl") // the last to be named
				if err := os.WriteFile(path, []byte(test.questions), 0o600); err != nil {
					t.Fatal(err)
				}
				paths = append(paths, path)
			}
			found, out, err := imported(t, importer.Options{Files: paths, Columns: test.columns})
			if err != nil {
				t.Fatal(err)
			}
			r := out.Datasets[0].Records
			if string(r.Dataset.Task) != test.task {
				t.Errorf("task %s, want %s", r.Dataset.Task, test.task)
			}
			for k, want := range []float64{8, 10} {
				right := 0.0
				for _, row := range r.Models[k].Errs {
					right += 1 - row
				}
				if math.Abs(right-want) > 1e-9 || found.Models[k].Right != want {
					t.Errorf("model %d is right on %v in the run and %v at import, want %v", k, right, found.Models[k].Right, want)
				}
			}
		})
	}
}

// What a column of labels means is asked for where it can be two things, and lists of probabilities without names are
// refused.
func TestImportAsksWhatLabelsMean(t *testing.T) {
	for _, test := range []struct {
		name string
		row  map[string]any
		want string
	}{
		{"a text and a label", map[string]any{"text": "neg", "label": "pos", "confidence": 0.5},
			"--column label=label or --column reference=label"},
		{"probabilities without names", map[string]any{"probs": []float64{0.3, 0.7}, "reference": "pos"},
			"write them as objects"},
		{"nothing that is right", map[string]any{"text": "neg", "confidence": 0.5}, "--column reference=COLUMN"},
	} {
		t.Run(test.name, func(t *testing.T) {
			row := func(i int) map[string]any {
				out := map[string]any{}
				for k, v := range test.row {
					out[k] = v
				}
				return out
			}
			_, _, err := imported(t, importer.Options{Files: put(t, "a.jsonl", rows(row), "b.jsonl", rows(row))})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
