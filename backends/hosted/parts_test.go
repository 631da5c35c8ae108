package hosted_test

import (
	"net/http"
	"strings"
	"testing"

	"infnet/backends"
)

// says answers every call with one body.
func says(t *testing.T, f form, body string) (*fake, backends.Config) {
	t.Helper()
	s := serve(t, f)
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	})
	return s, s.config()
}

// What langchaingo's clients would misread: what they return by themselves is in the comments.
func TestWhatClientsLose(t *testing.T) {
	counted := func(prompt, completion, cached int) backends.Usage {
		return backends.Usage{Prompt: backends.Counted(prompt), Completion: backends.Counted(completion), Cached: cached}
	}
	for _, tt := range []struct {
		name   string
		form   form
		body   string
		text   string
		finish backends.Finish
		usage  backends.Usage
	}{
		{ // two choices, of which callers take the first
			"two blocks of text", claudeForm(), `{"type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929",
			"content":[{"type":"text","text":"Ada "},{"type":"text","text":"wrote it."}],"stop_reason":"end_turn",
			"usage":{"input_tokens":9,"output_tokens":5}}`, "Ada wrote it.", backends.FinishEnd, counted(9, 5, 0),
		},
		{ // an error: unknown content type
			"redacted thoughts", claudeForm(), `{"type":"message","role":"assistant","model":"claude-sonnet-4-5",
			"content":[{"type":"redacted_thinking","data":"x"},{"type":"text","text":"Ada."}],"stop_reason":"stop_sequence",
			"usage":{"input_tokens":9,"output_tokens":15}}`, "Ada.", backends.FinishEnd, counted(9, 15, 0),
		},
		{ // an error: no response
			"an empty answer", claudeForm(), `{"type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[],
			"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":0}}`, "", backends.FinishEnd, counted(9, 0, 0),
		},
		{ // counts of 0
			"no usage", claudeForm(), `{"type":"message","role":"assistant","model":"claude-sonnet-4-5",
			"content":[{"type":"text","text":"Ada."}],"stop_reason":"end_turn"}`, "Ada.", backends.FinishEnd, backends.Usage{},
		},
		{ // 50,000 tokens where 16 were allowed
			"more than was allowed", claudeForm(), `{"type":"message","role":"assistant","model":"claude-sonnet-4-5",
			"content":[{"type":"text","text":"Ada."}],"stop_reason":"end_turn","usage":{"input_tokens":9,
			"output_tokens":50000}}`, "Ada.", backends.FinishEnd, backends.Usage{Prompt: backends.Counted(9), Odd: true},
		},
		{
			"a cut answer", claudeForm(), `{"type":"message","role":"assistant","model":"claude-sonnet-4-5",
			"content":[{"type":"text","text":"Ada"}],"stop_reason":"max_tokens","usage":{"input_tokens":9,"output_tokens":16,
			"cache_read_input_tokens":1024}}`, "Ada", backends.FinishLength, counted(1033, 16, 1024),
		},
	} {
		t.Run(string(tt.form.provider)+" "+tt.name, func(t *testing.T) {
			_, cfg := says(t, tt.form, tt.body)
			got, err := open(t, cfg).Answer(t.Context(), requests(cfg.Model, tt.form.served)[1:2])
			if err != nil || got[0].Failure != nil {
				t.Fatalf("%v, %v", got[0].Failure, err)
			}
			if a := got[0]; a.Text != tt.text || a.Finish != tt.finish || a.Usage != tt.usage {
				t.Errorf("%q (%s) %+v, want %q (%s) %+v", a.Text, a.Finish, a.Usage, tt.text, tt.finish, tt.usage)
			}
		})
	}
}

// Which names in replies are the model that was asked.
func TestWhoAnswers(t *testing.T) {
	for _, tt := range []struct {
		asked, replied string
		same           bool
	}{
		{"claude-sonnet-4-5", "claude-sonnet-4-5", true},
		{"claude-sonnet-4-5", "claude-sonnet-4-5-20250929", true},
		{"claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022", true},
		{"claude-sonnet-4-5-20250929", "claude-sonnet-4-5", false},
		{"claude-sonnet-4", "claude-sonnet-4-5", false},
		{"claude-opus-4", "claude-opus-4-1-20250805", false},
		{"claude-sonnet-4-5", "claude-haiku-4-5", false},
		{"claude-sonnet-4-5", "", false},
	} {
		_, cfg := says(t, claudeForm(), `{"type":"message","role":"assistant","model":"`+tt.replied+`",
			"content":[{"type":"text","text":"Ada."}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":2}}`)
		c, ok := cfg.Settings.(*backends.HostedConfig)
		if !ok {
			t.Fatal("no settings")
		}
		c.Served = tt.asked
		got, err := open(t, cfg).Answer(t.Context(), requests(cfg.Model, tt.asked)[1:2])
		if err != nil {
			t.Fatal(err)
		}
		if f := got[0].Failure; (f == nil) != tt.same ||
			f != nil && tt.replied != "" && !strings.Contains(f.Message, tt.replied) {
			t.Errorf("%q asked, %q answers: %v", tt.asked, tt.replied, f)
		} else if f == nil && got[0].Model != tt.replied {
			t.Errorf("answered by %q, recorded %q", tt.replied, got[0].Model)
		}
	}
}
