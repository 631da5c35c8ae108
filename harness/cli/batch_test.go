//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/backends/redact"
	"infnet/harness/batch"
)

// mailStudy is a study of two models behind servers that nobody asks: student in raw mode, master in chats, which say
// how classifications are asked, and what their tokens cost.
func mailStudy(t *testing.T, n int) {
	t.Helper()
	const say = "labels = \"top-logprobs\""
	serverStudy(t, n, quoted("http://127.0.0.1:9/v1"), quoted("http://127.0.0.1:9/v1"), say, say)
	for _, m := range []struct{ shape, price string }{{"gemma3-1b", "1"}, {"gemma3-4b", "10"}} {
		replaceIn(t, "study.toml", "price_in = "+m.price+"\nprice_out = "+m.price, "shape = \""+m.shape+"\"")
	}
	replaceIn(t, "study.toml", "[cost]\nmodel = \"price\"\n\n[collect]", "[collect]")
}

// provider answers files of requests as a provider does. A line that spoil changes replaces the provider's.
type provider struct {
	server *loopback
	vllm   bool
	spoil  func(i int, id string, line []byte) []byte
}

// answer answers every request file of a folder, in the reverse order of its lines, and returns the outputs.
func (p *provider) answer(t *testing.T, dir string) (outputs []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*-[0-9][0-9][0-9].jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no requests in %s: %v", dir, err)
	}
	if p.server.asked == nil {
		p.server.asked = map[string]int{}
	}
	for _, file := range files {
		text := must(os.ReadFile(file))
		var out bytes.Buffer
		lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
		slices.Reverse(lines)
		for i, line := range lines {
			var r struct {
				ID     string          `json:"custom_id"`
				Method string          `json:"method"`
				URL    string          `json:"url"`
				Body   json.RawMessage `json:"body"`
			}
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatal(err)
			}
			call := httptest.NewRequest(r.Method, r.URL, bytes.NewReader(r.Body))
			call.Header.Set("Authorization", "Bearer "+hushed)
			w := httptest.NewRecorder()
			p.server.ServeHTTP(w, call)
			line := p.line(t, i, r.ID, w.Code, w.Body.Bytes())
			if p.spoil != nil {
				line = p.spoil(i, r.ID, line)
			}
			if len(line) > 0 {
				out.Write(append(line, '\n'))
			}
		}
		output := strings.TrimSuffix(file, ".jsonl") + ".out.jsonl"
		save(t, output, out.String())
		outputs = append(outputs, output)
	}
	return outputs
}

// line is a line of the output as OpenAI documents it, or as vLLM 0.32 wrote it: an error has no body there.
func (p *provider) line(t *testing.T, i int, id string, status int, body []byte) []byte {
	t.Helper()
	type response struct {
		Status int             `json:"status_code"`
		ID     string          `json:"request_id"`
		Body   json.RawMessage `json:"body"`
	}
	line := struct {
		ID       string          `json:"id"`
		CustomID string          `json:"custom_id"`
		Response *response       `json:"response"`
		Error    json.RawMessage `json:"error"`
	}{fmt.Sprintf("batch_req_%d", i), id, &response{status, fmt.Sprintf("req_%d", i), body}, nil}
	if p.vllm {
		line.ID, line.Response.ID = fmt.Sprintf("vllm-%016x", i), fmt.Sprintf("vllm-batch-%016x", i)
		if status != 200 {
			line.Response.Body, line.Error = nil, body
		}
	}
	text := must(json.Marshal(line))
	return text
}

func save(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// stored are the answers of a store by key, without their latency and without the mark of a batch.
func stored(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	for _, file := range files {
		if strings.Contains(file, ".servers-") || strings.Contains(file, ".confirmed-") ||
			strings.Contains(file, ".failures.") || strings.Contains(file, ".embeddings-") {
			continue
		}
		text := must(os.ReadFile(file))
		lines := bufio.NewScanner(bytes.NewReader(text))
		for lines.Scan() {
			var a map[string]any
			if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
				t.Fatal(err)
			}
			if a["infnet"] != nil {
				continue
			}
			delete(a, "latency_ns")
			delete(a, "batch")
			delete(a, "crc")
			line, _ := json.Marshal(a)
			out[fmt.Sprint(a["key"])] = string(line)
		}
	}
	return out
}

