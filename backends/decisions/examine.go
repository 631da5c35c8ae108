package decisions

import (
	"context"
	"errors"
	"fmt"

	"infnet/backends"
	"infnet/backends/wire"
)

const remedy = "does its address end before the protocol's route, does it speak the protocol (systemone: /systemone, " +
	"openai: /decisions), is served the name that answers, is the key of api_key_env set?"

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
	var out []backends.Confirmation
	for _, e := range m.wire.Endpoints() {
		if known(e.Base) {
			continue
		}
		a, err := m.greet(ctx, e)
		if ctx.Err() != nil && err != nil {
			err = errors.Join(context.Cause(ctx), err)
		}
		out = append(out, backends.Confirmation{URL: e.Base, Model: a.Model, Err: err})
	}
	return out
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
			add(backends.Broken, "asked", fmt.Sprintf("%s%s: %v", at.Base, m.cfg.Protocol.Route(), err), remedy)
			return found, false
		}
		add(backends.Fine, "reachable", at.Base+m.cfg.Protocol.Route(), "")
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
