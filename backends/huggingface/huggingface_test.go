package huggingface_test

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/huggingface"
)

func open(t *testing.T, cfg backends.Config) *huggingface.Model {
	t.Helper()
	m, err := huggingface.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// reviews are classifications.
func reviews(id backends.ModelID, n int) []backends.Request {
	var out []backends.Request
	for i := range n {
		out = append(out, backends.Request{Model: id, Mode: backends.Raw,
			Prompt: fmt.Sprintf("Review: film %d, “so so”\nSentiment:", i), Labels: []string{" negative", " positive",
				" neither"}})
	}
	return out
}

// lookups are questions.
func lookups(id backends.ModelID, n int) []backends.Request {
	var out []backends.Request
	for i := range n {
		out = append(out, backends.Request{Model: id, Mode: backends.Raw, MaxTokens: 16,
			Prompt: fmt.Sprintf("Passage: Ada%d lives in Bonn.\nQuestion: who lives in Bonn, %d?\nAnswer:", i, i)})
	}
	return out
}

func TestSuite(t *testing.T) {
	for f := range formCount {
		t.Run(fmt.Sprintf("classification, form %d", f), func(t *testing.T) {
			cfg := serve(t, backends.ZeroShot, f).config()
			bad := reviews(cfg.Model, 4)
			bad[0].Labels = []string{" a", " a"}
			bad[1].Labels = []string{" a", " "}
			bad[2].Prompt = "no text here"
			bad[3].Labels, bad[3].MaxTokens = nil, 3
			backendtest.Run(t, func(t *testing.T) backends.Model { return open(t, cfg) },
				backendtest.Options{Requests: reviews(cfg.Model, 5), Bad: bad, Uncounted: true})
		})
	}
	for _, f := range []form{present, pipeline} {
		t.Run(fmt.Sprintf("questions, form %d", f), func(t *testing.T) {
			cfg := serve(t, backends.ExtractiveQA, f).config()
			bad := lookups(cfg.Model, 3)
			bad[0].Prompt = "Passage: only\nAnswer:"
			bad[1].Labels = []string{" a", " b"}
			bad[2].Prompt = "Passage:  \nQuestion: who?\nAnswer:"
			backendtest.Run(t, func(t *testing.T) backends.Model { return open(t, cfg) },
				backendtest.Options{Requests: lookups(cfg.Model, 5), Bad: bad, Uncounted: true})
		})
	}
}

// The scores come back as the server gave them.
func TestScores(t *testing.T) {
	for f := range formCount {
		e := serve(t, backends.ZeroShot, f)
		cfg := e.config()
		req := reviews(cfg.Model, 1)[0]
		as, err := open(t, cfg).Answer(t.Context(), []backends.Request{req})
		if err != nil || as[0].Failure != nil {
			t.Fatalf("%v, %v", err, as)
		}
		want := scores("film 0, “so so”", []string{"negative", "positive", "neither"})
		for i, l := range req.Labels {
			if got := as[0].Labels[i]; !got.Seen || math.Abs(math.Exp(got.Logprob)-want[strings.TrimSpace(l)]) > 1e-15 {
				t.Errorf("form %d: label %q has %v, want a probability of %v", f, l, got, want[strings.TrimSpace(l)])
			}
		}
		if as[0].Latency <= 0 {
			t.Errorf("form %d: latency %v", f, as[0].Latency)
		}
		sent := map[string]any{"inputs": "film 0, “so so”", "parameters": map[string]any{
			"candidate_labels": []any{"negative", "positive",
				"neither"}, "multi_label": false}}
		if diff := cmp.Diff(sent, e.last); diff != "" {
			t.Errorf("form %d: sent (-want +got):\n%s", f, diff)
		}
	}
	e := serve(t, backends.ExtractiveQA, pipeline)
	cfg := e.config()
	as, err := open(t, cfg).Answer(t.Context(), lookups(cfg.Model, 1))
	if err != nil || as[0].Failure != nil {
		t.Fatalf("%v, %v", err, as)
	}
	want := []backends.Token{{Text: "Ada0", Logprob: math.Log(fraction("who lives in Bonn, 0?", "Ada0 lives in Bonn."))}}
	if as[0].Text != "Ada0" || !cmp.Equal(as[0].Tokens, want) {
		t.Errorf("%q, %v, want %v", as[0].Text, as[0].Tokens, want)
	}
	sent := map[string]any{"inputs": map[string]any{"question": "who lives in Bonn, 0?", "context": "Ada0 lives in Bonn."}}
	if diff := cmp.Diff(sent, e.last); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
}

// What an endpoint says in the place of an answer is a failure of its kind without a secret, and leaves its neighbours
// alone.
func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fault  http.HandlerFunc
		cause  backends.Cause
		status int
		after  [2]time.Duration // RetryAfter is between these
		want   string           // in the message
	}{
		{name: "503 loading", fault: status(503, `{"error":"Model owner/name is currently loading","estimated_time":20.5}`),
			cause: backends.ServerError, status: 503,
			after: [2]time.Duration{20500 * time.Millisecond, 20500 * time.Millisecond}, want: "currently loading"},
		{name: "503 loading, the header says more", fault: status(503, `{"error":"loading","estimated_time":20}`,
			"Retry-After: 30"), cause: backends.ServerError, status: 503,
			after: [2]time.Duration{30 * time.Second, 30 * time.Second}},
		{name: "401 that repeats the token", fault: status(401, `{"error":"bad token `+secret+`"}`),
			cause: backends.Unauthorized, status: 401, want: "token"},
		{name: "403", fault: status(403, `{"error":["no","access"]}`), cause: backends.Unauthorized, status: 403,
			want: "no; access"},
		{name: "404", fault: status(404, `Not Found`), cause: backends.BadRequest, status: 404, want: "no model at this URL"},
		{name: "400 too long", fault: status(400, `{"error":"inputs must be less than 512 tokens"}`), cause: backends.TooLong,
			status: 400},
		{name: "an error that is called success", fault: says(`{"error":"out of memory, ` + secret + `"}`),
			cause: backends.ServerError, status: 200, want: "out of memory"},
		{name: "an empty list", fault: says(`[]`), cause: backends.BadResponse},
		{name: "an empty object", fault: says(`{}`), cause: backends.BadResponse},
		{name: "null", fault: says(`null`), cause: backends.BadResponse},
		{name: "a label too few", fault: says(`[{"label":"negative","score":0.75},{"label":"positive","score":0.25}]`),
			cause: backends.BadResponse, want: "2 labels"},
		{name: "a label twice", fault: says(`[{"label":"negative","score":0.5},{"label":"negative","score":0.25},{"label":"neither","score":0.25}]`), cause: backends.BadResponse, want: "twice"},
		{name: "another label", fault: says(`[{"label":"negative","score":0.5},{"label":"LABEL_1","score":0.25},{"label":"neither","score":0.25}]`), cause: backends.BadResponse, want: "LABEL_1"},
		{name: "no score", fault: says(`[{"label":"negative"},{"label":"positive","score":0.5},{"label":"neither","score":0.5}]`), cause: backends.BadResponse, want: "lacks"},
		{name: "fewer scores than labels",
			fault: says(`{"sequence":"x","labels":["negative","positive","neither"],"scores":[1]}`), cause: backends.BadResponse, want: "1 scores"},
		{name: "a null score", fault: says(`{"sequence":"x","labels":["negative","positive","neither"],"scores":[null,0.5,0.5]}`), cause: backends.BadResponse, want: "null"},
		{name: "NaN", fault: says(`[{"label":"negative","score":NaN},{"label":"positive","score":0.5},{"label":"neither","score":0.5}]`), cause: backends.BadResponse},
		{name: "a score of 2", fault: says(`[{"label":"negative","score":2},{"label":"positive","score":0},{"label":"neither","score":0}]`), cause: backends.BadResponse, want: "no probability"},
		{name: "a score below 0", fault: says(`[{"label":"negative","score":-0.5},{"label":"positive","score":0.75},{"label":"neither","score":0.75}]`), cause: backends.BadResponse, want: "no probability"},
		{name: "labels scored one by one",
			fault: says(`[{"label":"negative","score":0.9},{"label":"positive","score":0.8},{"label":"neither","score":0.1}]`),
			cause: backends.BadResponse, want: "multi_label"},
		{name: "a score twice", fault: says(`[{"label":"negative","score":0.1,"score":0.5},{"label":"positive","score":0.25},{"label":"neither","score":0.25}]`), cause: backends.BadResponse, want: "duplicate object member name"},
		{name: "invalid UTF-8", fault: says("[{\"label\":\"negative\xff\",\"score\":1}]"), cause: backends.BadResponse,
			want: "UTF-8"},
		{name: "two answers", fault: says(`[{"sequence":"x","labels":["a"],"scores":[1]},{"sequence":"y","labels":["a"],"scores":[1]}]`), cause: backends.BadResponse, want: "2 texts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := serve(t, backends.ZeroShot, present)
			cfg := e.config(func(c *backends.HuggingFaceConfig) { c.MaxBody, c.Concurrency = 1<<20, 1 })
			m := open(t, cfg)
			reqs := reviews(cfg.Model, 3)
			e.script["film 1, “so so”"] = []http.HandlerFunc{tt.fault}
			if tt.after[1] > 0 {
				reqs = reqs[:2] // what a server asks to wait holds back what comes after it
			}
			as, err := m.Answer(t.Context(), reqs)
			if err != nil {
				t.Fatal(err)
			}
			f := as[1].Failure
			if f == nil || f.Cause != tt.cause || f.Status != tt.status || f.Message == "" ||
				!strings.Contains(f.Message, tt.want) {
				t.Fatalf("failure %+v, want %s, status %d, %q", f, tt.cause, tt.status, tt.want)
			}
			if f.RetryAfter < tt.after[0] || f.RetryAfter > tt.after[1] {
				t.Errorf("retry after %v, want %v", f.RetryAfter, tt.after)
			}
			if strings.Contains(fmt.Sprintf("%v %+v", f, *f), secret[:8]) || len(f.Message) > 1000 {
				t.Errorf("the message holds the token or too much: %.200q", f.Message)
			}
			for i := 0; i < len(as); i += 2 {
				if as[i].Failure != nil {
					t.Errorf("its neighbour %d failed: %v", i, as[i].Failure)
				}
			}
		})
	}
}

