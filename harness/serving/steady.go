package serving

import (
	"context"
	"errors"
	"slices"

	"infnet/backends"
)

// steadyModel asks again what a server that died did not answer, once a server is ready again. No failure is
// returned for that.
type steadyModel struct {
	backends.Model
	servers *Servers
}

var _ backends.Wrapper = (*steadyModel)(nil)

// Model wraps a model behind the servers.
func (s *Servers) Model(m backends.Model) backends.Model { return &steadyModel{m, s} }

// Unwrap returns the model inside.
func (m *steadyModel) Unwrap() backends.Model { return m.Model }

// Answer asks until the failures that are left are not those of a server that died.
func (m *steadyModel) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	m.servers.open.Add(1)
	defer m.servers.open.Add(-1)
	before := m.servers.deaths()
	answers, err := m.Model.Answer(ctx, reqs)
	if slices.ContainsFunc(answers, func(a backends.Answer) bool { return a.Failure == nil }) {
		m.servers.answered.Add(1)
	}
	if err != nil || len(answers) != len(reqs) {
		return answers, err
	}
	for {
		var lost []int
		for i, a := range answers {
			if a.Failure != nil && a.Failure.Temporary() {
				lost = append(lost, i)
			}
		}
		if len(lost) == 0 {
			return answers, nil
		}
		again, err := m.servers.recovered(ctx, before)
		if err != nil {
			return nil, err
		}
		if !again {
			return answers, nil
		}
		before = m.servers.deaths()
		left := make([]backends.Request, len(lost))
		for k, i := range lost {
			left[k] = reqs[i]
		}
		got, err := m.Model.Answer(ctx, left)
		if err != nil || len(got) != len(left) {
			return answers, err
		}
		answers = slices.Clone(answers)
		for k, i := range lost {
			answers[i] = got[k]
		}
	}
}

// steadily makes a call, and makes it again when a server died under it.
func steadily[T any](ctx context.Context, s *Servers, call func() (T, error)) (T, error) {
	s.open.Add(1)
	defer s.open.Add(-1)
	for {
		before := s.deaths()
		out, err := call()
		if err == nil {
			s.answered.Add(1)
		}
		var f *backends.Failure
		if err == nil || !errors.As(err, &f) || !f.Temporary() {
			return out, err
		}
		again, gone := s.recovered(ctx, before)
		if gone != nil {
			return out, gone
		}
		if !again {
			return out, err
		}
	}
}

// Do makes a call that answers no request, such as probing a server, and makes it again when a server died under it.
func (s *Servers) Do(ctx context.Context, call func() error) error {
	_, err := steadily(ctx, s, func() (struct{}, error) { return struct{}{}, call() })
	return err
}

// steadyEmbedder is a steadyModel that embeds.
type steadyEmbedder struct {
	backends.Embedder
	servers *Servers
}

// Embedder wraps an embedder behind the servers.
func (s *Servers) Embedder(e backends.Embedder) backends.Embedder { return &steadyEmbedder{e, s} }

func (e *steadyEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return steadily(ctx, e.servers, func() ([][]float32, error) { return e.Embedder.Embed(ctx, texts) })
}

// BatchSize is that of the embedder inside.
func (e *steadyEmbedder) BatchSize() int {
	if b, ok := e.Embedder.(backends.Batcher); ok {
		return b.BatchSize()
	}
	return 1
}

// steadyScorer is a steadyModel that scores.
type steadyScorer struct {
	backends.Scorer
	servers *Servers
}

// Scorer wraps a scorer behind the servers.
func (s *Servers) Scorer(m backends.Scorer) backends.Scorer { return &steadyScorer{m, s} }

func (m *steadyScorer) Score(ctx context.Context, pairs []backends.Pair) ([]float64, error) {
	return steadily(ctx, m.servers, func() ([]float64, error) { return m.Scorer.Score(ctx, pairs) })
}
