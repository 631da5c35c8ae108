package pipeline

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"infnet/backends"
	"infnet/harness/fault"
)

// checkStudents checks one stored answer of every remote or replayed student. A study that used the
// model as its master may have stored answers without log-probabilities, which have no confidence.
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

// checkStudent looks at the first answer to a dataset that is on disk. Errors in the file are left
// to the next reader.
func checkStudent(m *Model, d *Dataset) error {
	answers, err := m.answers(d)
	if err != nil {
		return nil
	}
	defer answers.Close()
	if answers.Len() == 0 {
		return nil
	}
	for i := range d.Sheet.Len() {
		key := m.request(d, i).Key()
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

// student is a model whose confidence is used, so its answers need log-probabilities. If the first
// answer has none, no further request is made, since the rest would be wasted money.
type student struct {
	backends.Model
	name string

	thinks bool // replies with thoughts are answers

	mu     sync.Mutex
	scored bool // an answer with log-probabilities was received
}

// checked puts a student around a model that is one on the dataset.
func checked(m *Model, d *Dataset, inner backends.Model) backends.Model {
	if !m.defersOn(d) {
		return inner
	}
	return &student{Model: inner, name: m.Name, thinks: len(d.Answer) > 0}
}

var (
	_ backends.Model   = (*student)(nil)
	_ backends.Wrapper = (*student)(nil)
)

// Unwrap returns the model inside.
func (s *student) Unwrap() backends.Model { return s.Model }

// Answer calls the wrapped model. The error is for a model that gives no log-probabilities at all.
func (s *student) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	answers, err := s.Model.Answer(ctx, reqs)
	if err != nil || len(answers) != len(reqs) {
		return answers, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(answers)
	for i, a := range answers {
		if s.thinks {
			a = a.Found()
		}
		if out[i] = a; a.Failure != nil {
			continue
		}
		f := backends.CheckStudent(reqs[i], a)
		if f == nil {
			s.scored = s.scored || !a.NoLogprobs
			continue
		}
		if a.NoLogprobs && !s.scored {
			return nil, fault.Model.Wrap(fmt.Errorf("model %s: %s", s.name, f.Message))
		}
		out[i] = a.Failed(f)
	}
	return out, nil
}
