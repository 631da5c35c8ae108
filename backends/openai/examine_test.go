package openai

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"infnet/backends"
)

// finding is the first finding about a question.
func finding(found []backends.Finding, question string) (backends.Finding, bool) {
	for _, f := range found {
		if f.Question == question {
			return f, true
		}
	}
	return backends.Finding{}, false
}

// What each kind of server is told of itself. The expectations follow from
// what the fakes offer, flavour by flavour.
func TestExamineFlavours(t *testing.T) {
	words := [][]string{{" positive", " negative"}}
	for _, c := range []struct {
		flavour string
		mode    backends.Mode
		student bool
		want    map[string]backends.Verdict
		says    map[string]string
	}{
		{flavour: "vllm", mode: backends.Raw, student: true,
			want: map[string]backends.Verdict{"reachable": backends.Fine, "server": backends.Fine, "serves": backends.Fine,
				"log-probabilities": backends.Fine,
				"labels":            backends.Fine, "label tokens": backends.Fine,
				"context": backends.Fine},
			says: map[string]string{"server": "vllm 1.2.3", "serves": "m", "log-probabilities": "in raw, 20 alternatives",
				"labels": "token-ids", "label tokens": "positive, negative: single and distinct", "context": "4096 tokens"}},
		{flavour: "ollama", mode: backends.Chat, student: true,
			want: map[string]backends.Verdict{"log-probabilities": backends.Fine, "label tokens": backends.Unknown,
				"labels": backends.Fine},
			says: map[string]string{"labels": "top-logprobs",
				"label tokens": "does not tell how it splits them; matched by prefix"}},
		{flavour: "ollama", mode: backends.Raw, student: true,
			want: map[string]backends.Verdict{"log-probabilities": backends.Broken, "labels": backends.Broken},
			says: map[string]string{"log-probabilities": "none in raw"}},
		{flavour: "openai", mode: backends.Raw, student: true,
			want: map[string]backends.Verdict{"mode raw": backends.Broken}},
		{flavour: "hosted", mode: backends.Chat, student: true,
			want: map[string]backends.Verdict{"server": backends.Unknown, "log-probabilities": backends.Broken,
				"labels": backends.Broken}},
		{flavour: "hosted", mode: backends.Chat, student: false,
			want: map[string]backends.Verdict{"log-probabilities": backends.Fine, "labels": backends.Fine}},
	} {
		_, url := serve(t, flavours[c.flavour])
		m := open(t, url)
		found, alive := m.Examine(context.Background(), backends.Examination{Mode: c.mode, Student: c.student, Labels: words})
		if !alive {
			t.Errorf("%s: not alive: %+v", c.flavour, found)
		}
		for question, verdict := range c.want {
			f, ok := finding(found, question)
			if !ok || f.Verdict != verdict || !strings.Contains(f.Found, c.says[question]) {
				t.Errorf("%s %s student=%v: %q is %+v (asked: %v), want verdict %d and %q", c.flavour, c.mode, c.student, question,
					f, ok, verdict, c.says[question])
			}
			if f.Verdict == backends.Broken && f.Fix == "" {
				t.Errorf("%s: %q is broken, and no fix is named", c.flavour, question)
			}
		}
	}
}

// Labels that begin with the server's same token are named, with the way out.
func TestExamineLabelsOfOneToken(t *testing.T) {
	_, url := serve(t, flavours["vllm"])
	m := open(t, url)
	found, _ := m.Examine(context.Background(),
		backends.Examination{Mode: backends.Raw, Student: true, Labels: [][]string{{" positive", " positively"}}})
	if f, _ := finding(found, "label tokens"); f.Verdict != backends.Broken ||
		!strings.Contains(f.Found, `" positively"`) || f.Fix == "" {
		t.Errorf("label tokens: %+v", f)
	}
}

// A server that is not there, or wants a key, is one finding with its fix.
func TestExamineWhatDoesNotAnswer(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	locked := newServer(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) })
	for _, c := range []struct{ name, url, fix string }{
		{name: "closed", url: closed.URL + "/v1", fix: "start the server"},
		{name: "locked", url: locked + "/v1", fix: "api_key_env"},
	} {
		m := open(t, c.url)
		found, alive := m.Examine(context.Background(), backends.Examination{Mode: backends.Chat})
		if alive || len(found) != 1 || found[0].Verdict != backends.Broken || !strings.Contains(found[0].Fix, c.fix) {
			t.Errorf("%s: alive %v, %+v; want one broken finding whose fix names %q", c.name, alive, found, c.fix)
		}
	}
}
