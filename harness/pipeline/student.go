package pipeline

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"infnet/backends"
	"infnet/harness/fault"
)

// checkStudents looks at one stored answer of every student behind a server or
// in recorded answers: a study that had the model as its master may have left
// answers without log-probabilities, from which no confidence follows.
func checkStudents(st *Study) error {
	for _, m := range st.Models {
		if !m.Config.Traits().Remote && m.Recording == nil {
			continue
		}
		for _, d := range st.Datasets {
			if !m.defersOn(d) {
				continue
			}
			if err := checkStudent(m, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkStudent looks at the first answer to a dataset that is on disk. What is
// wrong with the file is said by whoever reads it next.
func checkStudent(m *Model, d *Dataset) error {
	answers, err := m.answers(d)
	if err != nil {
		return nil
	}
	defer answers.Close()
	for i := range d.Sheet.Len() {
		key, _, _ := answers.Find(m.request(d, i))
		stored, ok, err := answers.Get(key)
		switch {
		case err != nil || !ok:
			continue
		case !stored.Answer.NoLogprobs:
			return nil
		case m.Recording != nil:
			return fmt.Errorf("model %s: its recorded answers to %s have no confidence, so it can only be the last model of "+
				"a cascade: record confidence or log-probabilities, or put another model before it", m.Name, d.Name)
		}
		return fmt.Errorf("model %s: its answers to %s in %s have no log-probabilities, so it has no confidence and can "+
			"only be the last model of a cascade: "+
			"serve it where log-probabilities are offered and give it a revision of its own, or put another model before it",
			m.Name, d.Name, answers.Path())
	}
	return nil
}

// student is a model whose confidence decides: an answer without
// log-probabilities is no answer. Where the first one comes without, the model
// is not asked further, since the rest would be paid for nothing.
type student struct {
	backends.Model
	name string

	mu     sync.Mutex
	scored bool // an answer with log-probabilities has come
}

var (
	_ backends.Model   = (*student)(nil)
	_ backends.Wrapper = (*student)(nil)
)

// Unwrap returns the model inside.
func (s *student) Unwrap() backends.Model { return s.Model }

// Answer asks the model inside. The error is for a model that gives no
// log-probabilities at all.
func (s *student) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	answers, err := s.Model.Answer(ctx, reqs)
	if err != nil || len(answers) != len(reqs) {
		return answers, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(answers)
	for i, a := range answers {
		if a.Failure != nil {
			continue
		}
		f := backends.CheckStudent(reqs[i], a)
		if f == nil {
			s.scored = true
			continue
		}
		if a.NoLogprobs && !s.scored {
			return nil, fault.Model.Wrap(fmt.Errorf("model %s: %s", s.name, f.Message))
		}
		out[i] = a.Failed(f)
	}
	return out, nil
}
