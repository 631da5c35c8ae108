// Package replay answers requests from answers that were recorded elsewhere. It owns the look-up.
// It refuses to read files: the caller decides which file holds the answers, what its columns mean
// and which record a row belongs to.
//
// Its opinion: nothing is made up. A request without a recorded answer is a lasting failure with
// the cause not-recorded, and is counted as missing like any other.
package replay

import (
	"context"
	"fmt"

	"infnet/backends"
)

// Model is a set of recorded answers.
type Model struct {
	id      backends.ModelID
	source  string
	answers backends.Recordings
}

// Open returns the model. It fails without an answer: such a file belongs to
// another dataset, or its ids do.
func Open(cfg backends.Config) (*Model, error) {
	c, err := backends.SettingsOf[*backends.ReplayConfig](cfg)
	if err != nil {
		return nil, err
	}
	if c.Answers == nil || c.Answers.Len() == 0 {
		return nil, fmt.Errorf("replayed model %q: it has no recorded answer", cfg.Model.ID)
	}
	return &Model{id: cfg.Model, source: c.Source, answers: c.Answers}, nil
}

// BatchSize returns 256: one write to disk serves many answers.
func (m *Model) BatchSize() int { return 256 }

// Answer looks up one answer per request.
func (m *Model) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	out := make([]backends.Answer, len(reqs))
	for i, r := range reqs {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		key := r.Key()
		a, ok, err := m.answers.Answer(key)
		if err != nil {
			return nil, err
		}
		switch {
		case r.Model != m.id:
			a = backends.Answer{Failure: &backends.Failure{Cause: backends.BadRequest,
				Message: fmt.Sprintf("the request is for model %q, these answers are of %q", r.Model.ID, m.id.ID)}}
		case !ok:
			a = backends.Answer{Failure: &backends.Failure{Cause: backends.NotRecorded,
				Message: "no answer to this record in " + m.source}}
		}
		a.Key = key
		out[i] = a
	}
	return out, nil
}

// Driver replays recorded answers.
func Driver() backends.Driver {
	return backends.Driver{
		Kind:  backends.Replay,
		Model: func(c backends.Config) (backends.Model, error) { return Open(c) },
	}
}
