package pipeline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// shared is a study whose records 0 to 29 have the texts of records 30 to 59.
const shared = `
study = "shared"
cost  = { model = "fixed" }

[[models]]
name       = "small"
answers    = "small.jsonl"
fixed_cost = 1

[[models]]
name       = "large"
answers    = "large.jsonl"
fixed_cost = 10

[[datasets]]
name   = "quiz"
source = "file:questions.jsonl"
task   = "classification"
label  = "label"
labels = ["A", "B"]
prompt = "{text}"
id     = "id"

[[cascades]]
models = ["small", "large"]
`

// Rows may come in any order: where records have one request, the first one in the order of the data serves.
func TestOrderOfRecordedAnswers(t *testing.T) {
	const n = 60
	var questions, small, large []string
	for i := range n {
		label := string("AB"[i%2])
		questions = append(questions, fmt.Sprintf(`{"id": "q%d", "text": "question %d", "label": %q}`, i, i%(n/2), label))
		answer := fmt.Sprintf(`"label": %q, "confidence": %v`, label, float64(i+1)/100)
		if i%7 == 3 {
			answer = `"text": "neither"` // no label: the other record's answer serves
		}
		small = append(small, fmt.Sprintf(`{"id": "q%d", %s}`, i, answer))
		large = append(large, fmt.Sprintf(`{"id": "q%d", "label": %q, "confidence": 0.9}`, i, label))
	}
	var want string
	for _, order := range []struct {
		name string
		of   func([]string)
	}{{"as the data", func([]string) {}}, {"reversed", slices.Reverse[[]string]}, {"turned", func(rows []string) {
		slices.Reverse(rows[:n/2])
		slices.Reverse(rows)
	}}} {
		rows := slices.Clone(small)
		order.of(rows)
		out, heard, err := run(t, map[string]string{"study.toml": shared, "questions.jsonl": strings.Join(questions, "\n"),
			"small.jsonl": strings.Join(rows, "\n"), "large.jsonl": strings.Join(large, "\n")})
		if err != nil {
			t.Fatalf("%s: %v", order.name, err)
		}
		student := out.Datasets[0].Records.Student()
		got := fmt.Sprint(student.Beta, out.Datasets[0].Records.Used)
		for _, w := range heard.list {
			if strings.Contains(w, "equal prompts") {
				got += w
			}
		}
		if !strings.Contains(got, "equal prompts") {
			t.Errorf("%s: no word on equal prompts", order.name)
		}
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", order.name, got, want)
		}
		if beta := student.Beta; beta[0] != 0.01 || beta[30] != 0.01 || beta[3] != 0.34 || beta[33] != 0.34 {
			t.Errorf("%s: β %v: want that of record 0 for 0 and 30, and that of record 33 for 3 and 33", order.name, beta)
		}
	}
}
