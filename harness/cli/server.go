package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"infnet/backends"
	"infnet/harness/fault"
	"infnet/harness/spec"
	"infnet/harness/store"
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

// checkStudents looks at one stored answer of every student behind a server: a
// study that had the model as its master may have left answers without
// log-probabilities, from which no confidence follows.
func (st *study) checkStudents() error {
	for i := range st.spec.Models {
		m := &st.spec.Models[i]
		for j := range st.spec.Datasets {
			d := &st.spec.Datasets[j]
			if !m.Config.Traits().Remote && m.Answers == nil || !st.decides(m.Name, d.Name) {
				continue
			}
			id, sheet := st.models[m.Name].ID, st.sheets[d.Name]
			answers, err := st.store.Answers(store.ID{Model: id, Dataset: st.sources[d.Name], Name: d.Name})
			if err != nil {
				return nil // whoever asks next reads the same file and reports it
			}
			for k := range sheet.Set.Examples {
				r := sheet.Request(k, id, m)
				key, _, _ := answers.Find(r)
				stored, ok, err := answers.Get(key)
				if err != nil || !ok {
					continue
				}
				if stored.Answer.NoLogprobs && m.Answers != nil {
					err = fmt.Errorf("model %s: its recorded answers to %s have no confidence, so it can only be the last model of a cascade: record confidence or log-probabilities, or put another model before it", m.Name, d.Name)
				} else if stored.Answer.NoLogprobs {
					err = fmt.Errorf("model %s: its answers to %s in %s have no log-probabilities, so it has no confidence and can only be the last model of a cascade: "+
						"serve it where log-probabilities are offered and give it a revision of its own, or put another model before it", m.Name, d.Name, answers.Path())
				}
				if err != nil {
					answers.Close()
					return err
				}
				break
			}
			answers.Close()
		}
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
