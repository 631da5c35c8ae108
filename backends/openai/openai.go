// Package openai calls models behind servers that speak the OpenAI protocol: vLLM, SGLang, the
// llama.cpp server, Ollama, TGI, OpenAI itself. It owns the wire format. Chats go through
// langchaingo's client: text, finish reason and counts are what it reads, and the reply checks them.
// Raw completions go through a client of its own. Both share a transport that adds what
// langchaingo drops (log-probabilities in both directions, seed 0, top_p, logit bias, constrained
// output) and keeps what it loses (status, Retry-After, body). It refuses to retry, to store
// answers and to write a secret anywhere. The one exception is a kept-alive connection that the
// server closed before sending a byte: it is replaced.
//
// Its opinion: servers are probed, not trusted. What a server supports is found out once, recorded
// in a Probe and used from then on. A label that it does not report gets an upper bound, never an
// invented score, and an inconsistent answer is a failure, not a guess.
package openai

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tmc/langchaingo/llms/openai"

	"infnet/backends"
	"infnet/backends/guard"
	"infnet/backends/pace"
)

// Model is a model behind one or more servers. It is safe for concurrent use.
type Model struct {
	*client
	id backends.ModelID

	probed *flight // the probe that is used; nil until probed
	flight *flight // the probe under way; nil = none

	// Time limits of optional calls: to the server's own routes, and in the other mode.
	aside, spare time.Duration
}

var (
	_ backends.Model        = (*Model)(nil)
	_ backends.Batcher      = (*Model)(nil)
	_ backends.LabelChecker = (*Model)(nil)
	_ backends.Unscored     = (*Model)(nil)
	_ backends.Probed       = (*Model)(nil)
	_ backends.Confirmer    = (*Model)(nil)
)

// Open prepares a model. It calls no server: an unreachable one shows with the first answer, or
// with Probe. Errors name the setting that is wrong and hold no secret.
func Open(cfg backends.Config) (*Model, error) {
	name := cfg.Model.ID
	settings, err := backends.SettingsOf[*backends.OpenAIConfig](cfg)
	if err != nil {
		return nil, err
	}
	c := *settings
	ends, err := endpoints(c.URLs)
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", name, err)
	}
	if err := complete(&c, name); err != nil {
		return nil, fmt.Errorf("model %q: %w", name, err)
	}
	key := c.APIKey
	if key == "" && c.APIKeyEnv != "" {
		if key = backends.Secret(os.Getenv(c.APIKeyEnv)); key == "" {
			return nil, fmt.Errorf("model %q: the environment variable %s with its API key is not set", name, c.APIKeyEnv)
		}
	}
	if strings.ContainsAny(key.Reveal(), "\r\n\x00") {
		return nil, fmt.Errorf("model %q: its API key holds a line break: was a whole file put into the variable?", name)
	}
	pool := http.DefaultTransport.(*http.Transport).Clone()
	pool.MaxIdleConns = c.Concurrency * len(ends)
	pool.MaxIdleConnsPerHost = c.Concurrency
	guarded := guard.New(pool)
	m := &Model{id: cfg.Model, aside: asideTimeout, spare: spareTimeout, client: &client{
		transport: &transport{
			client: &http.Client{
				Transport:     guarded,
				CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			},
			balancer: &balancer{line: pace.NewLine(), all: ends, coolDown: c.CoolDown},
			places:   make(chan struct{}, c.Concurrency),
			timeout:  c.Timeout, maxBody: c.MaxBody, now: time.Now,
			authorize: authorizer(key, c.Headers),
			secrets:   secrets(key, c.Headers),
			pool:      guarded,
		},
		tokens: map[string][]labelToken{},
	}}
	c.APIKey, c.Headers = "", nil
	c.Extra = maps.Clone(c.Extra)
	m.cfg = c
	// The key is put in by the transport; langchaingo only insists on having one.
	m.chat, err = openai.New(openai.WithToken("none"), openai.WithModel(c.Served), openai.WithBaseURL(placeholder),
		openai.WithOrganization(""), openai.WithAPIType(openai.APITypeOpenAI), openai.WithHTTPClient(m.transport))
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", name, err)
	}
	return m, nil
}

// Close closes idle connections.
func (m *Model) Close() error {
	m.transport.client.CloseIdleConnections()
	return nil
}

// BatchSize is 1: servers batch the requests in flight, so each call carries one request and
// concurrency does the rest.
func (m *Model) BatchSize() int { return 1 }

