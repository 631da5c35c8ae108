// Package hosted asks Anthropic's models through langchaingo's client. langchaingo writes the requests and reads the
// replies; this package owns what lies below: the transport that keeps what the client loses (status, Retry-After,
// body), and refuses replies that it would take for an answer. It refuses to retry, to score labels and to write a
// secret anywhere.
//
// Its opinion: an answer is what langchaingo read from a reply, and the reply must say the same. Where the client
// cannot read a reply that is an answer, it is handed one that it can, and only what it had lost comes from the
// reply itself; PROVIDERS.md lists where. It passes no log-probabilities, so every answer is without them and a
// hosted model can only be the last of a cascade.
//
// Nobody asked the provider itself with this package: the tests' server answers in the documented form.
package hosted

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"infnet/backends"
	"infnet/backends/guard"
	"infnet/backends/pace"
	"infnet/backends/redact"
)

// The settings where a configuration says nothing.
const (
	DefaultTimeout     = 2 * time.Minute
	DefaultConcurrency = 16
	DefaultMaxBody     = 4 << 20
)

// Untried is what is said of every provider: nobody has asked it with this package.
const Untried = "not tried live: infnet was tested against servers that answer as the provider's documentation says"

// Model is a model of a provider. It is safe for concurrent use.
type Model struct {
	id        backends.ModelID
	cfg       backends.HostedConfig // defaults filled in, secrets taken out
	client    client
	transport *transport
}

var (
	_ backends.Model        = (*Model)(nil)
	_ backends.Batcher      = (*Model)(nil)
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
	if err := complete(&c, cfg.Model.ID); err != nil {
		return fail(err)
	}
	key, err := keyOf(c)
	if err != nil {
		return fail(err)
	}
	pool := http.DefaultTransport.(*http.Transport).Clone()
	pool.MaxIdleConnsPerHost = c.Concurrency
	guarded := guard.New(pool)
	t := &transport{
		http: &http.Client{
			Transport:     guarded,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		base: strings.TrimRight(c.Address(), "/"), extra: maps.Clone(c.Extra), timeout: c.Timeout, maxBody: c.MaxBody,
		now: time.Now, line: pace.NewLine(), key: key, secrets: redact.New(key),
	}
	langchain, err := clientOf(c, t)
	if err != nil {
		return fail(fmt.Errorf("langchaingo's client: %s", t.secrets.Text(err.Error())))
	}
	c.APIKey = ""
	return &Model{id: cfg.Model, cfg: c, transport: t, client: langchain}, nil
}

// complete fills in what a configuration leaves out, and refuses what no provider takes.
func complete(c *backends.HostedConfig, id string) error {
	var known backends.Provider
	if err := known.UnmarshalText([]byte(c.Provider)); err != nil {
		return err
	}
	u, err := url.Parse(c.Address())
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("its URL is none: want one like %s", new(backends.HostedConfig).Address())
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("its URL at %s holds a user, password, query or fragment: keys go into environment variables",
			u.Host)
	}
	if c.Timeout < 0 || c.Concurrency < 0 || c.MaxBody < 0 {
		return fmt.Errorf("timeout %v, concurrency %d and longest body %d must not be negative", c.Timeout, c.Concurrency,
			c.MaxBody)
	}
	if c.Served == "" {
		c.Served = id
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Concurrency == 0 {
		c.Concurrency = DefaultConcurrency
	}
	if c.MaxBody == 0 {
		c.MaxBody = DefaultMaxBody
	}
	return nil
}

// keyOf reads the key from the configuration, or from the environment; "" = the calls have none.
func keyOf(c backends.HostedConfig) (string, error) {
	key := strings.TrimSpace(c.APIKey.Reveal())
	if key == "" && c.APIKeyEnv != "" {
		if key = strings.TrimSpace(os.Getenv(c.APIKeyEnv)); key == "" {
			return "", fmt.Errorf("the environment variable %s with its API key is not set", c.APIKeyEnv)
		}
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("its API key holds a character that no key has: copy it again")
	}
	return key, nil
}

// Close closes idle connections. The model answers no more.
func (m *Model) Close() error {
	m.transport.http.CloseIdleConnections()
	return nil
}

// BatchSize is 1: every call carries one request.
func (m *Model) BatchSize() int { return 1 }

// Unscored reports that the model answers without log-probabilities, as all do that langchaingo asks.
func (m *Model) Unscored(context.Context, backends.Mode) (bool, error) { return true, nil }

// CheckLabels reports labels that an answer could not name apart.
func (m *Model) CheckLabels(_ string, labels []string) error {
	if f := checkLabels(labels); f != nil {
		return fmt.Errorf("model %q: %s", m.id.ID, f.Message)
	}
	return nil
}

// Answer asks one request after the other; callers ask several at a time.
func (m *Model) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	answers := make([]backends.Answer, len(reqs))
	for i, r := range reqs {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		answers[i] = m.one(ctx, r)
		if ctx.Err() != nil && answers[i].Failure != nil {
			return nil, context.Cause(ctx)
		}
	}
	return answers, nil
}

// Driver opens models of providers.
func Driver() backends.Driver {
	return backends.Driver{
		Kind:  backends.Hosted,
		Model: func(c backends.Config) (backends.Model, error) { return Open(c) },
	}
}
