// Package hosted asks Anthropic's models through langchaingo's client. langchaingo writes the requests and reads the
// text, its end and the counts of tokens; this package reads what the client drops: who answered, errors, and the kinds
// of what a reply holds. backends/wire carries the calls. It refuses to retry, to score labels and to write a secret
// anywhere.
//
// Its opinion: an answer is what langchaingo read from a reply. Where the client cannot read a reply that is an answer,
// it is handed one that it can. It passes no log-probabilities, so every answer is without
// them and a hosted model is the last of a cascade, or is asked several times and votes (backends.Sampling).
//
// Nobody asked the provider itself with this package: the tests' server answers in the documented form.
package hosted

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
)

const longestReply = 4 << 20

// Untried is what is said of every provider: nobody has asked it with this package.
const Untried = "not tried live: infnet was tested against servers that answer as the provider's documentation says"

// Model is a model of a provider. It is safe for concurrent use.
type Model struct {
	id        backends.ModelID
	cfg       backends.HostedConfig // defaults filled in, secrets taken out
	wire      *wire.Wire
	langchain llms.Model
}

var (
	_ backends.LabelChecker = (*Model)(nil)
	_ backends.Unscored     = (*Model)(nil)
	_ backends.Confirmer    = (*Model)(nil)
	_ backends.Examined     = (*Model)(nil)
)

// Open prepares a model. It opens no connection. Settings that would make every call fail are errors.
func Open(cfg backends.Config) (*Model, error) {
	settings, err := backends.SettingsOf[*backends.HostedConfig](cfg)
	if err != nil {
		return nil, err
	}
	c := *settings
	fail := func(err error) (*Model, error) { return nil, fmt.Errorf("model %q: %w", cfg.Model.ID, err) }
	var known backends.Provider
	if err := known.UnmarshalText([]byte(c.Provider)); err != nil {
		return fail(err)
	}
	c.Served = cmp.Or(c.Served, cfg.Model.ID)
	c.URLs, c.MaxBody = []string{c.Address()}, cmp.Or(c.MaxBody, longestReply)
	w, err := wire.Open(c.Access, "X-Api-Key")
	if err != nil {
		return fail(err)
	}
	langchain, err := anthropic.New(anthropic.WithToken("none"), anthropic.WithModel(c.Served),
		anthropic.WithBaseURL(wire.Placeholder), anthropic.WithHTTPClient(w))
	if err != nil {
		return fail(fmt.Errorf("langchaingo's client: %w", err))
	}
	c.APIKey = ""
	return &Model{id: cfg.Model, cfg: c, wire: w, langchain: langchain}, nil
}

// Close closes idle connections. The model answers no more.
func (m *Model) Close() error { return m.wire.Close() }

// Unscored reports that the model answers without log-probabilities, as all do that langchaingo asks.
func (m *Model) Unscored(context.Context, backends.Mode) (bool, error) { return true, nil }

// CheckLabels reports labels that an answer could not name apart.
func (m *Model) CheckLabels(_ string, labels []string) error {
	return httpfailure.Of(m.id.ID, httpfailure.Labels(labels, strings.ToLower))
}

// Answer makes one call per request, as many at a time as the configuration allows.
func (m *Model) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	return m.wire.Answers(ctx, reqs, m.one)
}

// Driver opens models of providers.
func Driver() backends.Driver {
	return backends.Driver{
		Kind:  backends.Hosted,
		Model: func(c backends.Config) (backends.Model, error) { return Open(c) },
	}
}