// A batch gives the answers that a live run gives, to the same keys; the same tables follow but for who confirms
// them.
func TestBatchRoundTrip(t *testing.T) {
	const n = 40
	mailStudy(t, n)
	s := &loopback{}
	p := &provider{server: s, vllm: true}
	out, _ := infnet(t, ExitOK, "batch", "write", "study.toml")
	wantIn(t, "write", out, "nothing was sent", "runs/servers/batch",
		"student: classifications are asked by top-logprobs")
	first := folderText(t, "runs/servers/batch")
	infnet(t, ExitOK, "batch", "write", "study.toml")
	if folderText(t, "runs/servers/batch") != first {
		t.Error("the same batch has other bytes")
	}
	outputs := p.answer(t, "runs/servers/batch")
	read := append([]string{"batch", "read", "--batch", "runs/servers/batch"}, outputs...)
	out, _ = infnet(t, ExitOK, read...)
	if strings.Count(out, fmt.Sprintf("%d answers new, 0 there already, 0 failed", n)) != 4 ||
		!strings.Contains(out, "total                        160      160      0") {
		t.Errorf("read says:\n%s", out)
	}
	before := folderText(t, "runs/answers")
	out, _ = infnet(t, ExitOK, read...)
	if !strings.Contains(out, fmt.Sprintf("0 answers new, %d there already", n)) ||
		folderText(t, "runs/answers") != before {
		t.Errorf("reading twice changes the store, or says otherwise:\n%s", out)
	}
	wantIn(t, "everything is there, and write says", outOf(infnet(t, ExitOK, "batch", "write", "study.toml")),
		"Nothing to ask")
	infnet(t, ExitOK, "run", "study.toml")
	for _, m := range studyResults(t).Models {
		if m.Unconfirmed != "all answers came in batch files, where no server can be asked who answers" {
			t.Errorf("%s: %q", m.Name, m.Unconfirmed)
		}
	}
	// Live, with the same study.
	url := serve(t, &loopback{})
	text := must(os.ReadFile("study.toml"))
	save(t, "live.toml", strings.ReplaceAll(string(text), "http://127.0.0.1:9/v1", url))
	infnet(t, ExitOK, "collect", "live.toml", "--store", "live")
	a, b := stored(t, "runs/answers"), stored(t, "live")
	if len(a) != 4*n || len(b) != 4*n {
		t.Errorf("%d answers by batch, %d live", len(a), len(b))
	}
	for key, text := range b {
		if a[key] != text {
			t.Errorf("by batch %s\nlive     %s", a[key], text)
		}
	}
}

