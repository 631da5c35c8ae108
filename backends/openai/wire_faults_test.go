package openai

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/backendtest"
)

// Every fault of a server, for chats and completions, classifications and
// generations, in both shapes of log-probabilities.
func TestWire(t *testing.T) {
	number := regexp.MustCompile(`"logprob":-?[0-9.e-]+`)
	first := func(text, with string) string { // the first log-probability
		at := number.FindStringIndex(text)
		return text[:at[0]] + `"logprob":` + with + text[at[1]:]
	}
	every := func(text, with string) string { return number.ReplaceAllString(text, `"logprob":`+with) }
	rewrite := backendtest.Rewritten
	own := []backendtest.WireFault{
		{Name: "missing choices", Do: rewrite(func(
			string) string {
			return `{"id":"x","usage":{"prompt_tokens":3,"completion_tokens":1}}`
		}), Cause: backends.BadResponse},
		{Name: "no choice", Do: rewrite(func(string) string { return `{"choices":[]}` }), Cause: backends.BadResponse},
		{Name: "two choices", Do: rewrite(func(good string) string {
			return strings.Replace(good, `"choices":[`, `"choices":[{"index":1,"text":"x","message":{"content":"x"}},`, 1)
		}), Cause: backends.BadResponse},
		{Name: "NaN", Do: rewrite(func(good string) string { return first(good, "NaN") }), Cause: backends.BadResponse},
		{Name: "−9999 everywhere", Do: rewrite(func(good string) string { return every(good, "-9999.0") }),
			Cause: backends.BadResponse},
		{Name: "a positive log-probability", Do: rewrite(func(good string) string { return first(good, "0.7") }),
			Cause: backends.BadResponse},
		{Name: "tokens too many", Do: rewrite(func(good string) string {
			more := strings.Repeat(`{"token":"","logprob":-1,"top_logprobs":[]},`, 9)
			return strings.Replace(good, `"content":[`, `"content":[`+more, 1)
		}), Cause: backends.BadResponse},
		{Name: "negative counts", Do: rewrite(func(good string) string {
			return strings.Replace(good, `"prompt_tokens":`,
				`"prompt_tokens":-`, 1)
		}), Cause: backends.BadResponse},
		{Name: "an error called success", Do: rewrite(func(string) string { return `{"error":{"message":"upstream died"}}` }),
			Cause: backends.ServerError},
		{Name: "given up", Do: rewrite(func(good string) string {
			return regexp.MustCompile(`"finish_reason":"\w+"`).ReplaceAllString(good, `"finish_reason":"abort"`)
		}), Cause: backends.ServerError},
		{Name: "taken away by a filter", Do: rewrite(func(good string) string {
			return regexp.MustCompile(`"finish_reason":"\w+"`).ReplaceAllString(good, `"finish_reason":"content_filter"`)
		}), Cause: backends.Refused, Lasting: true},
		{Name: "a call of a function, and of none", Do: rewrite(func(string) string {
			return `{"choices":[{"index":0,"message":{"content":null},"text":"","finish_reason":"function_call"}]}`
		}), Cause: backends.ToolCall, Lasting: true},
	}
	own = append(own, wireFaults()...)
	for _, test := range []struct {
		flavour string
		mode    backends.Mode
		own     []backendtest.WireFault
	}{
		{"ollama", backends.Chat, own}, {"llama.cpp", backends.Raw, own}, {"sglang", backends.Raw, wireFaults()}, {"tgi",
			backends.Chat, wireFaults()},
	} {
		t.Run(fmt.Sprint(test.flavour, " ", test.mode), func(t *testing.T) {
			t.Parallel()
			f := flavours[test.flavour]
			f.TopP = false // without a probe, nobody leaves it out
			s := &fake{Flavour: f}
			var reqs []backends.Request
			for i := range 3 {
				p := fmt.Sprintf("wire %d:", i)
				if test.flavour != "tgi" { // of whose 5 alternatives hardly one is a label
					reqs = append(reqs, backends.Request{Model: testID, Mode: test.mode, Prompt: p, Labels: three})
				}
				reqs = append(reqs, backends.Request{Model: testID, Mode: test.mode, Prompt: p, MaxTokens: 5})
			}
			backendtest.RunWire(t, backendtest.Wire{
				Server: s, Requests: reqs, Own: test.own,
				Asks: func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "completions") },
				Open: func(t *testing.T, url string, d time.Duration) backends.Model {
					return open(t, url+"/v1", func(c *backends.OpenAIConfig) {
						c.Labels, c.TopLogprobs, c.Timeout, c.CoolDown = backends.LabelsTopLogprobs, min(30,
							f.ChatTop), d, time.Millisecond
					})
				},
			})
		})
	}
}
