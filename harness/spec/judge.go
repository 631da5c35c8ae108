package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"infnet/harness/policy"
	"infnet/harness/spec/place"
	"infnet/harness/task"
)

// Judge is a model that says whether answers are right.
type Judge struct {
	Model     *Model
	Template  string // the shipped one's name, or a text
	Human     string `json:"-"`          // file of human grades, in Study.FS or on the machine; "" = there is none
	HumanText string `json:",omitempty"` // as it is written
}

// JudgeFields are the names that a judge's template has, next to the dataset's fields: what the model was asked, its
// answer, the references; and the latter two in both orders, for a pairwise template.
var JudgeFields = []string{"prompt", "answer", "reference", "first", "second"}

// shipped are the templates that a study names. Their wording is the project's own; asking for one letter with a
// definition of each follows SimpleQA's grader (Wei et al. 2024), both places MT-Bench (Zheng et al. 2023).
var shipped = map[string]string{
	"reference": `A model answered a question. Compare its answer with the reference answer.

Question:
{prompt}

Reference answer:
{reference}

Answer of the model:
{answer}

A: the answer says what the reference says. Wording, order and further true details do not matter.
B: the answer contradicts the reference, lacks a part of it, hedges between several answers, or gives none.

Reply with the letter A or B.
Letter:`,
	"pairwise": `Two models answered a question. Which answer is better? Judge what they say, not how long they are.

Question:
{prompt}

Answer 1:
{first}

Answer 2:
{second}

A: answer 1 is better.
B: answer 2 is better.
C: they are equally good.

Reply with the letter A, B or C.
Letter:`,
}

// Parse reads the template. A pairwise one shows the two answers as {first} and {second}.
func (j *Judge) Parse() (template *task.Template, pairwise bool, err error) {
	text, ok := shipped[j.Template]
	if !ok {
		text = j.Template
	}
	if template, err = task.ParseTemplate(text); err != nil {
		return nil, false, err
	}
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(template.Fields(), n) })
	}
	if pairwise = has("first", "second"); !pairwise && !has("answer") {
		return nil, false, fmt.Errorf("the template shows neither {answer} nor {first} and {second}")
	}
	return template, pairwise, nil
}

// Named is the template's name, or the hash of its text.
func (j *Judge) Named() string {
	if _, ok := shipped[j.Template]; ok {
		return j.Template
	}
	sum := sha256.Sum256([]byte(j.Template))
	return hex.EncodeToString(sum[:6])
}

// judge finds the model that [judge] names, and marks it; nil where there is none.
func (c *cascadeCheck) judge() *definition {
	r := c.main.raw.Judge
	switch {
	case r == nil:
		return nil
	case r.Model == nil:
		c.main.missing("judge", "model", "the name of a model that is in no cascade")
	case c.answers(*r.Model):
		c.main.wrong("judge.model", fmt.Sprintf("%s is part of a cascade: it would judge its own answers", *r.Model),
			"name another model")
	default:
		return c.serving("judge.model", *r.Model)
	}
	return nil
}

// takeJudge takes over the model that judges.
func takeJudge(s *Study, main *file, m Model) {
	r := main.raw.Judge
	j := &Judge{Model: &m, Template: or(r.Template, "reference")}
	if k := m.Config.Model.Kind; k != "" && !k.Traits().Answers {
		main.wrong("judge.model", fmt.Sprintf("%s is computed by %s, which answers nothing", m.Name, k), "name another model")
		return
	}
	if _, _, err := j.Parse(); err != nil {
		main.wrong("judge.template", err.Error(), `reference, pairwise, or a text with {prompt}, {reference} and {answer}`)
		return
	}
	if r.Human != nil {
		if s.Policy.Setting == policy.Oracle {
			main.wrong("judge.human", "people say whether answers are right, and in the oracle setting the master always is",
				"leave human out, or the oracle setting")
		}
		j.HumanText = *r.Human
		j.Human, _ = main.path("judge.human", *r.Human)
	}
	s.Judge = j
}

// judged checks the rule judge.
func (c *gradeCheck) judged(raw *rawCorrect, file *file, at string) {
	if !slices.Contains(raw.Rule, task.Judge) {
		return
	}
	if c.main.raw.Judge == nil {
		file.wrong(place.Join(at, "rule"), "the rule judge asks a model, and the study names none", `[judge] model = "…"`)
		return
	}
	if slices.Contains(raw.Rule, task.Command) {
		file.wrong(place.Join(at, "rule"), "a program and a judge in one list: both decide what words cannot",
			"leave one of them out")
	}
	if c.study.Policy.Guarantee != nil && (c.main.raw.Judge.Human == nil || c.study.Policy.Setting == policy.Oracle) {
		file.wrong(place.Join(at, "rule"), "a guarantee rests on grades that are right, and a judge's may not be",
			"name a file of human grades, [judge] human, of which alone it is then made; or leave the guarantee out")
	}
}
