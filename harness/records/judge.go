package records

import (
	"fmt"

	"infnet/harness/policy"
	"infnet/harness/question"
	"infnet/harness/store"
	"infnet/harness/task"
	verdict "infnet/metrics/grade"
)

// Graded names an answer that a person graded.
type Graded struct{ Dataset, Model, ID string }

// Human are the grades that people gave to some answers.
type Human map[Graded]HumanGrade

// HumanGrade is what a person says of an answer.
type HumanGrade struct {
	Right  bool
	Answer *string // the answer that the person saw; nil = not recorded
}

// HumanGrade is what a person says of a model's answer to an example; nil = nobody was asked, or of another answer.
func (r *Records) HumanGrade(model, i int) *bool {
	said, ok := r.in.Human[Graded{r.Dataset.Name, r.Cascade.Models[model], r.Set.Examples[i].ID}]
	if !ok || said.Answer != nil && *said.Answer != r.Text(model, i) {
		return nil
	}
	return &said.Right
}

// Judged reports whether a model grades the answers that the rules leave to it.
func (r *Records) Judged() bool { return r.in.Judge != nil && question.Judges(r.Dataset) }

// JudgeBeta is the judge's confidence in its grade of a model's answer to an example; ok is false where the rules
// before did not leave the answer to it.
func (r *Records) JudgeBeta(model, i int) (beta float64, ok bool) {
	j, ok := r.judged[answered{i, r.Text(model, i)}]
	return j.Beta, ok
}

// answered is an answer to an example.
type answered struct {
	example int
	text    string
}

// judge looks up what the judge says of the answers that the rules before leave to it. Where it failed, the answer does
// not count.
func judge(p *preparation) error {
	if !p.Judged() {
		return nil
	}
	p.judged = map[answered]question.Judgement{}
	stored, err := p.in.Store.Answers(store.ID{Model: p.in.Judge.ID, Dataset: p.in.Sources[p.Dataset.Name],
		Name: p.Dataset.Name})
	if err != nil {
		return err
	}
	defer stored.Close()
	grader, err := Grader(p.Dataset, nil)
	if err != nil {
		return err
	}
	for i, e := range p.Set.Examples {
		if !p.Used[i] {
			continue
		}
		for last := p.Last(); last > 0; last-- {
			if err := judgeRecord(p, grader, stored, i, last); err != nil {
				return fmt.Errorf("record %s: %w", e.ID, err)
			}
			if p.Study.Policy.Setting != policy.Oracle {
				break
			}
		}
	}
	return nil
}

// judgeRecord looks up the judge's grades of the answers to an example of the models up to last. In the oracle setting
// these are also about the pairs within a chain, whose masters are its other models: where the judge failed on one, the
// record counts for none of them.
func judgeRecord(p *preparation, grader *task.Grader, stored *store.Answers, i, last int) error {
	answers, into := responses(p.Records, i), p.judged
	if last < p.Last() {
		into = map[answered]question.Judgement{}
	}
	reference, err := reference(p, i, answers[last], false)
	if err != nil {
		return err
	}
	for k, a := range answers[:last+1] {
		list := []task.Response{a}
		for _, sample := range p.Models[k].Samples(i) {
			said, ok := p.Sheet.Said(sample)
			list = append(list, task.Response{Text: said.Text, None: !ok})
		}
		for _, a := range list {
			asked := false
			a.Judge = func() verdict.Verdict { asked = true; return verdict.Undecided }
			if _, err := grader.Grade(a, reference); err != nil {
				return err
			}
			if _, known := into[answered{i, a.Text}]; !asked || known {
				continue
			}
			said, why, err := judgement(p, stored, i, reference.Texts, a.Text)
			if err != nil {
				return err
			}
			if why != "" {
				refuse(p, i, k, "judge "+why)
				break
			}
			into[answered{i, a.Text}] = said
		}
	}
	return nil
}

// judgement reads the judge's stored answer about an answer; why says why there is none.
func judgement(p *preparation, stored *store.Answers, i int, references []string, answer string) (
	out question.Judgement, why string, err error) {
	key := p.in.Judge.Request(p.Sheet, i, references, answer).Key()
	found, ok, err := stored.Get(key)
	if err == nil && !ok {
		why, err = unanswered(stored, key)
	}
	if err != nil || why != "" {
		return out, why, err
	}
	if found.Answer.Truncated > 0 {
		return out, "prompt was cut to its context", nil
	}
	if out, err = p.in.Judge.Read(found.Answer); err != nil {
		return out, "no usable log-probability", nil
	}
	return out, "", nil
}

func responses(r *Records, i int) []task.Response {
	out := make([]task.Response, len(r.Models))
	for k := range r.Models {
		m := &r.Models[k]
		given := m.At(i)
		said, ok := r.Sheet.Said(given)
		out[k] = task.Response{Class: m.Class[i], Text: said.Text, None: !ok, Grade: given.Grade}
	}
	return out
}
