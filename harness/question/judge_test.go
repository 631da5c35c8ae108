package question_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/question"
	"infnet/harness/spec"
	"infnet/metrics/grade"
)

// judged is a judge's answer that chose a label with a probability, the others sharing the rest.
func judged(labels, chosen int, p float64) (a backends.Answer) {
	for k := range labels {
		lp := math.Log((1 - p) / float64(labels-1))
		if k == chosen {
			lp = math.Log(p)
		}
		a.Labels = append(a.Labels, backends.LabelScore{Logprob: lp, Seen: true})
	}
	return a
}

func TestJudge(t *testing.T) {
	d := &spec.Dataset{Name: "d", Prompt: "Q: {q}"}
	set, err := dataset.New("d", []dataset.Example{{ID: "1", Class: -1, Fields: map[string]string{"q": "capital?"}}})
	if err != nil {
		t.Fatal(err)
	}
	sheet, err := question.New(d, set)
	if err != nil {
		t.Fatal(err)
	}
	newJudge := func(template string) *question.Judge {
		j, err := question.NewJudge(&spec.Study{Judge: &spec.Judge{Model: &spec.Model{Name: "j"}, Template: template}})
		if err != nil {
			t.Fatal(err)
		}
		j.LabelMode = func(string) backends.LabelMode { return "" }
		return j
	}

	one := newJudge("reference")
	list := one.Requests(sheet, 0, []string{"Rome", "Roma"}, "It is Rome.")
	if len(list) != 1 || !slices.Equal(list[0].Labels, []string{" A", " B"}) ||
		!strings.Contains(list[0].Prompt, "Q: capital?") || !strings.Contains(list[0].Prompt, "Rome\nor: Roma") {
		t.Errorf("asked %+v", list)
	}
	for chosen, want := range []grade.Verdict{grade.Right, grade.Wrong} {
		got, err := one.Read([]backends.Answer{judged(2, chosen, .9)})
		if err != nil || got.Verdict != want || math.Abs(got.Beta-.9) > 1e-12 {
			t.Errorf("label %d: %+v, %v, want %v", chosen, got, err, want)
		}
	}

	two := newJudge("pairwise")
	list = two.Requests(sheet, 0, []string{"Rome"}, "Roma, Lazio")
	if len(list) != 2 || strings.Index(list[0].Prompt, "Rome") < strings.Index(list[0].Prompt, "Lazio") ||
		strings.Index(list[1].Prompt, "Rome") > strings.Index(list[1].Prompt, "Lazio") || len(list[0].Labels) != 3 {
		t.Errorf("asked %+v", list)
	}
	const first, second, equal = 0, 1, 2
	for _, tc := range []struct {
		chosen [2]int // in both orders; the answer is first in the one and second in the other
		want   grade.Verdict
	}{
		{[2]int{first, second}, grade.Right}, {[2]int{equal, equal}, grade.Right}, {[2]int{equal, second}, grade.Right},
		{[2]int{second, first}, grade.Wrong}, {[2]int{first, first}, grade.Undecided},
		{[2]int{second, second}, grade.Undecided}, {[2]int{second, equal}, grade.Undecided},
	} {
		got, err := two.Read([]backends.Answer{judged(3, tc.chosen[0], .8), judged(3, tc.chosen[1], .6)})
		if err != nil || got.Verdict != tc.want || math.Abs(got.Beta-.6) > 1e-12 {
			t.Errorf("%v: %+v, %v, want %v", tc.chosen, got, err, tc.want)
		}
	}

	if err := newJudge("{topic}: {answer}").Check(sheet); err == nil || !strings.Contains(err.Error(), "{topic}") {
		t.Errorf("a field that is not there: %v", err)
	}
	if _, err := question.NewJudge(&spec.Study{Judge: &spec.Judge{Template: "right?"}}); err == nil {
		t.Error("a template that shows no answer")
	}
}
