package records

import (
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/policy"
	"infnet/harness/question"
	"infnet/harness/spec"
	"infnet/harness/task"
	"infnet/metrics"
	verdict "infnet/metrics/grade"
)

// grade judges every answer of the used records: against the dataset's
// references, or in the oracle setting against the master's answer.
func grade(p *preparation) error {
	same := p.first != nil && slices.Equal(p.Used, p.first.Used)
	if same && p.first.Dataset.Correct.Tau == p.Dataset.Correct.Tau { // grades do not depend on the split
		for k := range p.Models {
			m, first := &p.Models[k], &p.first.Models[k]
			m.Errs, m.right, m.Scores, m.By, m.Passed = first.Errs, first.right, first.Scores, first.By, first.Passed
		}
		return nil
	}
	var names []metrics.Name
	for _, m := range p.Dataset.Metrics {
		if !same { // scores do not depend on what is right
			names = append(names, metrics.Name(m))
		}
	}
	var err error
	if p.byRule, err = Grader(p.Dataset, nil); err != nil {
		return err
	}
	grader, err := Grader(p.Dataset, names)
	if err != nil {
		return err
	}
	n := len(p.Set.Examples)
	for k := range p.Models {
		m := &p.Models[k]
		if m.Errs, m.right, m.Scores = make([]float64, n), make([]bool, n), map[metrics.Name][]float64{}; same {
			m.Scores = p.first.Models[k].Scores
		}
		if p.Dataset.Reads() {
			m.By = make([]task.Rule, n)
		}
		if m.Sampled() && !p.byRule.NeedsVectors() {
			m.Passed = make([]int, n)
		}
	}
	for i, e := range p.Set.Examples {
		if !p.Used[i] {
			continue
		}
		if err := gradeRecord(p, grader, i); err != nil {
			return fmt.Errorf("record %s: %w", e.ID, err)
		}
	}
	return nil
}

// Grader returns what grades the answers to a dataset, with these metrics.
func Grader(d *spec.Dataset, names []metrics.Name) (*task.Grader, error) {
	rule := d.Correct
	return task.NewGrader(task.GraderOptions{Rule: rule.Rule, Then: rule.Then, Tau: rule.Tau, Soft: rule.Soft,
		Metrics: names})
}

// gradeRecord judges all models' answers to one example.
func gradeRecord(p *preparation, grader *task.Grader, i int) error {
	e := &p.Set.Examples[i]
	answers := responses(p.Records, i)
	for k := range p.Models {
		var err error
		if grader.NeedsVectors() {
			if answers[k].Vector, err = p.Vector(answers[k].Text); err != nil {
				return err
			}
		}
		if grader.NeedsScores() {
			if answers[k].Given, err = Scored(p.Records, answers[k].Text, e.References); err != nil {
				return err
			}
		}
		if err := others(p, &answers[k], i); err != nil {
			return fmt.Errorf("model %s: %w", p.Cascade.Models[k], err)
		}
	}
	reference, err := reference(p, i, answers[p.Last()], grader.NeedsVectors())
	if err != nil {
		return err
	}
	for k := range p.Models {
		grade, err := grader.Grade(answers[k], reference)
		if err != nil {
			return fmt.Errorf("model %s: %w", p.Cascade.Models[k], err)
		}
		m := &p.Models[k]
		m.Errs[i], m.right[i] = grade.Err, grade.Correct
		if m.By != nil {
			m.By[i] = grade.By
		}
		for name, score := range grade.Scores {
			name := metrics.Name(name)
			if m.Scores[name] == nil {
				m.Scores[name] = make([]float64, len(m.Errs))
			}
			m.Scores[name][i] = score
		}
		if err := gradeSamples(p, m, i, reference); err != nil {
			return fmt.Errorf("model %s: %w", p.Cascade.Models[k], err)
		}
	}
	return nil
}

