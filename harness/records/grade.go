package records

import (
	"fmt"
	"slices"

	"infnet/backends"
	"infnet/harness/policy"
	"infnet/harness/task"
	"infnet/metrics"
)

// grade judges every answer of the used records: against the dataset's
// references, or in the oracle setting against the master's answer.
func (p *preparation) grade() error {
	if p.first != nil && slices.Equal(p.Used, p.first.Used) { // grades do not depend on the split
		p.References = p.first.References
		for m := range p.Models {
			p.Models[m].Grades = p.first.Models[m].Grades
		}
		return nil
	}
	var names []metrics.Name
	for _, m := range p.Dataset.Metrics {
		names = append(names, metrics.Name(m))
	}
	rule := p.Dataset.Correct
	grader, err := task.NewGrader(task.GraderOptions{
		Kind: p.Dataset.Task, Rule: rule.Rule, Tau: rule.Tau, Soft: rule.Soft, Metrics: names,
	})
	if err != nil {
		return err
	}
	n := len(p.Set.Examples)
	p.References = make([]task.Reference, n)
	for m := range p.Models {
		p.Models[m].Grades = make([]task.Grade, n)
	}
	for i, e := range p.Set.Examples {
		if !p.Used[i] {
			continue
		}
		if err := p.gradeRecord(grader, i); err != nil {
			return fmt.Errorf("record %s: %w", e.ID, err)
		}
	}
	return nil
}

// gradeRecord judges all models' answers to one example.
func (p *preparation) gradeRecord(grader *task.Grader, i int) error {
	e := p.Set.Examples[i]
	answers := make([]task.Response, len(p.Models))
	for k, m := range p.Models {
		answers[k] = task.Response{Class: m.Readings[i].Class, Text: m.Texts[i], Grade: m.Given[i].Grade}
		var err error
		if grader.NeedsVectors() {
			if answers[k].Vector, err = p.Vector(m.Texts[i]); err != nil {
				return err
			}
		}
		if grader.NeedsScores() {
			if answers[k].Given, err = p.Scored(m.Texts[i], e.References); err != nil {
				return err
			}
		}
	}
	var err error
	if p.References[i], err = p.reference(i, answers[p.Last()], grader.NeedsVectors()); err != nil {
		return err
	}
	for k := range p.Models {
		if p.Models[k].Grades[i], err = grader.Grade(answers[k], p.References[i]); err != nil {
			return fmt.Errorf("model %s: %w", p.Cascade.Models[k], err)
		}
	}
	return nil
}

// reference returns what the answers to an example are graded against.
func (p *preparation) reference(i int, master task.Response, vectors bool) (task.Reference, error) {
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

// Scored looks up the study's scores of an answer, one for each reference.
func (r *Records) Scored(answer string, references []string) ([]float64, error) {
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
