package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"infnet/backends"
	"infnet/harness/spec"
)

// headers reads the values of a server's headers from the environment. The
// error names the variable that is not set, and holds no value.
func headers(m *spec.Model) (map[string]backends.Secret, error) {
	if len(m.HeadersEnv) == 0 {
		return nil, nil
	}
	out := map[string]backends.Secret{}
	for header, variable := range m.HeadersEnv {
		value := os.Getenv(variable)
		if value == "" {
			return nil, fmt.Errorf("model %s: the environment variable %s, the value of header %s, is not set", m.Name, variable, header)
		}
		out[header] = backends.Secret(value)
	}
	return out, nil
}

// decides reports whether the model's confidence decides something on the
// dataset: it stands before the end of a cascade.
func (st *study) decides(model, dataset string) bool {
	for _, c := range st.spec.Cascades {
		i := slices.Index(c.Models, model)
		if i >= 0 && i < len(c.Models)-1 && slices.Contains(c.Datasets, dataset) {
			return true
		}
	}
	return false
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
			return nil, withCode(ExitModel, fmt.Errorf("model %s: %s", s.name, f.Message))
		}
		out[i] = backends.Answer{Key: a.Key, Failure: f}
	}
	return out, nil
}