// others looks up what the dataset's program or judge says of an answer to an example, where it has one.
func others(p *preparation, r *task.Response, i int) (err error) {
	text := r.Text
	r.Judge = func() verdict.Verdict { return p.judged[answered{i, text}].Verdict }
	if !r.None && question.Programmed(p.Dataset) {
		r.Said, err = byProgram(p.Records, i, r.Text)
	}
	return err
}

// gradeSamples counts the samples of a model's answer that are right, each judged as if it were the answer.
func gradeSamples(p *preparation, m *Model, i int, reference task.Reference) error {
	if m.Passed == nil {
		return nil
	}
	for _, a := range m.Samples(i) {
		r := p.Sheet.Sample(a)
		if err := others(p, &r, i); err != nil {
			return err
		}
		grade, err := p.byRule.Grade(r, reference)
		if err != nil {
			return err
		}
		if grade.Correct {
			m.Passed[i]++
		}
	}
	return nil
}

// reference returns what the answers to an example are graded against.
func reference(p *preparation, i int, master task.Response, vectors bool) (task.Reference, error) {
	if p.Study.Policy.Setting == policy.Oracle {
		return task.MasterReference(master), nil
	}
	e := p.Set.Examples[i]
	if !vectors {
		return task.ReferenceOf(e, nil), nil
	}
	list := make([][]float32, len(e.References))
	for k, text := range e.References {
		var err error
		if list[k], err = p.Vector(text); err != nil {
			return task.Reference{}, err
		}
	}
	return task.ReferenceOf(e, list), nil
}

// Truth returns the class that answers to an example are graded against: the
// reference's, in the oracle setting the master's answer; -1 for a task without
// classes.
func (r *Records) Truth(i int) int {
	if r.Study.Policy.Setting == policy.Oracle {
		return r.Master().Class[i]
	}
	return r.Set.Examples[i].Class
}

// Accepted returns the texts that answers to an example are graded against.
func (r *Records) Accepted(i int) []string {
	if r.Study.Policy.Setting == policy.Oracle {
		return []string{r.Text(r.Last(), i)}
	}
	return r.Set.Examples[i].References
}

// Text returns the answer that was extracted from a model's text.
func (r *Records) Text(model, i int) string {
	said, _ := r.Sheet.Said(r.Models[model].Head(i))
	return said.Text
}

// Vector looks up the embedding of a text.
func (r *Records) Vector(text string) ([]float32, error) {
	if r.in.Vectors == nil {
		return nil, fmt.Errorf("no embeddings were collected; run collect first")
	}
	v, ok, err := r.in.Vectors.Get(text)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("no embedding of %.40q in %s; run collect again", text, r.in.Vectors.Path())
	}
	return v, nil
}

// GraderDigest is the hash of the files of the program that grades; "" = none does.
func (r *Records) GraderDigest() string { return r.in.Graders[r.Dataset.Name].Digest }

func byProgram(r *Records, i int, answer string) (*float64, error) {
	grades := r.in.Graders[r.Dataset.Name].Grades
	if grades == nil {
		return nil, fmt.Errorf("no grades were collected; run collect first")
	}
	v, ok, err := grades.Get(r.Sheet.ToGrade(i, answer))
	if err == nil && !ok {
		err = fmt.Errorf("no grade of %.40q by %s in %s: the program was changed, or was not run yet; run collect, which "+
			"grades without asking a model", answer, strings.Join(r.Dataset.Correct.Command, " "), grades.Path())
	}
	return v, err
}

// Scored looks up the study's scores of an answer, one for each reference.
func Scored(r *Records, answer string, references []string) ([]float64, error) {
	if r.in.Scores == nil {
		return nil, fmt.Errorf("no scores were collected; run collect first")
	}
	out := make([]float64, len(references))
	for k, reference := range references {
		v, ok, err := r.in.Scores.Get(backends.Pair{Source: reference, Target: answer})
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("no score of %.40q after %.40q in %s; run collect again", answer, reference,
				r.in.Scores.Path())
		}
		out[k] = v
	}
	return out, nil
}
