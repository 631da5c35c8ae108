// Package question builds the requests of a study: one per record and model. Collection and analysis both get their
// requests here, so that an answer is looked up under exactly the key that it was stored under. It owns that agreement
// and nothing else.
package question

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/backends/wording"
	"infnet/harness/confidence"
	"infnet/harness/dataset"
	"infnet/harness/spec"
	"infnet/harness/task"
	"infnet/metrics"
	"infnet/metrics/extract"
)

// Sheet holds the questions of one dataset.
type Sheet struct {
	Dataset *spec.Dataset
	Set     *dataset.Set
	prompt  *task.Template
	labels  []string
	shown   []backends.Example // before every prompt: turns of a chat
	before  string             // the same as text, in mode raw
	finder  *extract.Finder    // of answers in replies; nil = the whole reply is the answer
	same    *task.Grader       // of two samples' answers

	// LabelMode returns how a model, by its name in the study, is asked for classifications; "" for models whose servers
	// were not probed. New makes it return "" for all models.
	LabelMode func(model string) backends.LabelMode

	Over spec.Over // the part of a reply whose tokens make its confidence
}

// New prepares the questions of a dataset. It fails where the prompt names a field that some example lacks.
func New(d *spec.Dataset, set *dataset.Set) (*Sheet, error) {
	prompt, err := task.ParseTemplate(d.Prompt)
	if err != nil {
		return nil, fmt.Errorf("dataset %s: prompt: %w", d.Name, err)
	}
	s := &Sheet{Dataset: d, Set: set, prompt: prompt, labels: d.Continuations(),
		LabelMode: func(string) backends.LabelMode { return "" }}
	if len(d.Answer) > 0 {
		if s.finder, err = extract.New(d.Answer); err != nil {
			return nil, fmt.Errorf("dataset %s: answer: %w", d.Name, err)
		}
	}
	if s.same, err = sameAnswer(d); err != nil {
		return nil, fmt.Errorf("dataset %s: %w", d.Name, err)
	}
	for i := range set.Examples {
		if i > 0 && set.Texts != nil {
			break // all have the same fields
		}
		if _, err := prompt.Prompt(set, i); err != nil {
			return nil, fmt.Errorf("dataset %s: %w", d.Name, err)
		}
	}
	return s, nil
}

// Request returns the request of example i to a model, the first one of samples. Other answers are greedy,
// so the seed is 0 and studies with different seeds share them.
//
// id is the model's identity, with the revision that was resolved; m is its entry in the study.
func (s *Sheet) Request(i int, id backends.ModelID, m *spec.Model) backends.Request {
	remote, _ := m.Config.Remote()
	r := backends.Request{Model: id, Mode: m.Mode, Prompt: s.rendered(i), Labels: s.labels, Served: remote.Served,
		Settings: remote.Engine()}
	if m.Mode == backends.Chat { // what is shown before the prompt is turns, or text
		r.System, r.Examples = cmp.Or(s.Dataset.System, m.System), s.shown
	} else {
		r.Prompt = s.before + r.Prompt
	}
	if id.Kind == backends.Decisions {
		r.Question, r.Criteria = s.Dataset.Question, s.Dataset.Criteria
	}
	if m.Samples != nil {
		r.Sampling, r.Seed = m.Samples.Sampling, 1
	}
	switch {
	case len(s.labels) == 0:
		r.MaxTokens, r.Stop = s.Dataset.MaxTokens, s.Dataset.Stop
	case m.Samples == nil: // a sample is asked by the text, whatever else the server offers
		r.LabelMode = s.LabelMode(m.Name)
	}
	if s.Dataset.Correct.Rule == task.Recorded {
		// a recorded grade is of one record, and not of all that have its text
		r.Settings = []backends.Setting{{Name: "record", Value: s.Set.Examples[i].ID}}
	}
	return r
}

