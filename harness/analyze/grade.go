package analyze

import (
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/policy"
	"infnet/harness/task"
	"infnet/metrics"
)

// grade judges every answer of the used records: against the dataset's
// references, or in the oracle setting against the master's answer.
func (b *Bench) grade() error {
	if b.first != nil && slices.Equal(b.used, b.first.used) { // what an answer is worth does not depend on the split
		b.grades, b.refs, b.vectors = b.first.grades, b.first.refs, b.first.vectors
		return nil
	}
	var names []metrics.Name
	for _, m := range b.Dataset.Metrics {
		names = append(names, metrics.Name(m))
	}
	grader, err := task.NewGrader(task.GraderOptions{
		Kind: b.Dataset.Task, Rule: b.Dataset.Correct.Rule, Tau: b.Dataset.Correct.Tau, Soft: b.Dataset.Correct.Soft, Metrics: names,
	})
	if err != nil {
		return err
	}
	n := len(b.set.Examples)
	b.refs = make([]task.Reference, n)
	for m := range b.cols {
		b.grades[m] = make([]task.Grade, n)
		b.vectors[m] = make([][]float32, n)
	}
	for i, e := range b.set.Examples {
		if !b.used[i] {
			continue
		}
		answers := make([]task.Answer, len(b.cols))
		for m := range b.cols {
			answers[m] = task.Answer{Class: b.readings[m][i].Class, Text: b.texts[m][i]}
			if grader.NeedsVectors() {
				if answers[m].Vector, err = b.vector(b.texts[m][i]); err != nil {
					return fmt.Errorf("record %s: %w", e.ID, err)
				}
				b.vectors[m][i] = answers[m].Vector
			}
			if grader.NeedsScores() {
				if answers[m].Given, err = b.scored(b.texts[m][i], e.References); err != nil {
					return fmt.Errorf("record %s: %w", e.ID, err)
				}
			}
		}
		if b.refs[i], err = b.reference(i, answers[b.last()], grader.NeedsVectors()); err != nil {
			return fmt.Errorf("record %s: %w", e.ID, err)
		}
		for m := range b.cols {
			if b.grades[m][i], err = grader.Grade(answers[m], b.refs[i]); err != nil {
				return fmt.Errorf("record %s, model %s: %w", e.ID, b.Cascade.Models[m], err)
			}
		}
	}
	return nil
}

// reference returns what record i is held against.
func (b *Bench) reference(i int, fromMaster task.Answer, vectors bool) (task.Reference, error) {
	if b.in.Study.Policy.Setting == policy.Oracle {
		return task.MasterReference(fromMaster), nil
	}
	e := b.set.Examples[i]
	if !vectors {
		return task.ReferenceOf(e, nil), nil
	}
	list := make([][]float32, len(e.References))
	for k, text := range e.References {
		var err error
		if list[k], err = b.vector(text); err != nil {
			return task.Reference{}, err
		}
	}
	return task.ReferenceOf(e, list), nil
}

// embedder is what tables call the study's embedder: its name, and of a model
// what it is and in which version.
func (b *Bench) embedder() string {
	e := b.in.Study.Embedder
	if e.Model == nil {
		return e.Name()
	}
	id := b.in.Models[e.Name()].ID
	revision := id.Revision
	if len(revision) > 12 {
		revision = revision[:12]
	}
	var what []string
	if id.ID != e.Name() {
		what = append(what, id.ID)
	}
	if revision != "" {
		what = append(what, "revision "+revision)
	}
	if len(what) == 0 {
		return e.Name()
	}
	return e.Name() + " (" + strings.Join(what, ", ") + ")"
}

// vector looks up an embedding.
func (b *Bench) vector(text string) ([]float32, error) {
	if b.in.Vectors == nil {
		return nil, fmt.Errorf("no embeddings were collected; run collect first")
	}
	v, ok, err := b.in.Vectors.Get(text)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("no embedding of %.40q in %s; run collect again", text, b.in.Vectors.Path())
	}
	return v, nil
}

// scored looks up what the study's scorer says of an answer, one score for each
// reference.
func (b *Bench) scored(answer string, references []string) ([]float64, error) {
	if b.in.Scores == nil {
		return nil, fmt.Errorf("no scores were collected; run collect first")
	}
	out := make([]float64, len(references))
	for k, reference := range references {
		v, ok, err := b.in.Scores.Get(backends.Pair{Source: reference, Target: answer})
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("no score of %.40q after %.40q in %s; run collect again", answer, reference, b.in.Scores.Path())
		}
		out[k] = v
	}
	return out, nil
}