// CheckLabels reports labels that no server could distinguish: empty ones, and two that differ only
// in surrounding blanks. Labels that begin with the same token are found with the first request, if
// the server has a tokenize route.
func (m *Model) CheckLabels(_ string, labels []string) error {
	if f := checkLabels(labels); f != nil {
		return fmt.Errorf("model %q: %s", m.id.ID, f.Message)
	}
	return nil
}

func checkLabels(labels []string) *backends.Failure {
	seen := map[string]string{}
	for i, l := range labels {
		word := strings.TrimSpace(l)
		if word == "" {
			return badRequest("label %d is empty", i)
		}
		if other, ok := seen[word]; ok {
			return badRequest("labels %q and %q are the same word", other, l)
		}
		seen[word] = l
	}
	return nil
}

// Unscored reports whether the model answers without log-probabilities in this
// mode; it probes the server if that has not been done.
func (m *Model) Unscored(ctx context.Context, mode backends.Mode) (bool, error) {
	if m.cfg.NoLogprobs {
		return true, nil
	}
	p, err := m.Probe(ctx, mode)
	return err == nil && !p.offer(mode).Offered, err
}

// Answer makes one call per request (classification by echo: one per label), as many at a time as
// the configuration allows. It returns the context's error if that ends first.
func (m *Model) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	answers := make([]backends.Answer, len(reqs))
	if len(reqs) == 1 { // the usual case, on the caller's own stack
		if answers[0] = m.one(ctx, reqs[0]); ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return answers, nil
	}
	work := make(chan int)
	var wg sync.WaitGroup
	for range min(len(reqs), m.cfg.Concurrency) {
		wg.Go(func() {
			for i := range work {
				answers[i] = m.one(ctx, reqs[i])
			}
		})
	}
feed:
	for i := range reqs {
		select {
		case work <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(work)
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return answers, nil
}

// errEnded marks a call whose caller's context ended, which Answer reports.
var errEnded = &backends.Failure{Cause: backends.Timeout, Message: "the call was given up"}

// one answers one request.
func (m *Model) one(ctx context.Context, r backends.Request) backends.Answer {
	a := backends.Answer{Key: r.Key()}
	f := check(r)
	if f == nil && !sameSettings(r.Settings, m.cfg.Launch) {
		f = badRequest("the request is for an engine with the settings %v, this one was started with others", r.Settings)
	}
	if f == nil && r.Served != "" && r.Served != m.cfg.Served {
		f = badRequest("the request is for a model served as %q, this one is served as %q", r.Served, m.cfg.Served)
	}
	by := &responder{}
	ctx = by.follow(ctx)
	if f == nil {
		if len(r.Labels) > 0 {
			f = classifier{m}.classify(ctx, r, &a)
		} else {
			f = m.generate(ctx, r, &a)
		}
	}
	if f == nil {
		a.Model, f = by.one()
		a.System = by.system
	}
	if f != nil {
		return backends.Answer{Key: a.Key, Failure: f, Latency: a.Latency, Calls: by.calls}
	}
	if len(by.calls) > 1 {
		a.Calls = by.calls
	}
	return a
}

// sameSettings reports whether a request asks for the settings that the engine was started with. Those
// of a server that somebody else started are not known: a request must ask for none.
func sameSettings(asked []backends.Setting, started *backends.Launch) bool {
	if started == nil {
		return len(asked) == 0
	}
	return slices.Equal(asked, started.Settings)
}

// check refuses what no server could answer.
func check(r backends.Request) *backends.Failure {
	if f := backends.Carries(r, backends.ServedPart, backends.SettingsPart); f != nil {
		return f
	}
	if r.Mode != backends.Raw && r.Mode != backends.Chat {
		return badRequest("unknown mode %q: want %q or %q", r.Mode, backends.Raw, backends.Chat)
	}
	if r.Prompt == "" {
		return badRequest("the prompt is empty")
	}
	if len(r.Labels) > 0 {
		return checkLabels(r.Labels)
	}
	if r.MaxTokens <= 0 {
		return badRequest("a generation of at most %d tokens: want 1 or more", r.MaxTokens)
	}
	if r.TopLogprobs < 0 {
		return badRequest("%d alternatives a token", r.TopLogprobs)
	}
	return nil
}

// failed turns an error of a whole call into the request's failure.
func failed(err error) *backends.Failure {
	var f *backends.Failure
	if errors.As(err, &f) {
		return f
	}
	return errEnded
}
