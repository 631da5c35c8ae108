package experiments_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"infnet/harness/pipeline"
)

type fields = map[string]any

// benchmark is a benchmark's row i with the columns of its owner, and a reply to it that is right or not.
type benchmark struct {
	row   func(i int) fields
	id    func(i int) string // in the catalogue's id column
	reply func(i int, right bool) string
	needs string // a Python module that its grader imports
}

func rowNumber(i int) string { return fmt.Sprint(i + 1) }

// pick is a text for right and one for wrong replies.
func pick(right bool, yes, no string) string {
	if right {
		return yes
	}
	return no
}

// The columns are those that the owners' cards and readers name (lm-evaluation-harness at 4e7e0d4, simple-evals at
// ee3b031, and the cards on the hub); the rows are made up.
var benchmarks = map[string]benchmark{
	"mmlu-pro": {
		row: func(i int) fields {
			return fields{"question_id": i, "question": fmt.Sprintf("What is %d + 1?", i), "category": "math",
				"options": []string{"none", fmt.Sprint(i + 1), "N/A", "all"}, "answer": "B", "answer_index": 1}
		},
		id: func(i int) string { return fmt.Sprint(i) },
		reply: func(_ int, right bool) string {
			return "A is too small. So the answer is (" + pick(right, "B", "C") + ")."
		},
	},
	"gpqa-diamond": {
		row: func(i int) fields {
			return fields{"Record ID": fmt.Sprintf("rec%d", i), "Question": fmt.Sprintf("Which %d?", i),
				"Correct Answer": fmt.Sprintf("yes %d\n", i), "Incorrect Answer 1": "red", "Incorrect Answer 2": "green",
				"Incorrect Answer 3": "blue"}
		},
		id: func(i int) string { return fmt.Sprintf("rec%d", i) },
		reply: func(i int, right bool) string {
			return "Red?\n**Answer: " + pick(right, fmt.Sprintf("yes %d", i), "red") + "**"
		},
	},
	"gsm8k": {
		row: func(i int) fields {
			return fields{"question": fmt.Sprintf("%d apples and 1000?", i),
				"answer": fmt.Sprintf("%d + 1000 = <<%d+1000=%d>>\n#### 1,%03d", i, i, 1000+i, i)}
		},
		id: rowNumber,
		reply: func(i int, right bool) string {
			return "Add 1000.\n#### " + pick(right, fmt.Sprintf("$1%03d.00", i), fmt.Sprint(i))
		},
	},
	"math-500": {
		row: func(i int) fields {
			return fields{"problem": fmt.Sprintf("Halve %d.", i), "solution": "…", "answer": fmt.Sprintf(`\frac{%d}{2}`, i),
				"subject": "Algebra", "level": 1, "unique_id": fmt.Sprintf("test/algebra/%d.json", i)}
		},
		id: func(i int) string { return fmt.Sprintf("test/algebra/%d.json", i) },
		reply: func(i int, right bool) string {
			return "Answer: $" + pick(right, fmt.Sprintf(`\dfrac{%d}{4}`, 2*i), fmt.Sprint(i+1)) + "$"
		},
	},
	"aime-2024": {
		row: func(i int) fields {
			return fields{"ID": fmt.Sprintf("2024-I-%d", i), "Problem": fmt.Sprintf("Find %d.", i), "Answer": i}
		},
		id: func(i int) string { return fmt.Sprintf("2024-I-%d", i) },
		reply: func(i int, right bool) string {
			return `<think>\boxed{7}?</think>So \boxed{` + pick(right, fmt.Sprintf("%03d", i), fmt.Sprint(i+1)) + "}."
		},
	},
	"arc-challenge": {
		row: func(i int) fields {
			labels, key := []string{"A", "B", "C"}, "C"
			if i%2 == 0 {
				labels, key = []string{"1", "2", "3"}, "3"
			}
			return fields{"id": fmt.Sprintf("Mercury_%d", i), "question": fmt.Sprintf("Which %d?", i), "answerKey": key,
				"choices": fields{"text": []string{"stone", "wood", "iron"}, "label": labels}}
		},
		id:    func(i int) string { return fmt.Sprintf("Mercury_%d", i) },
		reply: func(_ int, right bool) string { return "Answer: " + pick(right, "C", "A") },
	},
	"triviaqa": {
		row: func(i int) fields {
			return fields{"question_id": fmt.Sprintf("tc_%d", i), "question": fmt.Sprintf("Who was number %d?", i),
				"answer": fields{"value": "Ann", "aliases": []string{"Ann", "The Ann Smith"}, "normalized_aliases": []string{}}}
		},
		id:    func(i int) string { return fmt.Sprintf("tc_%d", i) },
		reply: func(_ int, right bool) string { return " " + pick(right, "ann smith", "Bob") + "\nQuestion:" },
	},
	"simpleqa": {
		row: func(i int) fields {
			return fields{"metadata": "{}", "problem": fmt.Sprintf("Who won in %d?", 1900+i), "answer": "Ann"}
		},
		id:    rowNumber,
		reply: func(_ int, right bool) string { return "It was " + pick(right, "Ann", "Bob") },
	},
	"humaneval": {
		row: func(i int) fields {
			return fields{"task_id": fmt.Sprintf("HumanEval/%d", i), "entry_point": "add", "canonical_solution": "…",
				"prompt": fmt.Sprintf("def add(x):\n    \"\"\"Adds %d to x.\"\"\"\n", i),
				"test":   fmt.Sprintf("def check(candidate):\n    assert candidate(1) == %d\n", i+1)}
		},
		id: func(i int) string { return fmt.Sprintf("HumanEval/%d", i) },
		reply: func(i int, right bool) string {
			return fmt.Sprintf("```python\ndef add(x):\n    return x + %s\n```", pick(right, fmt.Sprint(i), "x + 0.5"))
		},
		needs: "json",
	},
	"ifeval": {
		row: func(i int) fields {
			return fields{"key": 1000 + i, "prompt": fmt.Sprintf("Write about %d without commas.", i),
				"instruction_id_list": []string{"punctuation:no_comma"}, "kwargs": []fields{{"num_words": nil}}}
		},
		id:    func(i int) string { return fmt.Sprint(1000 + i) },
		reply: func(_ int, right bool) string { return "One" + pick(right, " and", ",") + " two." },
		needs: "lm_eval.tasks.ifeval.instructions_registry",
	},
}

