package importer_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/harness/importer"
)

// answers are lines of JSON: 20 answers of a model, of which each third is wrong. edit changes a row.
func answers(model string, edit func(i int, row map[string]any)) string {
	var b strings.Builder
	for i := range 20 {
		row := map[string]any{"id": fmt.Sprintf("q%d", i), "question": fmt.Sprintf("What is %d?", i), "text": "x",
			"correct": i%3 > 0, "confidence": float64(i) / 20, "cost": 0.25}
		if model != "" {
			row["model"] = model
		}
		if edit != nil {
			edit(i, row)
		}
		line, err := json.Marshal(row)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "%s\n", line)
	}
	return b.String()
}

// put writes files into a folder, and returns their paths.
func put(t *testing.T, texts ...string) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i := 0; i < len(texts); i += 2 {
		path := filepath.Join(dir, texts[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(texts[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// set sets a key of the rows that when names.
func set(key string, value any, when func(int) bool) func(int, map[string]any) {
	return func(i int, row map[string]any) {
		if when(i) {
			row[key] = value
		}
	}
}

func all(int) bool     { return true }
func third(i int) bool { return i == 3 }

// What is odd about files is said with the file and the line, and no study is written that cannot run.
func TestImportSuspects(t *testing.T) {
	plain := answers("", nil)
	inspect := func(task, scores string) string {
		return fmt.Sprintf(`{"eval": {"model": "%s/m", "task": %q}, "samples": [{"id": 1, "epoch": 1, "input": "x",
			"output": {"completion": "x"}, "scores": {%s}}]}`, task, task, scores)
	}
	for _, test := range []struct {
		name  string
		files []string
		want  []string
	}{
		{"two files that disagree", []string{"a.jsonl", answers("a", nil), "b.jsonl", answers("a", set("correct",
			false, all)),
			"c.jsonl", answers("c", nil)}, []string{"answers of a are in ", "a.jsonl and in ", "put them into one file"}},
		{"two currencies of a model", []string{"a.jsonl", answers("", set("currency", "EUR", third)), "b.jsonl", plain},
			[]string{"a.jsonl: line 5", "EUR"}},
		{"ids that differ", []string{"a.jsonl", plain, "b.jsonl", strings.ReplaceAll(plain, `"q`, `"Q`)},
			[]string{"0 questions are answered by every model", "a.jsonl", "b.jsonl"}},
		{"an empty name of a model", []string{"a.jsonl", answers("a", set("model", "", third))},
			[]string{"a.jsonl: line 4", `"model" is empty`}},
		{"a grade outside [0,1]", []string{"a.jsonl", answers("", set("correct", 2, third)), "b.jsonl", plain},
			[]string{"a.jsonl: line 4", "outside [0,1]"}},
		{"JSON named .csv", []string{"a.csv", plain, "b.jsonl", plain}, []string{"a.csv", "end its name in .jsonl"}},
		{"two tasks", []string{"a.json", inspect("sums", `"m": {"value": "C"}`), "b.json",
			inspect("other", `"m": {"value": "C"}`)}, []string{"b.json", `"other"`, `"sums"`}},
		{"two scorers", []string{"a.json", inspect("sums", `"m": {"value": "C"}, "k": {"value": "I"}`)},
			[]string{"a.json: sample 1", `["k" "m"]`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := imported(t, importer.Options{Files: put(t, test.files...)})
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q", err, want)
				}
			}
		})
	}
}

// Files that are odd in a way that a study can bear give one that runs as it is written, with a remark.
func TestImportAwkward(t *testing.T) {
	plain := answers("", nil)
	part := func(even, odd string) func(int, map[string]any) {
		return func(i int, row map[string]any) { row["split"] = []string{even, odd}[i%2] }
	}
	sample := func(exact int) string {
		var b strings.Builder
		for i := range 20 {
			fmt.Fprintf(&b,
				`{"doc_id": %d, "doc": {"id": "d%d"}, "arguments": [["What is %d?", {}]], "resps": [["x"]], `+
					`"filtered_resps": ["x"], "metrics": ["exact_match"], "exact_match": %d}`+"\n", i, 3*i, i, min(1, i%exact))
		}
		return b.String()
	}
	semicolon := strings.Builder{}
	semicolon.WriteString("id;text;correct;confidence\n")
	for i := range 20 {
		fmt.Fprintf(&semicolon, "%d;x;%d;0.%d\n", i, i%2, 10+i)
	}
	for _, test := range []struct {
		name   string
		files  []string
		remark string   // "" = none is looked for
		models []string // as the study names them
	}{
		{name: "equal names", files: []string{"a/x.jsonl", plain, "b/X.jsonl", plain}, models: []string{"x", "X-2"}},
		{name: "names that become equal", files: []string{"t.jsonl", answers("o/m 3", nil) + answers("p/m-3", nil)},
			models: []string{"m-3", "m-3-2"}},
		{name: "names without a letter of ours", files: []string{"t.jsonl", answers("日本", nil) + answers("模型", nil)},
			models: []string{"model", "model-2"}},
		{name: "folders of lm-eval", files: []string{"o__s/samples_t.jsonl", sample(3), "o__l/samples_t.jsonl",
			sample(5)}, models: []string{"s", "l"}},
		{name: "cells parted by semicolons", files: []string{"a.csv", semicolon.String(), "b.csv", semicolon.String()}},
		{name: "words of another split", files: []string{"a.jsonl", answers("", part("test", "dev")), "b.jsonl", plain}},
		{name: "missing grades and confidences", files: []string{"a.jsonl", answers("", func(i int,
			row map[string]any) {
			if i%5 == 0 {
				row["correct"] = nil
			} else if i%7 == 0 {
				delete(row, "confidence")
			}
		}), "b.jsonl", plain}},
		{name: "an id in one file alone", files: []string{"a.jsonl", plain, "b.jsonl",
			strings.Replace(plain, `"q7"`, `"z"`, 1)}, remark: "2 of 21 questions are not answered by every model"},
		{name: "a model that costs nothing", files: []string{"a.jsonl", answers("", set("cost", 0, all)), "b.jsonl",
			plain}},
		{name: "costs of two currencies", files: []string{"a.jsonl", answers("", set("currency", "EUR", all)),
			"b.jsonl",
			answers("", set("currency", "USD", all))}, remark: "nothing says what every answer costs, in one currency"},
		{name: "three models", files: []string{"a.jsonl", plain, "b.jsonl", plain, "c.jsonl", plain}},
	} {
		t.Run(test.name, func(t *testing.T) {
			found, _, err := imported(t, importer.Options{Files: put(t, test.files...)})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(strings.Join(found.Remarks, "\n"), test.remark) {
				t.Errorf("remarks %q, want %q", found.Remarks, test.remark)
			}
			for k, want := range test.models {
				if got := found.Models[k].Name; got != want {
					t.Errorf("model %d is %q, want %q", k, got, want)
				}
			}
		})
	}
}
