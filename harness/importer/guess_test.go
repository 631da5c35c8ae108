package importer

import (
	"fmt"
	"testing"

	"infnet/backends"
	"infnet/harness/result"
)

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
