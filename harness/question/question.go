// Package question says what a study asks: which request each record makes to
// each model. Collecting and analysing both get their requests here, so that
// an answer is looked up under exactly the key it was asked by. It owns
// nothing but that agreement.
package question

import (
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/spec"
	"infnet/harness/task"
	"infnet/metrics"
)

// Sheet is the questions of one dataset.
type Sheet struct {
	Dataset *spec.Dataset
	Set     *dataset.Set
	prompt  *task.Template
	labels  []string

	// LabelMode says how a model is asked for classifications, by its name in the
	// study; "" for models whose servers were not probed. New sets it to say that of all.
	LabelMode func(model string) backends.LabelMode
}

// New prepares the questions of a dataset. It fails where the prompt names a
// field that some example lacks.
func New(d *spec.Dataset, set *dataset.Set) (*Sheet, error) {
	prompt, err := task.ParseTemplate(d.Prompt)
	if err != nil {
		return nil, fmt.Errorf("dataset %s: prompt: %w", d.Name, err)
	}
	s := &Sheet{Dataset: d, Set: set, prompt: prompt, labels: d.Continuations(),
		LabelMode: func(string) backends.LabelMode { return "" }}
	for _, e := range set.Examples {
		if _, err := prompt.Prompt(e); err != nil {
			return nil, fmt.Errorf("dataset %s: %w", d.Name, err)
		}
	}
	return s, nil
}

// Request returns what example i asks of a model. Answers are greedy, so the
// seed is 0 and studies with different seeds share them.
//
// id is the model's identity, with the revision that was found out, and m is
// what the study says of it.
func (s *Sheet) Request(i int, id backends.ModelID, m *spec.Model) backends.Request {
	prompt, err := s.prompt.Prompt(s.Set.Examples[i])
	if err != nil {
		panic("question: a prompt that New rendered no longer renders: " + err.Error())
	}
	r := backends.Request{Model: id, Mode: m.Mode, Prompt: prompt, Labels: s.labels, Served: Served(m)}
	if len(s.labels) > 0 {
		r.LabelMode = s.LabelMode(m.Name)
	} else {
		r.MaxTokens, r.Stop = s.Dataset.MaxTokens, s.Dataset.Stop
	}
	return r
}

// Served returns the name by which a model is asked of its servers, which is
// part of every key; "" where no server knows it by a name.
func Served(m *spec.Model) string {
	if m == nil {
		return ""
	}
	r, _ := m.Config.Remote()
	return r.Served
}

// Input returns the text that example i puts into the prompt: its fields in the
// order of the template, one per line. It is what tells one prompt of a
// dataset from another.
func (s *Sheet) Input(i int) string {
	var parts []string
	for _, name := range s.prompt.Fields() {
		parts = append(parts, s.Set.Examples[i].Fields[name])
	}
	return strings.Join(parts, "\n")
}

// Len returns the number of questions per model.
func (s *Sheet) Len() int { return len(s.Set.Examples) }

// Embeds reports whether grading the answers to a dataset looks at
// embeddings, by its correctness rule or by a metric: then they are collected.
func Embeds(d *spec.Dataset) bool {
	if d.Correct.Rule.NeedsVectors() {
		return true
	}
	return slices.ContainsFunc(d.Metrics, func(n metrics.Name) bool {
		m, err := metrics.Get(n)
		return err == nil && m.Input == metrics.Vectors
	})
}
