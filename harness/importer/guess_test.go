package importer

import (
	"fmt"
	"testing"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/result"
	"infnet/harness/task"
)

// Which column without a telling name is taken for a label.
func TestGuessLabel(t *testing.T) {
	for _, tt := range []struct {
		name    string
		kind    dataset.ColumnType
		rows    int
		classes int
		longest int
		label   bool
	}{
		{name: "two words in four rows", kind: dataset.Text, rows: 4, classes: 2, longest: 3, label: true},
		{name: "words that hardly come again", kind: dataset.Text, rows: 5, classes: 3, longest: 3},
		{name: "fifty words", kind: dataset.Text, rows: 100, classes: 50, longest: 12, label: true},
		{name: "more than fifty", kind: dataset.Text, rows: 1000, classes: 51, longest: 12},
		{name: "one word", kind: dataset.Text, rows: 4, classes: 1, longest: 3},
		{name: "long texts that come again", kind: dataset.Text, rows: 40, classes: 2, longest: 41},
		{name: "true and false", kind: dataset.Boolean, rows: 4, classes: 2, longest: 5, label: true},
		{name: "few numbers, often", kind: dataset.Integer, rows: 15, classes: 5, longest: 1, label: true},
		{name: "numbers that come again by chance", kind: dataset.Integer, rows: 10, classes: 5, longest: 1},
		{name: "many numbers", kind: dataset.Integer, rows: 1000, classes: 21, longest: 2},
		{name: "measurements", kind: dataset.Number, rows: 100, classes: 5, longest: 3},
	} {
		s := Sample{File: "x.csv", Columns: []dataset.Column{
			{Path: "id", Type: dataset.Integer, Values: tt.rows, Distinct: tt.rows, Longest: 4},
			{Path: "said", Type: dataset.Text, Values: tt.rows, Distinct: tt.rows, Longest: 80},
			{Path: "reply", Type: dataset.Text, Values: tt.rows, Distinct: tt.rows, Longest: 90},
			{Path: "same", Type: dataset.Text, Values: tt.rows, Distinct: 1, Longest: 3},
			{Path: "kind", Type: tt.kind, Values: tt.rows, Distinct: tt.classes, Longest: tt.longest},
		}}
		s.Rows, s.Value = tt.rows, func(row int, _ string) (any, bool) { return fmt.Sprint(row % tt.classes), true }
		g, err := look(s)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := g.Task == task.Classification; got != tt.label ||
			got && (g.Label != "kind" || len(g.Labels) != tt.classes) {
			t.Errorf("%s: task %s, label %q of %d classes", tt.name, g.Task, g.Label, len(g.Labels))
		}
	}
}

// Words that differ only in case or blanks are one word to a model, so a study
// must not have two of them.
func TestLabelsOf(t *testing.T) {
	for _, tt := range []struct {
		name    string
		classes []string
		want    []string // by hand
	}{
		{name: "different words", classes: []string{"no", "yes"}, want: []string{"no", "yes"}},
		{name: "upper and lower case", classes: []string{"A", "a"}, want: []string{"A", "class 1"}},
		{name: "blanks", classes: []string{"a b", "ab", " "}, want: []string{"a b", "class 1", "class 2"}},
		{name: "the substitute is taken", classes: []string{"Class 1", "class1"}, want: []string{"Class 1", "class 2"}},
	} {
		for i, l := range labelsOf(tt.classes, nil) {
			if l.Class != tt.classes[i] || l.Word != tt.want[i] {
				t.Errorf("%s: %+v, want the word %q", tt.name, l, tt.want[i])
			}
		}
	}
}

// By hand: one column that ends in _score is no model, nor is one that says is_correct; two are.
func TestScoresOfModels(t *testing.T) {
	for _, tt := range []struct {
		have  []string
		model string
	}{
		{have: []string{"id", "text", "rouge_score", "rouge_cost"}},
		{have: []string{"id", "is_correct", "text"}},
		{have: []string{"a_cost", "a_score", "b_cost", "b_score", "id"}, model: "a"},
	} {
		if got := (Options{}).views(tt.have); got[0].model != tt.model {
			t.Errorf("%q: %+v", tt.have, got)
		}
	}
}

// By hand: letters are labels where they are nine answers of ten.
func TestLettersAreLabels(t *testing.T) {
	for a, want := range map[int]int{50: 2, 49: 0} {
		m := &Model{Format: backends.AnswersTable, Rows: 100, texts: map[string]int{"A": a, "B": 40, "a text": 60 - a}}
		m.Has[Grade] = 100
		if got := (&Found{Models: []*Model{m}}).classes(); len(got) != want {
			t.Errorf("%d letters of 100: labels %q", 40+a, got)
		}
	}
}

// By hand: of three right answers and a wrong one the squares add up to 0.75, so the deviation is √(0.75/3) = 0.5.
func TestMeanScore(t *testing.T) {
	x := &EvalEver{Results: &result.Results{}, Model: "m", Dataset: "d"}
	got := fmt.Sprint(x.measured(result.Dataset{}, []float64{1, 1, 0, 1})["score_details"])
	want := "map[score:0.75 uncertainty:map[num_samples:4 standard_deviation:0.5 " +
		"standard_error:map[method:analytic value:0.25]]]"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