func TestQuestionFaults(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"no score", `{"answer":"Ada"}`, "lacks"},
		{"no answer", `{"score":0.5}`, "lacks"},
		{"an empty list", `[]`, "empty"},
		{"another form", `[[{"label":"x","score":1}]]`, "no JSON we can read"},
		{"a score of 7", `{"answer":"Ada","score":7}`, "no probability"},
		{"a text for a score", `{"answer":"Ada","score":"high"}`, "no JSON we can read"},
		{"truncated", `{"answer":"Ad`, "unexpected EOF"},
		{"a span of another text", `{"answer":"Grace","score":0.5,"start":0,"end":5}`, "not in the passage"},
		{"a span beyond the passage", `{"answer":"Ada0","score":0.5,"start":0,"end":400}`, "spans 0 to 400"},
		{"a span before the passage", `{"answer":"Ada0","score":0.5,"start":-1,"end":4}`, "spans -1"},
		{"a span that ends before it begins", `{"answer":"Ada0","score":0.5,"start":4,"end":1}`, "spans 4 to 1"},
		{"a score twice", `{"answer":"Ada0","score":0.1,"score":0.5}`, "duplicate object member name"},
		{"a score in capitals", `{"answer":"Ada0","Score":0.5}`, "lacks"},
		{"a score twice in a list", `[{"answer":"Ada0","score":0.1,"score":0.5}]`, "duplicate object member name"},
		{"no UTF-8", "{\"answer\":\"Ada\xff\",\"score\":0.5}", "UTF-8"},
	} {
		e := serve(t, backends.ExtractiveQA, present)
		e.script["who lives in Bonn, 0?"] = []http.HandlerFunc{says(tt.body)}
		cfg := e.config()
		as, err := open(t, cfg).Answer(t.Context(), lookups(cfg.Model, 1))
		if err != nil {
			t.Fatal(err)
		}
		if f := as[0].Failure; f == nil || f.Cause != backends.BadResponse || !strings.Contains(f.Message, tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, f, tt.want)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Setenv("INFNET_TEST_TOKEN", secret)
	for _, tt := range []struct {
		name   string
		change func(*backends.HuggingFaceConfig)
		want   string // in the error; "" = opens
	}{
		{"as it should be", func(*backends.HuggingFaceConfig) {}, ""},
		{"the token's variable", func(c *backends.HuggingFaceConfig) { c.APIKey, c.APIKeyEnv = "", "INFNET_TEST_TOKEN" }, ""},
		{"a variable that is not set", func(c *backends.HuggingFaceConfig) { c.APIKey, c.APIKeyEnv = "", "INFNET_TEST_NONE" },
			"INFNET_TEST_NONE"},
		{"no URL", func(c *backends.HuggingFaceConfig) { c.URLs = []string{""} }, "router.huggingface.co"},
		{"the dead host", func(c *backends.HuggingFaceConfig) {
			c.URLs = []string{"https://api-inference.huggingface.co/models/x"}
		},
			"answers no more"},
		{"a name", func(c *backends.HuggingFaceConfig) { c.URLs = []string{"facebook/bart-large-mnli"} }, "url 1"},
		{"a password", func(c *backends.HuggingFaceConfig) { c.URLs = []string{"https://u:hunter2@x"} }, "user or password"},
		{"no task", func(c *backends.HuggingFaceConfig) { c.Task = "" }, "zero-shot-classification"},
		{"a broken token", func(c *backends.HuggingFaceConfig) { c.APIKey = "hf_x\r\nX: y" }, "no key has"},
		{"a negative time", func(c *backends.HuggingFaceConfig) { c.Timeout = -1 }, "above zero"},
	} {
		c := backends.HuggingFaceConfig{Access: backends.Access{URLs: []string{"https://x.example"}, APIKey: secret},
			HuggingFaceOptions: backends.HuggingFaceOptions{Task: backends.ZeroShot}}
		tt.change(&c)
		_, err := huggingface.Open(backends.Config{Model: backends.ModelID{ID: "m"}, Settings: &c})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "hf_")) {
			t.Errorf("%s: a secret is in %q", tt.name, err)
		}
	}
	if _, err := huggingface.Open(backends.Config{}); err == nil {
		t.Error("no settings: no error")
	}
}

// What changes answers changes the revision; where the model is does not.
func TestRevision(t *testing.T) {
	base := backends.HuggingFaceConfig{Access: backends.Access{URLs: []string{"https://a"}},
		HuggingFaceOptions: backends.HuggingFaceOptions{Task: backends.ZeroShot}}
	seen := map[string]bool{base.Revision("1"): true, base.Revision("2"): true}
	for _, change := range []func(*backends.HuggingFaceConfig){
		func(c *backends.HuggingFaceConfig) { c.Task = backends.ExtractiveQA },
		func(c *backends.HuggingFaceConfig) { c.Text = "x" }, func(c *backends.HuggingFaceConfig) { c.End = "x" },
	} {
		c := base
		change(&c)
		seen[c.Revision("1")] = true
	}
	if len(seen) != 5 {
		t.Errorf("%d revisions of 5 different settings", len(seen))
	}
	c := base
	c.URLs, c.APIKey, c.Concurrency, c.Timeout = []string{"https://b"}, secret, 3, 4
	if c.Revision("1") != base.Revision("1") {
		t.Error("the URL or the token changes the revision")
	}
}
