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
	pairwise bool
}

// NewJudge prepares the study's judge; nil = it has none. Its identity and label mode are the caller's to set.
func NewJudge(s *spec.Study) (*Judge, error) {
	if s.Judge == nil {
		return nil, nil
	}
	template, pairwise, err := s.Judge.Parse()
	if err != nil {
		return nil, err
	}
	return &Judge{Model: s.Judge.Model, template: template, pairwise: pairwise}, nil
}

// Judges reports whether the judge is asked about answers to a dataset.
func Judges(d *spec.Dataset) bool { return slices.Contains(d.Correct.All(), task.Judge) }

// Judgement is what a judge said of an answer.
type Judgement struct {
	Verdict grade.Verdict
	Beta    float64 // the judge's confidence: the lesser, where it was asked twice
}

// Requests are the questions to the judge about an answer to example i: one; of a pairwise template two, in which the
// answers change places, since judges prefer a place.
func (j *Judge) Requests(s *Sheet, i int, references []string, answer string) (list []backends.Request) {
	prompt, err := s.prompt.Prompt(s.Set, i)
	if err != nil {
		panic("question: a prompt that New rendered no longer renders: " + err.Error())
	}
	reference := strings.Join(references, "\nor: ")
	fields := map[string]string{}
	maps.Copy(fields, s.Set.Fields(i))
	fields["prompt"], fields["answer"], fields["reference"] = prompt, answer, reference
	labels := []string{" A", " B"}
	if j.pairwise {
		labels = append(labels, " C")
	}
	remote, _ := j.Model.Config.Remote()
	for _, order := range [][2]string{{answer, reference}, {reference, answer}} {
		fields["first"], fields["second"] = order[0], order[1]
		text, err := j.template.Render(fields)
		if err != nil {
			panic("question: a template that was checked names a field that is not there: " + err.Error())
		}
		list = append(list, backends.Request{Model: j.ID, Mode: j.Model.Mode, Prompt: text, Labels: labels,
			LabelMode: j.LabelMode(j.Model.Name), Served: remote.Served, System: j.Model.System, Settings: remote.Engine()})
		if !j.pairwise {
			break
		}
	}
	return list
}

// Check reports a field that the judge's template names and a dataset does not have.
func (j *Judge) Check(s *Sheet) error {
	have := slices.Concat(slices.Sorted(maps.Keys(s.Set.Fields(0))), spec.JudgeFields)
	if err := j.template.Check(have); err != nil {
		return fmt.Errorf("dataset %s: the judge's template: %w", s.Dataset.Name, err)
	}
	return nil
}

// Read reads the judge's answers to Requests. A pairwise answer is right where the judge finds it as good as the other
// one in both places, wrong where in neither, and undecided where the place decides.
func (j *Judge) Read(answers []backends.Answer) (out Judgement, err error) {
	good := 0
	for k, a := range answers {
		read, err := confidence.Scale{Score: confidence.Softmax}.Read(a)
		if err != nil {
			return out, err
		}
		if k == 0 || read.Beta < out.Beta {
			out.Beta = read.Beta
		}
		if read.Class == k || read.Class == 2 { // A the first time, B the second; C says that both are as good
			good++
		}
	}
	switch good {
	case len(answers):
		out.Verdict = grade.Right
	case 0:
		out.Verdict = grade.Wrong
	}
	return out, nil
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
