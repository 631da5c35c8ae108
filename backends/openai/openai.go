// Package openai asks models behind servers that speak the OpenAI protocol: vLLM, SGLang, the llama.cpp server, Ollama,
// TGI, OpenAI itself. It owns the protocol: what is sent, what a reply says, and what servers can do; backends/wire
// carries the calls. It refuses to retry, to store answers and to write a secret anywhere.
//
// Its opinion: servers are probed, not trusted. What a server supports is found out once, recorded
// in a Probe and used from then on. A label that it does not report gets an upper bound, never an
// invented score, and an inconsistent answer is a failure, not a guess.
package openai

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
)

// Model is a model behind one or more servers. It is safe for concurrent use.
type Model struct {
	id    backends.ModelID
	cfg   backends.OpenAIConfig // defaults filled in, secrets taken out
	wire  *wire.Wire
	names *names
	lexer *lexer

	mu      sync.Mutex // of what follows
	last    lately     // what the last classification looked for
	refused []string   // fields that change no greedy answer and that the server refuses; found by the probe
	probed  *survey    // of the last probe that succeeded; nil = none did
	latest  *survey    // of the last probe

	probing chan struct{} // holds a token while a probe is under way

	// Time limits of optional calls: to the server's own routes, and in the other mode.
	aside, spare time.Duration
}

var (
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
	for i, url := range c.URLs {
		if strings.HasSuffix(strings.TrimRight(url, "/"), "/completions") {
			return nil, fmt.Errorf("model %q: url %d names one route: give the base URL, which ends before /chat/completions",
				name, i+1)
		}
	}
	if err := complete(&c, name); err != nil {
		return nil, fmt.Errorf("model %q: %w", name, err)
	}
	w, err := wire.Open(c.Access, "")
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", name, err)
	}
	c.APIKey, c.Headers = "", nil
	c.Extra = maps.Clone(c.Extra)
	return &Model{id: cfg.Model, cfg: c, wire: w, probing: make(chan struct{}, 1),
		names: &names{wire: w, served: c.Served, known: map[nameAt]*backends.Failure{}, last: map[string]string{}},
		lexer: &lexer{wire: w, served: c.Served, tokens: map[string][]labelToken{}},
		aside: 10 * time.Second, spare: 20 * time.Second}, nil
}

// Defaults of OpenAIConfig.
const (
	defaultTop = 20
	mostTop    = 10000
)

func complete(c *backends.OpenAIConfig, id string) error {
	c.Served, c.Labels = cmp.Or(c.Served, id), cmp.Or(c.Labels, backends.LabelsAuto)
	c.MaxTokensField = cmp.Or(c.MaxTokensField, backends.LimitFields()[0])
	c.TopLogprobs = cmp.Or(c.TopLogprobs, defaultTop)
	if c.TopLogprobs < 1 || c.TopLogprobs > mostTop {
		return fmt.Errorf("top_logprobs = %d: want 1 to %d", c.TopLogprobs, mostTop)
	}
	if !slices.Contains(backends.LabelModes(), c.Labels) {
		return fmt.Errorf("label mode %q: want one of %v", c.Labels, backends.LabelModes())
	}
	if c.NoLogprobs && c.Labels != backends.LabelsAuto && c.Labels != backends.LabelsText {
		return fmt.Errorf("label mode %q reads log-probabilities, and no_logprobs asks for none", c.Labels)
	}
	return nil
}

// Close closes idle connections.
func (m *Model) Close() error { return m.wire.Close() }

// CheckLabels reports labels that no server could distinguish: empty ones, and two that differ only
// in surrounding blanks. Labels that begin with the same token are found with the first request, if
// the server has a tokenize route.
func (m *Model) CheckLabels(_ string, labels []string) error {
	return httpfailure.Of(m.id.ID, httpfailure.Labels(labels, strings.TrimSpace))
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

// Answer makes one call per request, as many at a time as
// the configuration allows: servers batch the requests in flight. It returns the context's error if that ends first.
func (m *Model) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	return m.wire.Answers(ctx, reqs, m.one)
}

func (m *Model) one(ctx context.Context, r backends.Request) backends.Answer {
	t, a := &talk{m: m}, backends.Answer{Key: r.Key()}
	f := m.check(r)
	switch {
	case f != nil:
	case len(r.Labels) > 0:
		f = t.classify(ctx, r, &a)
	default:
		f = t.generate(ctx, r, &a)
	}
	thinks := f
	if f == nil || a.Thinks && f.Cause == backends.Thoughts {
		a.Model, f = t.one()
	}
	if f != nil {
		return backends.Answer{Key: a.Key, Failure: f, Latency: t.latency, Calls: t.calls}
	}
	if a.Latency, a.System = t.latency, t.system; len(t.calls) > 1 {
		a.Calls = t.calls
	}
	if thinks != nil {
		return a.Thinking(thinks)
	}
	return a
}

// check refuses what the server could not answer. The settings of an engine that somebody else started are not known: a
// request must ask for none.
func (m *Model) check(r backends.Request) *backends.Failure {
	remote, _ := backends.Config{Settings: &m.cfg}.Remote()
	started := remote.Engine()
	f := httpfailure.Carries(r, m.cfg.Served, backends.SettingsPart, backends.SystemPart, backends.ExamplesPart,
		backends.SamplingPart)
	switch {
	case f != nil:
		return f
	case r.Mode != backends.Raw && r.Mode != backends.Chat:
		return badRequest("unknown mode %q: want %q or %q", r.Mode, backends.Raw, backends.Chat)
	case r.Prompt == "":
		return badRequest("the prompt is empty")
	case len(r.Labels) == 0 && r.MaxTokens <= 0:
		return badRequest("a generation of at most %d tokens: want 1 or more", r.MaxTokens)
	case len(r.Labels) == 0 && r.TopLogprobs < 0:
		return badRequest("%d alternatives a token", r.TopLogprobs)
	case !slices.Equal(r.Settings, started):
		return badRequest("the request is for an engine with the settings %v, this one has %v", r.Settings, started)
	}
	return httpfailure.Labels(r.Labels, strings.TrimSpace)
}

var badResponse, badRequest, clean = httpfailure.BadResponse, httpfailure.BadRequest, httpfailure.Clean

// Driver opens models behind servers of the OpenAI protocol.
func Driver() backends.Driver {
	return backends.Driver{
		Kind:     backends.OpenAI,
		Model:    func(c backends.Config) (backends.Model, error) { return Open(c) },
		Embedder: func(c backends.Config) (backends.Embedder, error) { return OpenEmbedder(c) },
		Scorer:   func(c backends.Config) (backends.Scorer, error) { return Open(c) },
		Batch:    func(c backends.Config, l backends.LabelMode) (backends.Batch, error) { return OpenBatch(c, l) },
	}
}