// Said returns the answer in what a model generated, as it is graded; ok is false where the study says how an answer is
// found, and there is none.
func (s *Sheet) Said(a backends.Answer) (said extract.Answer, ok bool) {
	first, last := task.Reply(a.Text, s.Dataset.Stop)
	reply := a.Text[first:last]
	if s.finder == nil {
		return extract.Answer{Text: reply, Start: first, End: last}, true
	}
	if said, ok = s.finder.FindIn(reply, a.Thoughts, a.Finish != backends.FinishLength); !said.Apart {
		said.Start, said.End = first+said.Start, first+said.End
	}
	return said, ok
}

// Heard returns an answer as its confidence is read: with the tokens of the part that the study wants, and never
// with those of thoughts. It fails where the tokens do not spell the reply.
func (s *Sheet) Heard(a backends.Answer) (backends.Answer, error) {
	if s.finder == nil || len(a.Tokens) == 0 || a.Whole || a.Confidence != nil {
		return a, nil
	}
	if s.Over == "" {
		return spoken(a)
	}
	said, ok := s.Said(a)
	if !ok {
		a.Tokens = nil
		return a, nil
	}
	if a.Tokens, ok = confidence.Within(a.Tokens, a.Text, said.Start, said.End); !ok {
		return a, fmt.Errorf("its tokens do not spell its text, so those of the answer are not known")
	}
	return a, nil
}

// spoken returns an answer with the tokens of what it says, and without those of thoughts in its text.
func spoken(a backends.Answer) (backends.Answer, error) {
	parts := wording.Spoken(a.Text)
	if len(parts) == 1 && parts[0].First == 0 && parts[0].Last == len(a.Text) {
		return a, nil
	}
	var said []backends.Token
	for _, p := range parts {
		within, ok := confidence.Within(a.Tokens, a.Text, p.First, p.Last)
		if !ok {
			return a, fmt.Errorf("its tokens do not spell its text, so those of its thoughts are not known")
		}
		said = append(said, within...)
	}
	if last := a.Tokens[len(a.Tokens)-1]; last.End && len(said) > 0 && parts[len(parts)-1].Last == len(a.Text) {
		said = append(said, last)
	}
	a.Tokens = said
	return a, nil
}

// Lacking says why an answer does not count here, "" = it does: a reply of thoughts, or with thoughts in its text, is
// one only where the study says how the answer is found, and of a classification some sample names a class.
func (s *Sheet) Lacking(a backends.Answer) backends.Cause {
	switch {
	case a.Thinks && s.finder == nil:
		return backends.Thoughts
	case len(s.labels) > 0 && a.Labels == nil:
		return backends.NoLabel
	}
	return ""
}

// Minds reports whether thoughts are searched for the answer.
func (s *Sheet) Minds() bool { return s.finder.Minds() }

// Served returns the name under which the servers know a model, which is part of
// every key; "" if there is no such name.
func Served(m *spec.Model) string {
	if m == nil {
		return ""
	}
	r, _ := m.Config.Remote()
	return r.Served
}

// Input returns the text that example i puts into the prompt: its fields in the
// order of the template, one per line. It distinguishes the prompts of a dataset.
func (s *Sheet) Input(i int) string {
	var parts []string
	fields := s.Set.Fields(i)
	for _, name := range s.prompt.Fields() {
		parts = append(parts, fields[name])
	}
	return strings.Join(parts, "\n")
}

// Len returns the number of questions per model.
func (s *Sheet) Len() int { return len(s.Set.Examples) }

// Embeds reports whether grading the answers to a dataset needs embeddings, for its
// correctness rule or for a metric. If so, they are collected.
func Embeds(d *spec.Dataset) bool {
	if d.Correct.Rule.NeedsVectors() {
		return true
	}
	return slices.ContainsFunc(d.Metrics, func(n metrics.Name) bool {
		m, err := metrics.Get(n)
		return err == nil && m.Input == metrics.Vectors
	})
}
