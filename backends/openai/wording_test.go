package openai

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"infnet/backends"
)

// firstReply is a chat completion of one token and its alternatives.
func firstReply(first string, p float64, others map[string]float64) string {
	token := func(text string, p float64) map[string]any {
		return map[string]any{"token": text, "logprob": math.Log(p)}
	}
	list := []any{token(first, p)}
	for text, q := range others {
		list = append(list, token(text, q))
	}
	e := token(first, p)
	e["top_logprobs"] = list
	b, err := json.Marshal(map[string]any{
		"choices": []any{map[string]any{"index": 0, "finish_reason": "length",
			"logprobs": map[string]any{"content": []any{e}}, "message": map[string]any{"role": "assistant", "content": first}}},
		"usage": map[string]any{"prompt_tokens": 5, "completion_tokens": 1}})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// A first token of every kind beside "negative" at .30 and "positive" at .08: it is the label that it says, with what
// the label's other tokens have (.45 + .08, by hand), or it is no answer. What the program before did with each kind is
// measured in backends/wording/README.md: of these only ' positive' got its probability, as a form of the label.
func TestFirstTokenOfEveryKind(t *testing.T) {
	labels := []string{"positive", "negative"}
	for _, c := range []struct {
		kind, token string
		want        float64 // probability on positive; 0 = no answer
	}{
		{"as asked", " positive", .53}, {"another case", "Positive", .53}, {"capitals", "POSITIVE", .53},
		{"a beginning", "Pos", .53}, {"a quote before it", `"positive`, .53}, {"bold", "**positive", .53},
		{"a Cyrillic о", "pоsitive", .53}, {"full width", "ｐositive", .53},
		{"a no-break space before it", "\u00a0positive", .53}, {"an invisible character", "\u200bpositive", .53},
		{"a quote alone", `"`, 0}, {"a bold mark", "**", 0}, {"a line break", "\n", 0}, {"a no-break space", "\u00a0", 0},
		{"not", "not", 0}, {"an article", "The", 0}, {"a longer word", "positively", 0}, {"an announcement", "Answer", 0},
		{"thoughts", "<think>", 0}, {"the end", "<eos>", 0}, {"the prompt again", "Review", 0},
	} {
		body := firstReply(c.token, .45, map[string]float64{"negative": .30, "positive": .08})
		m := open(t, static(t, says(200, body)), func(o *backends.OpenAIConfig) { o.Labels = backends.LabelsTopLogprobs })
		r := backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", Labels: labels}
		a := ask(t, m, r)
		switch f := backends.Check(r, a); {
		case c.want == 0 && (f == nil || f.Cause != backends.NoLabel || f.Temporary() || !f.Cause.Unsaid()):
			t.Errorf("%s (%q): %q, %+v: want a lasting %s", c.kind, c.token, a.Text, f, backends.NoLabel)
		case c.want > 0 && (f != nil || a.Text != "positive" || math.Abs(math.Exp(a.Labels[0].Logprob)-c.want) > 1e-9 ||
			math.Abs(math.Exp(a.Labels[1].Logprob)-.3) > 1e-9 || math.Abs(a.LabelMass.Low-c.want-.3) > 1e-9):
			t.Errorf("%s (%q): %q, %+v, mass %+v, %v: want %v on positive", c.kind, c.token, a.Text, a.Labels, a.LabelMass, f,
				c.want)
		}
	}
}

// Labels of which one begins another: refused where the server tells no tokens, by the check-up as well, and told apart
// where it does, or by the text.
func TestNestedLabels(t *testing.T) {
	for _, labels := range [][]string{{"A", "AB"}, {"1", "10"}, {"no", "not sure"}} {
		body := firstReply(labels[0], .9, map[string]float64{"x": .01})
		for _, mode := range []backends.LabelMode{backends.LabelsTopLogprobs, backends.LabelsText} {
			m := open(t, static(t, says(200, body)), func(o *backends.OpenAIConfig) { o.Labels = mode })
			a := ask(t, m, backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", Labels: labels})
			if f := a.Failure; (f == nil) != (mode == backends.LabelsText) || f != nil && f.Cause != backends.BadRequest {
				t.Errorf("%q by %s: %+v", labels, mode, a)
			}
		}
	}
	nested := []string{" the", " the cat"}
	for name, told := range map[string]bool{"ollama": false, "openai": false} {
		_, url := serve(t, flavours[name])
		found, _ := open(t, url).Examine(t.Context(), backends.Examination{Mode: backends.Chat, Labels: [][]string{nested},
			Student: true})
		broken := false
		for _, f := range found {
			broken = broken || f.Question == "label tokens" && f.Verdict == backends.Broken
		}
		if broken == told {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// What a reply holds besides an answer, in generations and classifications by the text.
func TestLeftoversOfEveryKind(t *testing.T) {
	const prompt = "What is the sentiment of this review?"
	for _, c := range []struct {
		kind, message string
		want          backends.Cause
	}{
		{"plain", `"content":"positive"`, ""},
		{"thoughts", `"content":"<think>hm</think>positive"`, backends.Thoughts},
		{"the end of thoughts", `"content":"hm</think>positive"`, backends.Thoughts},
		{"a channel", `"content":"<|channel|>final<|message|>positive"`, backends.Thoughts},
		{"thoughts, and the end of a turn", `"content":"<think>hm</think>positive<|im_end|>"`, backends.Template},
		{"the end of a turn", `"content":"positive<|im_end|>"`, backends.Template},
		{"the end of a text", `"content":"positive</s>"`, backends.Template},
		{"the prompt", `"content":"` + prompt + ` positive"`, backends.Template},
		{"a call in the text", `"content":"positive <tool_call>{}</tool_call>"`, backends.ToolCall},
		{"a call with words beside it", `"content":"positive","tool_calls":[{"id":"1","function":{"name":"f"}}]`,
			backends.ToolCall},
	} {
		body := fmt.Sprintf(`{"choices":[{"index":0,"message":{%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,`+
			`"completion_tokens":2}}`, c.message)
		m := open(t, static(t, says(200, body)), func(o *backends.OpenAIConfig) { o.NoLogprobs = true })
		for _, r := range []backends.Request{
			{Model: testID, Mode: backends.Chat, Prompt: prompt, MaxTokens: 20},
			{Model: testID, Mode: backends.Chat, Prompt: prompt, Labels: []string{"positive", "negative"}},
		} {
			f := backends.Check(r, ask(t, m, r))
			if (f == nil) != (c.want == "") || f != nil && (f.Cause != c.want || f.Temporary() || !f.Cause.Unsaid()) {
				t.Errorf("%s, %d labels: %+v, want %q", c.kind, len(r.Labels), f, c.want)
			}
		}
	}
}

// One reply in ten has no log-probabilities: the label mode that is found, and kept for good, is the one of a server
// that never lacks them, in each of many runs; where one was seen, the check-up says that it contradicts itself.
func TestFlakyRepliesDecideNothing(t *testing.T) {
	told := 0
	for run := range 12 {
		s := &fake{Flavour: flavours["ollama"]}
		n := run // which calls are flaky
		_, url := serveThrough(t, s, func(body []byte, path string) []byte {
			if n++; n%10 != 0 && n%10 != 1 {
				return body
			}
			var v map[string]any
			if json.Unmarshal(body, &v) != nil || v["choices"] == nil {
				return body
			}
			v["choices"].([]any)[0].(map[string]any)["logprobs"] = nil
			out, _ := json.Marshal(v)
			return out
		})
		m := open(t, url)
		p, err := m.Probe(t.Context(), backends.Chat)
		if err != nil || p.mode(backends.Chat) != backends.LabelsTopLogprobs {
			t.Errorf("run %d: %s (%v), want %s", run, p.mode(backends.Chat), err, backends.LabelsTopLogprobs)
		}
		found, _ := m.Examine(t.Context(), backends.Examination{Mode: backends.Chat})
		f, _ := finding(found, "log-probabilities")
		if says := strings.Contains(f.Found, "contradicts itself"); says != (f.Verdict == backends.Doubt) {
			t.Errorf("run %d: %+v", run, f)
		} else if says {
			told++
		}
	}
	if told == 0 || told == 12 {
		t.Errorf("the check-up says in %d of 12 runs that the server contradicts itself", told)
	}
}

// serveThrough serves a fake whose replies are changed on the way.
func serveThrough(t *testing.T, s *fake, change func(body []byte, path string) []byte) (*fake, string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{header: http.Header{}}
		s.ServeHTTP(rec, r)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(rec.status)
		_, _ = w.Write(change(rec.body, r.URL.Path))
	}))
	t.Cleanup(srv.Close)
	return s, srv.URL + "/v1"
}

// recorder keeps a reply.
type recorder struct {
	header http.Header
	status int
	body   []byte
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(b []byte) (int, error) { r.body = append(r.body, b...); return len(b), nil }
