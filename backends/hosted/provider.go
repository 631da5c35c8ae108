package hosted

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/strictjson"
)

// provider is what differs between providers.
type provider struct {
	// open makes langchaingo's client.
	open func(c backends.HostedConfig, t *transport) (*client, error)

	// route is the path of a request that langchaingo made, behind the base address.
	route func(u *url.URL) string

	// authorizer returns what puts the key into a request.
	authorizer func(k keys, region string) authorizer

	// complete puts into a request what langchaingo leaves out of it; nil = nothing.
	complete func(fields map[string]json.RawMessage, put putter, q question) error

	// reply reads a reply, and returns it in a form that langchaingo can read. The failure is for a reply that is no
	// answer; what it says is returned all the same, as far as it was read.
	reply func(body []byte) (wire *said, readable []byte, f *backends.Failure)

	// framed puts a reply into the frame that langchaingo expects of a route; nil = none.
	framed func(u *url.URL, body []byte) []byte

	// hear is what langchaingo read.
	hear func(res *llms.ContentResponse) (said, *backends.Failure)

	// refuse makes the failure of a status other than 200 more precise; nil = never.
	refuse func(f *backends.Failure, body []byte)

	// named says that every reply names the model that answered.
	named bool
}

// putter sets a field of a request; nil removes it.
type putter func(name string, v any) error

// authorizer puts the key into a request, last of all.
type authorizer func(req *http.Request, body []byte, now time.Time) error

// client is langchaingo's client of one provider.
type client struct {
	generate func(ctx context.Context, x *exchange) (*llms.ContentResponse, error)
	done     func() // nil = nothing is to be closed
}

// providerOf is the table of providers.
func providerOf(c backends.HostedConfig) (*provider, error) {
	switch c.Provider {
	case backends.Anthropic:
		return anthropicProvider(), nil
	case backends.GoogleAI:
		return googleProvider(), nil
	case backends.Mistral:
		return mistralProvider(), nil
	case backends.Cohere:
		return cohereProvider(), nil
	case backends.Bedrock:
		return bedrockProvider(c.Served)
	}
	return nil, fmt.Errorf("unknown provider %q", c.Provider)
}

// through is a client whose calls carry their exchange in the context.
func through(m llms.Model, more ...llms.CallOption) *client {
	return &client{generate: func(ctx context.Context, x *exchange) (*llms.ContentResponse, error) {
		return m.GenerateContent(withExchange(ctx, x), x.question.messages(), append(x.question.options(), more...)...)
	}}
}

// inHeader puts the key into a header, behind a prefix; without a key, nothing.
func inHeader(header, prefix string) func(keys, string) authorizer {
	return func(k keys, _ string) authorizer {
		return func(req *http.Request, _ []byte, _ time.Time) error {
			if k.key != "" {
				req.Header.Set(header, prefix+k.key)
			}
			return nil
		}
	}
}

// asWritten is the path that langchaingo wrote.
func asWritten(u *url.URL) string { return u.EscapedPath() }

// only returns the single choice of a result; its text is what all its choices say where parts of one answer come as
// choices.
func only(res *llms.ContentResponse) (*llms.ContentChoice, *backends.Failure) {
	if res == nil || len(res.Choices) != 1 || res.Choices[0] == nil {
		return nil, httpfailure.BadResponse("langchaingo read no single choice in the reply")
	}
	return res.Choices[0], nil
}

// count is a count of langchaingo's GenerationInfo; nil = it has none.
func count(info map[string]any, name string) *int {
	switch n := info[name].(type) {
	case int:
		return &n
	case int32:
		m := int(n)
		return &m
	}
	return nil
}

// unmarshal reads a reply strictly.
func unmarshal(body []byte, v any) *backends.Failure {
	if err := strictjson.Unmarshal(body, v); err != nil {
		return httpfailure.BadResponse("the response is no JSON we can read: %v", err)
	}
	return nil
}

// erred is the failure of a reply with status 200 that holds an error.
func erred(body []byte) *backends.Failure {
	_, message := httpfailure.Message(body)
	return &backends.Failure{Cause: backends.ServerError, Status: http.StatusOK, Message: message}
}

// holds reports whether a field says something.
func holds(b json.RawMessage) bool {
	switch strings.TrimSpace(string(b)) {
	case "", "null", `""`, "[]", "{}":
		return false
	}
	return true
}

// rewritten is a body with one field replaced.
func rewritten(body []byte, name string, v any) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, err
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	fields[name] = b
	return json.Marshal(fields)
}