// folderText is the content of a folder's files.
func folderText(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s\n%s\n", path, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What fails is counted by cause and written again, what was never asked is written again too, and the rest of the
// output is used.
func TestBatchFailures(t *testing.T) {
	const n = 40
	mailStudy(t, n)
	s := &loopback{spoil: func(_ int, prompt string) (int, string) {
		switch {
		case strings.Contains(prompt, "Item 7 "):
			return 429, `{"error": {"message": "slow down"}}`
		case strings.Contains(prompt, "Item 8 "):
			return 400, `{"error": {"message": "maximum context length is 3 tokens"}}`
		case strings.Contains(prompt, "Item 9 "):
			return 200, `{"model": "small", "choices": []}`
		}
		return 0, ""
	}}
	p := &provider{server: s, spoil: func(i int, id string, line []byte) []byte {
		switch i {
		case 0:
			return fmt.Appendf(nil, `{"custom_id":%q,"response":null,"error":{"code":"batch_expired"}}`, id)
		case 1:
			return fmt.Appendf(nil, `{"custom_id":%q,"response":null,"error":{"code":"broken","message":"oops %s"}}`, id,
				hushed)
		case 2:
			return nil
		}
		return bytes.ReplaceAll(line, []byte(`"finish_reason":"stop"`), []byte(`"finish_reason":"`+hushed+`"`))
	}}
	infnet(t, ExitOK, "batch", "write", "study.toml")
	outputs := p.answer(t, "runs/servers/batch")
	if len(outputs) != 2 {
		t.Fatalf("files %v", outputs)
	}
	out, _ := infnet(t, ExitOK, append([]string{"batch", "read"}, outputs...)...)
	wantIn(t, "read", out, "rate-limited", "too-long", "bad-response", "server-error ×1, such as", ": broken oops",
		"The provider never asked 2 requests.")
	for name, text := range map[string]string{"screen": out, "store": folderText(t, "runs/answers")} {
		if strings.Contains(text, hushed) || !strings.Contains(text, redact.Mark) {
			t.Errorf("the key is on the %s, or what it stood in is not: %s", name, text)
		}
	}
	missing := 4*n - len(stored(t, "runs/answers"))
	before := folderText(t, "runs/answers")
	infnet(t, ExitOK, append([]string{"batch", "read"}, outputs...)...)
	if folderText(t, "runs/answers") != before {
		t.Error("reading failures twice changes the store")
	}
	// A live run would not ask again for what is recorded as failed; a batch does.
	out, _ = infnet(t, ExitOK, "batch", "write", "study.toml")
	var m batch.Manifest
	text, err := os.ReadFile("runs/servers/batch/batch.json")
	if err != nil || json.Unmarshal(text, &m) != nil {
		t.Fatalf("manifest: %v", err)
	}
	asked, failed := 0, 0
	for _, a := range m.Models {
		asked, failed = asked+a.Files[0].Requests, failed+a.Failed
	}
	if asked != missing || failed != missing-2-2 { // two expired, two without a line
		t.Errorf("%d requests again, %d of them failed; %d are missing", asked, failed, missing)
	}
	wantIn(t, "write says", out, "failed before and are written again")
	s.spoil, p.spoil = nil, nil
	infnet(t, ExitOK, append([]string{"batch", "read"}, p.answer(t, "runs/servers/batch")...)...)
	if got := len(stored(t, "runs/answers")); got != 4*n {
		t.Errorf("%d answers in the end, want %d", got, 4*n)
	}
	infnet(t, ExitOK, "run", "study.toml")
	infnet(t, ExitOK, "verify", "runs/servers")
}

// Answers from batches and from servers make one study, and results say how many came which way.
func TestBatchAndLive(t *testing.T) {
	const n = 40
	mailStudy(t, n)
	infnet(t, ExitOK, "batch", "write", "study.toml")
	p := &provider{server: &loopback{}, spoil: func(i int, _ string, line []byte) []byte {
		if i%4 == 0 {
			return nil // not answered in time
		}
		return line
	}}
	infnet(t, ExitOK, append([]string{"batch", "read"}, p.answer(t, "runs/servers/batch")...)...)
	s := &loopback{}
	url := serve(t, s)
	text := strings.ReplaceAll(string(must(os.ReadFile("study.toml"))), "http://127.0.0.1:9/v1", url)
	save(t, "study.toml", text)
	infnet(t, ExitOK, "run", "study.toml")
	if got := s.calls(); got != 4*n/4 {
		t.Errorf("%d calls, want those of the %d requests that the batch left", got, 4*n/4)
	}
	wantIn(t, "the tables", tables(t), "60 of 80 answers came in batch files")
	infnet(t, ExitOK, "verify", "runs/servers")
	save(t, "study.toml", strings.Replace(text, `model = "price"`, `model = "latency"`, 1))
	wantIn(t, "the time of answers from batches is counted", errOf(infnet(t, ExitFailure, "analyze", "study.toml")),
		"came in a batch file, where nobody measures the time")
}