// Files in the shape of each benchmark load, their references are found, and replies as their owners ask for them are
// graded as they were made: of twelve, the student's third, sixth, … is wrong.
func TestBenchmarksOfTheirOwnersShape(t *testing.T) {
	catalogue, err := os.ReadFile("catalog/benchmarks.toml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	text := regexp.MustCompile(`(?s)name( +)= "([\w-]+)"\n(source +)= "hf:[^"]+"`).ReplaceAllString(string(catalogue),
		"name$1= \"$2\"\n$3= \"file:$2.jsonl\"")
	if n := strings.Count(text, `"file:`); n != len(benchmarks) {
		t.Fatalf("%d datasets in the catalogue, %d here", n, len(benchmarks))
	}
	if err := os.CopyFS(filepath.Join(dir, "graders"), os.DirFS("graders")); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, "catalog", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("benchmarks.toml", text)
	for name, b := range benchmarks {
		t.Run(name, func(t *testing.T) {
			if b.needs != "" && exec.Command("python3", "-c", "import "+b.needs).Run() != nil {
				t.Skipf("python3 with %s is not installed", b.needs)
			}
			var rows, student, master strings.Builder
			for i := range 12 {
				line(t, &rows, b.row(i))
				line(t, &student, fields{"id": b.id(i), "text": b.reply(i, i%3 != 2), "confidence": .5, "finish_reason": "stop"})
				line(t, &master, fields{"id": b.id(i), "text": b.reply(i, true), "confidence": .9, "finish_reason": "stop"})
			}
			write(name+".jsonl", rows.String())
			write(name+"-s.jsonl", student.String())
			write(name+"-m.jsonl", master.String())
			write(name+".toml", fmt.Sprintf(`study = "b"
use = ["benchmarks.toml"]
cost = { model = "fixed" }
models = [
  { name = "s", answers = "%[1]s-s.jsonl", fixed_cost = 1 },
  { name = "m", answers = "%[1]s-m.jsonl", fixed_cost = 2 },
  { name = "j", backend = "local", path = "builtin:tiny-master" },
]
judge = { model = "j" }
baselines = []
cascades = [{ models = ["s", "m"], datasets = ["%[1]s"] }]
`, name))
			graded(t, filepath.Join(dir, "catalog", name+".toml"), name == "simpleqa")
		})
	}
}

// graded runs a study of twelve answers and wants eight of the student's, and all of the master's, right.
func graded(t *testing.T, path string, judged bool) {
	t.Helper()
	s, err := pipeline.Load(nil, path, options(t))
	if err != nil {
		t.Fatal(err)
	}
	st, err := pipeline.Open(t.Context(), s, pipeline.Options{Store: t.TempDir(), Out: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Collect(t.Context(), pipeline.CollectOptions{}); err != nil {
		t.Fatal(err)
	}
	out, err := st.Analyze(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	right := map[string]int{}
	for _, a := range out.Datasets {
		b := a.Records
		for _, part := range [][]int{b.Fit, b.Test} {
			for m, name := range b.Cascade.Models {
				for _, is := range b.Models[m].Right(part) {
					if is {
						right[name]++
					}
				}
			}
		}
	}
	if !judged && (right["s"] != 8 || right["m"] != 12) { // what a small model judges is nothing to rely on
		t.Errorf("right are %v, want 8 of the student and 12 of the master", right)
	}
}

func line(t *testing.T, to *strings.Builder, row fields) {
	t.Helper()
	b, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	to.Write(append(b, '\n'))
}
