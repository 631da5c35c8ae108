package pipeline

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"infnet/backends"
	"infnet/harness/fault"
)

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
