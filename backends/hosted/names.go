package hosted

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"infnet/backends"
	"infnet/backends/wire"
)

// The model's name is read from every reply that has one. It counts as the model that was asked
//
//  1. where it is the name asked;
//  2. where it is the name asked with a version behind it, which an alias stands for: -20250929; an alias may also end
//     in -latest in the version's place.
//
// Every other name is another model's.

// version is what providers put behind a model's name to name one release of it.
var version = regexp.MustCompile(`^(-(preview|exp))?-(20\d\d-?[01]\d-?[0-3]\d|\d{2}-20\d\d|\d{2}-\d{2}|\d{3,4})$`)

func same(asked, replied string) bool {
	if asked == replied {
		return true
	}
	for _, alias := range []string{asked, strings.TrimSuffix(asked, "-latest")} {
		if rest, ok := strings.CutPrefix(replied, alias); ok && version.MatchString(rest) {
			return true
		}
	}
	return false
}

const greeting = "Say OK."

func (m *Model) greet(ctx context.Context) (backends.Answer, error) {
	a := m.one(ctx, backends.Request{Model: m.id, Mode: backends.Chat, Served: m.cfg.Served, Prompt: greeting,
		MaxTokens: greetingTokens})
	if a.Failure != nil && !a.Failure.Cause.Unsaid() {
		return a, a.Failure
	}
	return a, nil
}

// greetingTokens leave room for a short thought.
const greetingTokens = 64

// Confirm finds out who answers, by one short question.
func (m *Model) Confirm(ctx context.Context, known func(url string) bool) []backends.Confirmation {
	return m.wire.Confirm(ctx, known, func(ctx context.Context, _ *wire.Endpoint) (string, error) {
		a, err := m.greet(ctx)
		return a.Model, err
	})
}

// Examine asks the model once before a study spends anything: whether it answers, by which name, and whether its
// tokens are counted.
func (m *Model) Examine(ctx context.Context, e backends.Examination) (found []backends.Finding, alive bool) {
	add := func(v backends.Verdict, question, found1, fix string) {
		found = append(found, backends.Finding{Verdict: v, Question: question,
			Found: m.wire.Secrets.Text(found1), Fix: m.wire.Secrets.Text(fix)})
	}
	add(backends.Unknown, "provider", fmt.Sprintf("%s, %s", m.cfg.Provider, Untried),
		"look at the first answers yourself: the page of the run shows them")
	if e.Mode != backends.Chat {
		add(backends.Broken, "mode "+string(e.Mode), "providers offer chats alone", "set mode = \"chat\" for the model")
		return found, false
	}
	a, err := m.greet(ctx)
	if err != nil {
		add(backends.Broken, "asked", fmt.Sprintf("%s: %v", m.cfg.Address(), err), remedy(err, m.cfg))
		return found, false
	}
	add(backends.Fine, "reachable", m.cfg.Address(), "")
	switch f := a.Failure; {
	case f != nil:
		add(backends.Doubt, "answers", f.Error(), "")
	case a.Model == "":
		add(backends.Unknown, "serves", "replies name no model; it was asked as "+m.cfg.Served, "")
	default:
		add(backends.Fine, "serves", a.Model, "")
	}
	if e.Student {
		add(backends.Broken, "log-probabilities", "langchaingo's clients pass none, so the model has no confidence",
			"put it last in its cascades")
	} else {
		add(backends.Fine, "log-probabilities", "none, and none are needed: the model is the last of its cascades", "")
	}
	if len(e.Labels) > 0 {
		add(backends.Fine, "labels", "asked by text: the label that the answer begins with", "")
	}
	if a.Failure == nil {
		if a.Usage.Prompt.IsZero() || a.Usage.Completion.IsZero() {
			add(backends.Doubt, "token counts", fmt.Sprintf("prompt %v, generated %v", a.Usage.Prompt, a.Usage.Completion),
				"costs are estimated where counts are missing")
		} else {
			add(backends.Fine, "token counts", "prompt and generated tokens are reported", "")
		}
	}
	return found, true
}

func remedy(err error, c backends.HostedConfig) string {
	var f *backends.Failure
	if !errors.As(err, &f) {
		return ""
	}
	switch f.Cause {
	case backends.Unauthorized:
		return "name the environment variable of a key that may use this model in api_key_env, and set it"
	case backends.Connection, backends.Timeout:
		return "is the network up, and is urls that of a gateway that answers?"
	case backends.BadRequest:
		fix := fmt.Sprintf("is served = %q a name that %s knows?", c.Served, c.Provider)
		if usual := new(backends.HostedConfig).Address(); c.Address() != usual {
			fix += " Is urls where its routes begin, as " + usual + " is?"
		}
		return fix
	case backends.OtherModel:
		return "set served to the name that answered, if that model is meant"
	}
	return ""
}
