package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
)

// The model's name is read from every reply. It counts as the model that was asked, in this order,
//
//  1. where it is the name asked;
//  2. where it is that name with or without ":latest" (Ollama);
//  3. where the server's own list of models says that both are one model: the
//     list's entry of the name asked has the other among its aliases or as its
//     root, or has an entry of its own with the same root and parent (vLLM,
//     several served names);
//  4. where it is the name asked with a date behind it, and the list has it
//     (OpenAI's snapshots: gpt-4o, gpt-4o-2024-08-06);
//  5. where it is that name with @ and a revision behind it (transformers serve);
//  6. where it is the only model of a llama.cpp server, which answers whatever
//     name it is asked by, and by its file where it was given no alias.
//
// Every other name is another model's, and names are compared to the character: one that differs in a zero-width
// character alone is another. A reply without a name counts where the
// list has the name asked, or there is no list.

type listed struct {
	ID      string   `json:"id"`
	Root    string   `json:"root"`    // vLLM, SGLang: what was loaded
	Parent  string   `json:"parent"`  // vLLM: of an adapter, the model it adapts
	Aliases []string `json:"aliases"` // llama.cpp
	OwnedBy string   `json:"owned_by"`
	MaxLen  int      `json:"max_model_len"` // vLLM, SGLang
	Meta    struct {
		Context int `json:"n_ctx_train"` // llama.cpp
	} `json:"meta"`
}

// dated is what OpenAI and its like put behind a model's name to name one of
// its snapshots: -2024-08-06, -20240806, -0613.
var dated = regexp.MustCompile(`^-(20\d\d-[01]\d-[0-3]\d|20\d\d[01]\d[0-3]\d|[01]\d[0-3]\d)$`)

// same reports whether a reply's name is the name asked, by the server's list.
func (l list) same(asked, replied string) bool {
	if replied == asked || replied == asked+":latest" || asked == replied+":latest" {
		return true
	}
	if revision, of := strings.CutPrefix(replied, asked+"@"); of && revision != "" {
		return true
	}
	entry := func(id string) (listed, bool) {
		for _, e := range l {
			if e.ID == id || slices.Contains(e.Aliases, id) {
				return e, true
			}
		}
		return listed{}, false
	}
	mine, known := entry(asked)
	other, there := entry(replied)
	switch {
	case known && (mine.ID == replied || slices.Contains(mine.Aliases, replied)):
		return true
	case known && there && mine.Root != "" && mine.Root == other.Root && mine.Parent == other.Parent:
		return true
	case known && !there && mine.Root != "" && mine.Root == replied:
		return true
	case there && dated.MatchString(strings.TrimPrefix(replied, asked)) && strings.HasPrefix(replied, asked):
		return true
	}
	return there && len(l) == 1 && other.OwnedBy == "llamacpp"
}

func (l list) has(asked string) bool {
	return slices.ContainsFunc(l, func(e listed) bool {
		return e.ID == asked || e.ID == asked+":latest" || slices.Contains(e.Aliases, asked)
	})
}

type list []listed

// names is what is known of who answers at which URL. It is safe for
// concurrent use.
type names struct {
	wire   *wire.Wire
	served string // the name asked

	mu    sync.Mutex
	known map[nameAt]*backends.Failure // nil = it is the model asked
	last  map[string]string            // by URL: the name in the last reply that counted
}

type nameAt struct{ url, name string }

// shown returns a name that is safe to store: secrets are removed, except from the served name,
// which is in the spec and may contain a word that is also used as a key.
func (n *names) shown(name string) string {
	if name == n.served || name == n.served+":latest" {
		return clean(name)
	}
	return n.wire.Secrets.Text(clean(name))
}

// counts says why a name in a reply is not that of the model asked; nil = it is. The server's list
// is read if the name alone does not decide, once for each name at each URL.
func (n *names) counts(ctx context.Context, e *wire.Endpoint, name string) *backends.Failure {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(name) > httpfailure.Longest {
		name = clean(name) // of no model, and nothing to keep
	}
	at := nameAt{e.Base, name}
	f, known := n.known[at]
	if !known {
		var temporary bool
		if f, temporary = n.judge(ctx, e, name); temporary {
			return f
		}
		n.known[at] = f
	}
	if f != nil {
		copied := *f
		return &copied
	}
	n.last[e.Base] = n.shown(name)
	return nil
}

