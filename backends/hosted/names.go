package hosted

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"infnet/backends"
	"infnet/backends/httpfailure"
)

// The model's name is read from every reply that has one. It counts as the model that was asked
//
//  1. where it is the name asked, or that name without "models/" (Google);
//  2. where it is the name asked with a version behind it, which an alias stands for: -20250929, -2024-08-06, -2411,
//     -001, -preview-05-20; an alias may also end in -latest in the version's place;
//  3. on Bedrock, where it is in the name asked, between the company's name and the edition's.
//
// Every other name is another model's.

// version is what providers put behind a model's name to name one release of it.
var version = regexp.MustCompile(`^(-(preview|exp))?-(20\d\d-?[01]\d-?[0-3]\d|\d{2}-20\d\d|\d{2}-\d{2}|\d{3,4})$`)

// same reports whether a reply's name is the name asked.
func same(asked, replied string) bool {
	asked, replied = strings.TrimPrefix(asked, "models/"), strings.TrimPrefix(replied, "models/")
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

// edition is what a name on Bedrock has behind the model's own.
var edition = regexp.MustCompile(`^(-20\d{6})?(-v\d+)?(:[0-9a-z:]+)?$`)

// inside reports whether a name on Bedrock is of the model that a reply names: claude-opus-4 is not in
// us.anthropic.claude-opus-4-1-20250805-v1:0.
func inside(asked, replied string) bool {
	_, behind, ok := strings.Cut(asked, "anthropic."+replied)
	return ok && edition.MatchString(behind)
}

// answered returns the name in a reply, or a failure where it is another model's.
func (m *Model) answered(r *said) (string, error) {
	asked := m.cfg.Served
	name := httpfailure.Clean(r.model)
	switch {
	case name == "" && m.provider.named:
		return "", httpfailure.BadResponse("the reply names no model, and every reply of %s does", m.cfg.Provider)
	case name == "" || same(asked, name):
	case m.cfg.Provider == backends.Bedrock && inside(asked, name):
	default:
		name = httpfailure.Clean(m.transport.secrets.Text(name))
		return "", &backends.Failure{Cause: backends.OtherModel,
			Message: "the model \"" + asked + "\" was asked, and \"" + name +
				"\" answered: set served = \"" + name + "\" if that is the one meant"}
	}
	if name != asked {
		name = m.transport.secrets.Text(name)
	}
	return name, nil
}

// greeting is what a check asks.
const greeting = "Say OK."

// greet asks for a few tokens and returns the answer.
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
	at := m.cfg.Address()
	if known(at) {
		return nil
	}
	c := backends.Confirmation{URL: at}
	a, err := m.greet(ctx)
	if ctx.Err() != nil && err != nil {
		err = errors.Join(context.Cause(ctx), err)
	}
	c.Model, c.Err = a.Model, err
	return []backends.Confirmation{c}
}
