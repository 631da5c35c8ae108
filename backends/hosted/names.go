package hosted

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"infnet/backends"
	"infnet/backends/httpfailure"
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

// answered returns the name in a reply, or a failure where it is another model's.
func (m *Model) answered(name string) (string, *backends.Failure) {
	other := func(format string, args ...any) (string, *backends.Failure) {
		return "", &backends.Failure{Cause: backends.OtherModel, Message: fmt.Sprintf(format, args...)}
	}
	asked := m.cfg.Served
	switch {
	case name == asked:
		return name, nil
	case httpfailure.Clean(name) == "":
		return "", httpfailure.BadResponse("the reply names no model, and every reply of %s does", m.cfg.Provider)
	case same(asked, name):
		return m.wire.Secrets.Text(name), nil
	}
	if name = m.wire.Secrets.Text(httpfailure.Clean(name)); same(asked, name) {
		return other("the model %q was asked, and one whose name differs in characters that do not show answered", asked)
	}
	return other("the model %q was asked, and %q answered: set served = %q if that is the one meant", asked, name, name)
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