// judge compares a name with the one asked. temporary says that the list could
// not be read now.
func (n *names) judge(ctx context.Context, e *wire.Endpoint, name string) (f *backends.Failure, temporary bool) {
	other := func(format string, args ...any) (*backends.Failure, bool) {
		return httpfailure.Unsaid(backends.OtherModel, format, args...), false
	}
	asked := n.served
	if list(nil).same(asked, name) {
		return nil, false
	}
	l, offered, f := n.listAt(ctx, e)
	if f != nil {
		return f, true
	}
	var ids []string
	for _, s := range l[:min(len(l), 5)] {
		ids = append(ids, n.shown(s.ID))
	}
	has := "it lists " + strings.Join(ids, ", ")
	switch {
	case !offered:
		has = "it does not list its models"
	case len(l) == 0:
		has = "it lists no model"
	case len(l) > len(ids):
		has += fmt.Sprintf(" and %d more", len(l)-len(ids))
	}
	switch {
	case name == "" && (!offered || len(l) == 0 || l.has(asked)), name != "" && l.same(asked, name):
		return nil, false
	case name == "":
		return other("the model %q was asked, the reply at %s names none, and %s: serve the model there, or set served to "+
			"its name there", asked, e.Base, has)
	}
	if name = n.shown(name); name == n.shown(asked) {
		return other("the model %q was asked, and one whose name differs in characters that do not show answered at %s; "+
			"%s: serve the model there under the name asked, or set served to the other name with its \\u escapes", asked,
			e.Base, has)
	}
	return other("the model %q was asked, and %q answered at %s; %s: serve the model there, or set served = %q if that "+
		"is the one meant", asked, name, e.Base, has, name)
}

// listAt reads a server's list of models. offered is false where it has none.
func (n *names) listAt(ctx context.Context, e *wire.Endpoint) (l list, offered bool, f *backends.Failure) {
	var body struct {
		Data list `json:"data"`
	}
	r, err := n.wire.Call(ctx, wire.Call{At: e, Path: "/models"})
	switch {
	case err == nil && json.Unmarshal(r.Body, &body) == nil:
		return body.Data, true, nil
	case err == nil || absent(err):
		return nil, false, nil
	}
	return nil, false, wire.Failed(err)
}

// absent reports whether a server that failed a call has no such route, as far as can be known.
func absent(err error) bool {
	var f *backends.Failure
	return errors.As(err, &f) && (!f.Temporary() || f.Status == 500 || f.Status == 501)
}

// Confirm finds out who answers at each URL, by one short question to each
// that is not known and has answered nothing yet.
func (m *Model) Confirm(ctx context.Context, known func(url string) bool) []backends.Confirmation {
	return m.confirm(ctx, known, m.greetAt)
}

// confirm confirms the URLs; a call that try makes notes who answered.
func (m *Model) confirm(ctx context.Context, known func(url string) bool,
	try func(context.Context, *wire.Endpoint) error) []backends.Confirmation {
	last := func(url string) (name string, answered bool) {
		m.names.mu.Lock()
		defer m.names.mu.Unlock()
		name, answered = m.names.last[url]
		return name, answered
	}
	return m.wire.Confirm(ctx, known, func(ctx context.Context, e *wire.Endpoint) (name string, err error) {
		if _, answered := last(e.Base); !answered {
			err = try(ctx, e)
		}
		name, _ = last(e.Base)
		return name, err
	})
}

// greetAt asks one URL for one token, in whichever way it answers.
func (m *Model) greetAt(ctx context.Context, e *wire.Endpoint) (err error) {
	for _, mode := range []backends.Mode{backends.Chat, backends.Raw} {
		var r *response
		if r, _, err = m.post(ctx, oneToken(mode, greetings()[0]), e); err == nil {
			if f := m.names.counts(ctx, e, r.Model); f != nil {
				return f
			}
			return nil
		}
		if !absent(err) {
			break
		}
	}
	return err
}
