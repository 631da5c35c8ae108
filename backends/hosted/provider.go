package hosted

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/strictjson"
)

// client asks through langchaingo's client of the provider. The calls carry their exchange in the context.
type client struct{ model llms.Model }

func (c client) generate(ctx context.Context, x *exchange) (*llms.ContentResponse, error) {
	return c.model.GenerateContent(withExchange(ctx, x), x.question.messages(), x.question.options()...)
}

// count is a count of langchaingo's GenerationInfo; nil = it has none.
func count(info map[string]any, name string) *int {
	if n, ok := info[name].(int); ok {
		return &n
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
