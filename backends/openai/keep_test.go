package openai

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/httpfailure"
)

// rawServer answers chat completions on bare connections; after says what it
// says next to the answer, of which it is given the text.
func rawServer(t *testing.T, after func(c net.Conn, good string)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	var count atomic.Int64
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				in := bufio.NewReader(c)
				for {
					req, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					body, _ := io.ReadAll(req.Body)
					// The chosen label is the prompt's, which says its own number.
					label, other := "a", "b"
					if strings.Contains(string(body), "odd") {
						label, other = "b", "a"
					}
					text := strings.Replace(chatty("-0.5", fmt.Sprintf(`{"token":" %s","logprob":-0.5},{"token":" %s","logprob":-1.5}`,
						label, other)), `{"choices"`, fmt.Sprintf(`{"id":"chatcmpl-%032x","model":"m","choices"`, count.Add(1)), 1)
					text = strings.NewReplacer(`"content":" a"`, `"content":" `+label+`"`, `[{"token":" a","logprob":-0.5,"top`,
						`[{"token":" `+label+`","logprob":-0.5,"top`).Replace(text)
					after(c, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
						len(text), text))
				}
			}()
		}
	}()
	return "http://" + l.Addr().String() + "/v1"
}

// A server that says each reply twice, at whatever moment, puts none into another request's record: replies have ids,
// and one that comes a second time is refused, and asked again.
func TestStrayResponses(t *testing.T) {
	for _, moment := range []struct {
		name string
		wait time.Duration // before the stray response; < 0 = in the same packet
	}{{"in the same packet", -1}, {"while the next request is written", 300 * time.Microsecond},
		{"while idle", 20 * time.Millisecond}} {
		t.Run(moment.name, func(t *testing.T) {
			t.Parallel()
			url := rawServer(t, func(c net.Conn, good string) {
				if moment.wait < 0 {
					_, _ = io.WriteString(c, good+good)
					return
				}
				_, _ = io.WriteString(c, good)
				time.Sleep(moment.wait)
				_, _ = io.WriteString(c, good)
			})
			m := open(t, url, func(c *backends.OpenAIConfig) { c.Labels, c.Concurrency = backends.LabelsTopLogprobs, 2 })
			var reqs []backends.Request
			for i := range 60 {
				reqs = append(reqs, backends.Request{Model: testID, Mode: backends.Chat,
					Prompt: fmt.Sprintf("%s %d", []string{"even", "odd"}[i%2], i), MaxTokens: 1})
			}
			as, err := m.Answer(t.Context(), reqs)
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range as {
				switch {
				case a.Failure != nil && !a.Failure.Temporary():
					t.Errorf("request %d: %v", i, a.Failure)
				case a.Failure == nil && a.Text != []string{" a", " b"}[i%2]:
					t.Errorf("request %d was answered with %q: another prompt's response", i, a.Text)
				}
			}
		})
	}
}

// Wherever a server repeats a key or a header's value, and however it writes
// it, nothing of eight characters of it is kept.
func TestRepeatedSecrets(t *testing.T) {
	const key, header = "sk-very/Secret_123-xyz", "tenant+secret:456"
	each := func(format string) func(string) string {
		return func(s string) string {
			out := ""
			for i := range len(s) {
				out += fmt.Sprintf(format, s[i])
			}
			return out
		}
	}
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	for _, e := range []struct {
		name   string
		encode func(string) string
	}{
		{"plain", func(s string) string { return s }}, {"percent", url.QueryEscape}, {"percent, small letters",
			each("%%%02x")},
		{"JSON", func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "/", `\/`), "-", `\u002d`) }},
		{"basic authentication",
			func(s string) string { return base64.StdEncoding.EncodeToString([]byte("user:" + s)) }},
	} {
		for _, secret := range []string{key, header} {
			said := e.encode(secret)
			text := escape.Replace(said)
			if e.name == "JSON" {
				text = said
			}
			half := len(secret) / 2
			token := func(s string) string { return `{"token":"` + s + `","logprob":-0.5}` }
			reply := func(content, tokens string) http.HandlerFunc {
				return says(200, `{"choices":[{"index":0,"message":{"content":"`+content+`"},"finish_reason":"length","logprobs":{"content":[`+tokens+`]}}]}`)
			}
			for _, where := range []struct {
				name   string
				server http.HandlerFunc
			}{
				{"an error", says(401, `{"error":{"message":"Incorrect key: `+text+`"}}`)},
				{"an error across the cut", says(401,
					`{"error":{"message":"`+strings.Repeat("x", httpfailure.Longest-len(secret)/2)+text+`"}}`)},
				{"an error across the cut of a page", says(500, strings.Repeat("x", httpfailure.Longest-9)+said)},
				{"an error called success", says(200, `{"error":{"message":"Incorrect key: `+text+`"}}`)},
				{"a redirect", says(307, "", "Location: https://else.where/"+url.PathEscape(said))},
				{"a content type", says(200, "{", "Content-Type: "+said)},
				{"an answer", reply("it is "+text, token("it is "+text))},
				{"an answer in parts", reply(secret, token(secret[:half])+","+token(secret[half:]))},
				{"an alternative", reply("a", `{"token":"a","logprob":-0.5,"top_logprobs":[{"token":"`+text+`","logprob":-3}]}`)},
				{"another text's tokens", reply("zebra", token(text))},
				{"a finish reason", says(200, `{"choices":[{"index":7,"message":{"content":"a"}}],"error":{"`+text+`":1}}`)},
				{"a wrong member", says(200, `{"choices":"`+text+`"}`)},
			} {
				m := open(t, static(t, where.server), func(c *backends.OpenAIConfig) {
					c.Labels, c.APIKey, c.Headers = backends.LabelsTopLogprobs, key, map[string]backends.Secret{"X-Tenant": header}
				})
				r := backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", MaxTokens: 4, TopLogprobs: 1}
				a := backends.Pass(r, ask(t, m, r))
				kept := fmt.Sprintf("%+v %v", a, a.Failure)
				if a.Failure == nil {
					t.Errorf("%s, %s: answered with %q", e.name, where.name, a.Text)
				}
				if m.wire.Secrets.Holds(kept) || strings.Contains(kept, secret[:8]) {
					t.Errorf("%s, %s: kept %s", e.name, where.name, kept)
				}
				if p, err := m.Probe(t.Context()); m.wire.Secrets.Holds(fmt.Sprintf("%v %v", p, err)) {
					t.Errorf("%s, %s: the probe keeps %v %v", e.name, where.name, p, err)
				}
				found, _ := m.Examine(t.Context(), backends.Examination{Mode: backends.Chat, Student: true})
				if m.wire.Secrets.Holds(fmt.Sprintf("%v", found)) {
					t.Errorf("%s, %s: the check-up says %v", e.name, where.name, found)
				}
			}
		}
	}
}
