package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// shippedSpec is the path of a study that comes with infnet.
func shippedSpec(t *testing.T, study string) string {
	t.Helper()
	path := must(filepath.Abs(filepath.Join(root, "experiments", study+".toml")))
	return path
}

// shipped runs a study that comes with infnet against servers of its own, and returns its tables.
func shipped(t *testing.T, study, servers string) string {
	t.Helper()
	path := shippedSpec(t, study)
	t.Chdir(t.TempDir())
	save(t, "servers.toml", servers)
	args := []string{path, "--use", "servers.toml"}
	infnet(t, ExitOK, append([]string{"check"}, args...)...)
	infnet(t, ExitOK, append([]string{"run"}, args...)...)
	first := must(os.ReadFile(filepath.Join("runs", study, "tables/policies.md")))
	if strings.Contains(string(first), "incomplete") {
		t.Errorf("answers are missing:\n%s", first)
	}
	infnet(t, ExitOK, append([]string{"run", "--offline"}, args...)...)
	second, err := os.ReadFile(filepath.Join("runs", study, "tables/policies.md"))
	if err != nil || string(second) != string(first) {
		t.Errorf("offline, the tables differ (%v)", err)
	}
	return string(first)
}

// hostedMaster answers as Anthropic's Messages API does (platform.claude.com/docs/en/api, November 2026), rightly in
// most cases.
type hostedMaster struct {
	t     *testing.T
	mu    sync.Mutex
	calls int
}

func (h *hostedMaster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Model, System string
		Temperature   float64
		Messages      []struct {
			Role    string
			Content []struct{ Type, Text string }
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.URL.Path != "/v1/messages" ||
		r.Header.Get("X-Api-Key") != hushed || len(q.Messages) != 1 {
		h.t.Errorf("%s %+v, %v", r.URL, q, err)
		return
	}
	if prompt := q.Messages[0].Content[0].Text; q.System == "" && strings.Contains(prompt, "\n") {
		h.t.Errorf("a record without the study's system prompt: %q", prompt)
	}
	h.mu.Lock()
	h.calls++
	n := h.calls
	h.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if n == 3 { // and once it is busy
		w.WriteHeader(529)
		fmt.Fprint(w, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded `+hushed+`"}}`)
		return
	}
	text := guess(q.Messages[0].Content[0].Text)
	if q.Temperature > 0 && n%4 == 0 { // a quarter of the samples
		text = "nothing"
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"id": fmt.Sprintf("msg_%024d", n), "type": "message", "role": "assistant", "model": q.Model + "-20250929",
		"content": []any{map[string]any{"type": "text", "text": text}}, "stop_reason": "end_turn", "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 10,
			"output_tokens": 4},
	})
}

// guess answers the built-in tasks: a class by the number of letters, a question by the passage's last word.
func guess(prompt string) string {
	if _, passage, ok := strings.Cut(prompt, "Passage: "); ok {
		passage, _, _ = strings.Cut(passage, "\nQuestion: ")
		words := strings.Fields(strings.TrimRight(passage, ". "))
		return words[len(words)-1]
	}
	return []string{"negative", "positive"}[len(prompt)%2]
}

// The shipped study of a hosted master, from the first call to the tables. It asks through langchaingo's client of
// Anthropic.
func TestHostedMasterStudy(t *testing.T) {
	h := &hostedMaster{t: t}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	t.Setenv("ANTHROPIC_API_KEY", hushed)
	spec := shippedSpec(t, "hosted-master")
	tables := shipped(t, "hosted-master",
		fmt.Sprintf("[backends.anthropic]\nkind = \"hosted\"\nprovider = \"anthropic\"\n"+
			"api_key_env = \"ANTHROPIC_API_KEY\"\nurls = [%q]\n", server.URL+"/v1"))
	wantIn(t, "output", tables, "reviews", "lookup", "Cost Saved")
	if h.calls < 400 || h.calls > 403 { // 400 records, one asked again, one call that confirms who answers
		t.Errorf("%d calls for 400 records", h.calls)
	}
	out, _ := infnet(t, ExitOK, "doctor", spec, "--use", "servers.toml")
	wantIn(t, "doctor", out, "not tried live", "claude-sonnet-4-5")
}
