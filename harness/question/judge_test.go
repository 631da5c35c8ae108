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
	r := one.Request(sheet, 0, []string{"Rome", "Roma"}, "It is Rome.")
	if !slices.Equal(r.Labels, []string{" A", " B"}) || !strings.Contains(r.Prompt, "Q: capital?") ||
		!strings.Contains(r.Prompt, "Rome\nor: Roma") {
		t.Errorf("asked %+v", r)
	}
	for chosen, want := range []grade.Verdict{grade.Right, grade.Wrong} {
		got, err := one.Read(judged(2, chosen, .9))
		if err != nil || got.Verdict != want || math.Abs(got.Beta-.9) > 1e-12 {
			t.Errorf("label %d: %+v, %v, want %v", chosen, got, err, want)
		}
	}

	if err := newJudge("{topic}: {answer}").Check(sheet); err == nil || !strings.Contains(err.Error(), "{topic}") {
		t.Errorf("a field that is not there: %v", err)
	}
	if _, err := question.NewJudge(&spec.Study{Judge: &spec.Judge{Template: "right?"}}); err == nil {
		t.Error("a template that shows no answer")
	}
}
