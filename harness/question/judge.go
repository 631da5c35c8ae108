package question

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/spec"
	"infnet/harness/task"
	"infnet/metrics/grade"
)

// Judge is the model that says whether answers are right, and how it is asked.
type Judge struct {
	ID        backends.ModelID
	Model     *spec.Model
	LabelMode func(model string) backends.LabelMode

	template *task.Template
}

// NewJudge prepares the study's judge; nil = it has none. Its identity and label mode are the caller's to set.
func NewJudge(s *spec.Study) (*Judge, error) {
	if s.Judge == nil {
		return nil, nil
	}
	template, err := s.Judge.Parse()
	if err != nil {
		return nil, err
	}
	return &Judge{Model: s.Judge.Model, template: template}, nil
}

// Judges reports whether the judge is asked about answers to a dataset.
func Judges(d *spec.Dataset) bool { return slices.Contains(d.Correct.All(), task.Judge) }

// Judgement is what a judge said of an answer.
type Judgement struct {
	Verdict grade.Verdict
	Beta    float64 // the judge's confidence
}

// Request is the question to the judge about an answer to example i.
func (j *Judge) Request(s *Sheet, i int, references []string, answer string) backends.Request {
	fields := map[string]string{}
	maps.Copy(fields, s.Set.Fields(i))
	fields["prompt"], fields["answer"], fields["reference"] = s.rendered(i), answer, strings.Join(references, "\nor: ")
	text, err := j.template.Render(fields)
	if err != nil {
		panic("question: a template that was checked names a field that is not there: " + err.Error())
	}
	remote, _ := j.Model.Config.Remote()
	return backends.Request{Model: j.ID, Mode: j.Model.Mode, Prompt: text, Labels: []string{" A", " B"},
		LabelMode: j.LabelMode(j.Model.Name), Served: remote.Served, System: j.Model.System, Settings: remote.Engine()}
}

// Check reports a field that the judge's template names and a dataset does not have.
func (j *Judge) Check(s *Sheet) error {
	have := slices.Concat(slices.Sorted(maps.Keys(s.Set.Fields(0))), spec.JudgeFields)
	if err := j.template.Check(have); err != nil {
		return fmt.Errorf("dataset %s: the judge's template: %w", s.Dataset.Name, err)
	}
	return nil
}

// Read reads the judge's answer to Request.
func (j *Judge) Read(a backends.Answer) (Judgement, error) {
	read, err := confidence.Scale{Score: confidence.Softmax}.Read(a)
	return Judgement{Verdict: []grade.Verdict{grade.Right, grade.Wrong}[read.Class], Beta: read.Beta}, err
}

// Programmed reports whether a program grades the answers to a dataset.
func Programmed(d *spec.Dataset) bool { return slices.Contains(d.Correct.All(), task.Command) }

// ToGrade is an answer to example i as a program is given it to grade, and as its grade is found again: the fields and
// references of the example, and the answer as it was extracted. It leaves out the example's id, which is its row's
// number where a dataset has none: the order of rows changes no grade.
func (s *Sheet) ToGrade(i int, answer string) backends.Pair {
	given := struct {
		Fields     map[string]string `json:"fields"`
		References []string          `json:"references"`
	}{map[string]string{}, append([]string{}, s.Set.Examples[i].References...)}
	maps.Copy(given.Fields, s.Set.Fields(i))
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(given); err != nil {
		panic("question: texts have no JSON: " + err.Error())
	}
	return backends.Pair{Source: string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), Target: answer}
}
