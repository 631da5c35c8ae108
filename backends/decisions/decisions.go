// Package decisions asks decision models: those that answer typed questions about a text with a probability per option,
// and write nothing. It owns the two protocols by which they are asked, System One and OpenAI's Decisions, what a reply
// has to say to be an answer, and the names by which such models reply. backends/wire carries the calls. It refuses to
// generate text, to retry, and to keep a number that it cannot check.
//
// Its opinion: a classification is one question and one call: no reply says that its questions were answered apart. An
// answer is a failure, never a guess, if its options are not those asked about, its probabilities do not sum to 1, or
// its choice is not the most probable. It holds ln(probability) of each label, option_mass, tokens and backends.Vendor.
//
// Read from, on PyPI: typesafe-sdk 0.7.5 (_schemas/models.py) and openai 3.54.0 (types/decision*.py), the APIs' own;
// strands-decider 0.2.0 and any2jev 0.1.0 (schema.py); docs.fireworks.ai/api-reference/post-decisions; and maple-sdk
// 4.1.0's SystemOneAnswer (option_mass, temperature) on docs.rs. Neither API has batches (openai: batch_create_params).
package decisions

import (
	"cmp"
	"context"
	"fmt"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
)

// MostOptions is the most options that a question may have, by strands-decider's and any2jev's schema.py and OpenAI's
// API. Fireworks takes 208, and of levels most take 10: such a server says so itself.
const MostOptions = 255

// Model is a decision model. It is safe for concurrent use.
type Model struct {
	id   backends.ModelID
	cfg  backends.DecisionsConfig // defaults filled in, secrets taken out
	wire *wire.Wire
}

var (
	_ backends.LabelChecker = (*Model)(nil)
	_ backends.Confirmer    = (*Model)(nil)
	_ backends.Examined     = (*Model)(nil)
)

// Open prepares a model. It opens no connection. Settings that would make every call fail are errors.
func Open(cfg backends.Config) (*Model, error) {
	settings, err := backends.SettingsOf[*backends.DecisionsConfig](cfg)
	if err != nil {
		return nil, err
	}
	c := *settings
	c.As = cmp.Or(c.As, backends.AsChoice)
	if err := cmp.Or(new(backends.DecisionsProtocol).UnmarshalText([]byte(c.Protocol)),
		new(backends.DecisionForm).UnmarshalText([]byte(c.As))); err != nil {
		return nil, fmt.Errorf("model %q: %w", cfg.Model.ID, err)
	}
	c.Served, c.MaxBody = cmp.Or(c.Served, cfg.Model.ID), cmp.Or(c.MaxBody, 4<<20)
	w, err := wire.Open(c.Access, "")
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", cfg.Model.ID, err)
	}
	c.APIKey = ""
	return &Model{id: cfg.Model, cfg: c, wire: w}, nil
}

// Close closes idle connections. The model answers no more.
func (m *Model) Close() error { return m.wire.Close() }

// BatchSize is 1: every call carries one request.
func (m *Model) BatchSize() int { return 1 }

// CheckLabels reports labels that make no question.
func (m *Model) CheckLabels(_ string, labels []string) error {
	return httpfailure.Of(m.id.ID, m.checkLabels(labels))
}

// Answer makes one call per request, as many at a time as the configuration allows.
func (m *Model) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	return m.wire.Answers(ctx, reqs, func(ctx context.Context, r backends.Request) backends.Answer {
		a := backends.Answer{Key: r.Key()}
		if f := m.one(ctx, r, &a, nil); f != nil {
			return backends.Answer{Key: a.Key, Failure: f, Latency: a.Latency}
		}
		return a
	})
}

// Driver opens decision models.
func Driver() backends.Driver {
	return backends.Driver{
		Kind:  backends.Decisions,
		Model: func(c backends.Config) (backends.Model, error) { return Open(c) },
	}
}
