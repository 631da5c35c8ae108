// Package decisions asks decision models: those that answer typed questions about a text with a probability per option,
// and write nothing. It owns the protocol by which they are asked, System One, what a reply
// has to say to be an answer, and the names by which such models reply. backends/wire carries the calls. It refuses to
// generate text, to retry, and to keep a number that it cannot check.
//
// Its opinion: a classification is one question and one call: no reply says that its questions were answered apart. An
// answer is a failure, never a guess, if its options are not those asked about, its probabilities do not sum to 1, or
// its choice is not the most probable. It holds ln(probability) of each label, option_mass, tokens and backends.Vendor.
//
// Read from, on PyPI: typesafe-sdk 0.7.5 (_schemas/models.py), the API's own; strands-decider 0.2.0 and any2jev 0.1.0
// (schema.py); and maple-sdk 4.1.0's SystemOneAnswer (option_mass, temperature) on docs.rs. The API has no batches.
package decisions

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
)

// MostOptions is the most options that a question may have, by strands-decider's and any2jev's schema.py.
// Fireworks takes 208, and says so itself.
const MostOptions = 255

var unusable, badRequest = httpfailure.Unusable, httpfailure.BadRequest

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

// Hear reads a reply that somebody else asked for: the answer to one question, "" = the only one. labels are the
// options, in order; unless they are exact, they are the ones that the reply has. It returns them too.
func Hear(body []byte, question string, labels []string, exact bool) (out backends.Answer, options []string,
	f *backends.Failure) {
	all, f := answers(&wire.Reply{Body: body}, &out)
	if question == "" && len(all) == 1 {
		question = slices.Collect(maps.Keys(all))[0]
	}
	a, ok := all[question]
	if options = labels; !exact {
		options = slices.Sorted(maps.Keys(a.outcomes()))
	}
	switch {
	case f != nil:
	case !ok:
		f = unusable("it answers %d questions, and none is %q", len(all), question)
	default:
		f = a.read(options, options, &out)
	}
	return out, options, f
}

const remedy = "does its address end before " + Route + ", is served the name that answers, is the key of " +
	"api_key_env set?"

func (m *Model) greet(ctx context.Context, at *wire.Endpoint) (backends.Answer, error) {
	r := backends.Request{Model: m.id, Mode: backends.Raw, Served: m.cfg.Served, Prompt: "The light is green.",
		Question: "Which colour has the light?", Labels: []string{"green", "red"}}
	a := backends.Answer{Key: r.Key()}
	if f := m.one(ctx, r, &a, at); f != nil {
		return a, f
	}
	return a, nil
}

// Confirm finds out who answers at each URL, by one short question.
func (m *Model) Confirm(ctx context.Context, known func(url string) bool) []backends.Confirmation {
	return m.wire.Confirm(ctx, known, func(ctx context.Context, at *wire.Endpoint) (string, error) {
		a, err := m.greet(ctx, at)
		return a.Model, err
	})
}

// Examine asks each URL once before a study spends anything: whether it answers, by which name, and what it says.
func (m *Model) Examine(ctx context.Context, e backends.Examination) (found []backends.Finding, alive bool) {
	add := func(v backends.Verdict, question, what, fix string) {
		found = append(found, backends.Finding{Verdict: v, Question: question,
			Found: m.wire.Secrets.Text(what), Fix: m.wire.Secrets.Text(fix)})
	}
	for _, at := range m.wire.Endpoints() {
		a, err := m.greet(ctx, at)
		if err != nil {
			add(backends.Broken, "asked", fmt.Sprintf("%s%s: %v", at.Base, Route, err), remedy)
			return found, false
		}
		add(backends.Fine, "reachable", at.Base+Route, "")
		add(backends.Fine, "serves", a.Model, "")
		add(backends.Fine, "probabilities", "one of every option, as the server gave it", "")
		if a.LabelMass == nil {
			add(backends.Unknown, "label mass", "replies say nothing of it (option_mass)", "")
		}
		if a.Usage.Prompt.IsZero() {
			add(backends.Doubt, "token counts", "replies count none", "costs are estimated where counts are missing")
		}
	}
	for _, labels := range e.Labels {
		if f := m.checkLabels(labels); f != nil {
			add(backends.Broken, "labels", f.Message, "")
		}
	}
	return found, true
}
