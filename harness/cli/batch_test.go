//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"infnet/harness/batch"
	"infnet/harness/result"
)

// mailStudy is a study of two models behind servers that nobody asks: student in raw mode, master in chats, which say
// how classifications are asked, and what their tokens cost.
func mailStudy(t *testing.T, n int) {
	t.Helper()
	const say = "labels = \"top-logprobs\"\nbatch_discount = 0.5"
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
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
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
	text, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
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
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
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

// A batch gives the answers that a live run gives, to the same keys; the same tables follow but for what batches are
// charged and who confirms them.
func TestBatchRoundTrip(t *testing.T) {
	const n = 40
	for _, test := range []struct {
		name string
		vllm bool
		pack bool
	}{{"openai", false, false}, {"openai, compressed", false, true}, {"vllm's output", true, false}} {
		t.Run(test.name, func(t *testing.T) {
			mailStudy(t, n)
			s := &loopback{}
			p := &provider{server: s, vllm: test.vllm}
			out, _ := infnet(t, ExitOK, "batch", "write", "study.toml")
			for _, want := range []string{"This format was not tried live", "runs/servers/batch", "BY BATCH",
				"student: classifications are asked by top-logprobs"} {
				if !strings.Contains(out, want) {
					t.Errorf("write does not say %q:\n%s", want, out)
				}
			}
			first := folderText(t, "runs/servers/batch")
			infnet(t, ExitOK, "batch", "write", "study.toml")
			if folderText(t, "runs/servers/batch") != first {
				t.Error("the same batch has other bytes")
			}
			outputs := p.answer(t, "runs/servers/batch")
			if test.pack {
				for i, o := range outputs {
					outputs[i] = packed(t, o)
				}
			}
			read := append([]string{"batch", "read", "--batch", "runs/servers/batch"}, outputs...)
			out, _ = infnet(t, ExitOK, read...)
			if strings.Count(out, fmt.Sprintf("%d answers new, 0 there already, 0 failed", n)) != 4 ||
				!strings.Contains(out, "160 of 160 answers are in") || !strings.Contains(out, "Nothing is missing") {
				t.Errorf("read says:\n%s", out)
			}
			before := folderText(t, "runs/answers")
			out, _ = infnet(t, ExitOK, read...)
			if !strings.Contains(out, fmt.Sprintf("0 answers new, %d there already", n)) ||
				folderText(t, "runs/answers") != before {
				t.Errorf("reading twice changes the store, or says otherwise:\n%s", out)
			}
			if out, _ = infnet(t, ExitOK, "batch", "write", "study.toml"); !strings.Contains(out, "Nothing to ask") {
				t.Errorf("everything is there, and write says:\n%s", out)
			}
			infnet(t, ExitOK, "run", "study.toml")
			byBatch, found := tables(t), resultsOf(t)
			for _, m := range found.Models {
				if m.Unconfirmed != "all answers came in batch files, where no server can be asked who answers" {
					t.Errorf("%s: %q", m.Name, m.Unconfirmed)
				}
			}
			if !strings.Contains(byBatch, "Costs are list prices, also of answers from batch files (cost.batch counts "+
				"discounts): student 40 of 40 (50 % off); master 40 of 40 (50 % off).") {
				t.Errorf("the tables do not say what was charged:\n%s", byBatch)
			}
			// The discount is half the price of every answer: all costs halve, and no decision changes.
			replaceIn(t, "study.toml", "[cost]\nbatch = true", "[cost]")
			infnet(t, ExitOK, "run", "study.toml")
			half := resultsOf(t)
			for i, d := range found.Cascades[0].Datasets {
				for k, c := range d.Costs {
					if got := half.Cascades[0].Datasets[i].Costs[k].Value; got != c.Value/2 || got == 0 {
						t.Errorf("%s: %s costs %v, and %v by batch", d.Name, c.Model, c.Value, got)
					}
				}
			}
			if !strings.Contains(tables(t), "Answers from batch files cost less by the discount of their provider") {
				t.Error("the tables do not say that the discount is counted")
			}
			// Live, with the same study.
			url := serve(t, &loopback{})
			text, err := os.ReadFile("study.toml")
			if err != nil {
				t.Fatal(err)
			}
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
		})
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

func packed(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	save(t, path+".gz", b.String())
	return path + ".gz"
}

func resultsOf(t *testing.T) (r result.Results) {
	t.Helper()
	text, err := os.ReadFile("runs/servers/results.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// What fails is counted by cause and written again, what was never asked is written again too, and the rest of the
// output is used.
func TestBatchFailures(t *testing.T) {
	const n = 40
	for _, vllm := range []bool{false, true} {
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
		p := &provider{server: s, vllm: vllm, spoil: func(i int, id string, line []byte) []byte {
			switch i {
			case 0:
				return fmt.Appendf(nil, `{"custom_id":%q,"response":null,"error":{"code":"batch_expired"}}`, id)
			case 1:
				return fmt.Appendf(nil, `{"custom_id":%q,"response":null,"error":{"code":"broken","message":"oops"}}`, id)
			case 2:
				return nil
			}
			return line
		}}
		infnet(t, ExitOK, "batch", "write", "study.toml", "--requests", "60")
		outputs := p.answer(t, "runs/servers/batch")
		if len(outputs) != 4 { // 80 requests of each model, in files of at most 60
			t.Fatalf("files %v", outputs)
		}
		out, _ := infnet(t, ExitOK, append([]string{"batch", "read"}, outputs...)...)
		for _, want := range []string{"rate-limited", "too-long", "bad-response", "server-error ×2, such as",
			": broken oops", "The provider never asked 4 requests (batch_expired).",
			"infnet batch write writes again what has no answer."} {
			if !strings.Contains(out, want) {
				t.Errorf("vllm %v: read does not say %q:\n%s", vllm, want, out)
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
			asked, failed = asked+a.Requests, failed+a.Failed
		}
		if asked != missing || failed != missing-4-4 { // four expired, four without a line
			t.Errorf("%d requests again, %d of them failed; %d are missing", asked, failed, missing)
		}
		if !strings.Contains(out, "failed before and are written again") {
			t.Errorf("write says:\n%s", out)
		}
		if left, _ := filepath.Glob("runs/servers/batch/*-002.jsonl"); len(left) > 0 {
			t.Errorf("files of the earlier batch are left: %v", left)
		}
		infnet(t, ExitOK, "batch", "write", "study.toml", "--skip-failed", "--out", "less")
		text, err = os.ReadFile("less/batch.json")
		if err != nil || json.Unmarshal(text, &m) != nil || m.Models[0].Requests+m.Models[1].Requests != 8 {
			t.Errorf("without what failed: %v, %s", err, text)
		}
		s.spoil, p.spoil = nil, nil
		infnet(t, ExitOK, append([]string{"batch", "read"}, p.answer(t, "runs/servers/batch")...)...)
		if got := len(stored(t, "runs/answers")); got != 4*n {
			t.Errorf("%d answers in the end, want %d", got, 4*n)
		}
		infnet(t, ExitOK, "run", "study.toml")
	}
}

// Whatever is not the output of the study's batch is named, with what to do, and nothing good of it is lost.
func TestBatchBadInput(t *testing.T) {
	const n = 20
	mailStudy(t, n)
	infnet(t, ExitOK, "batch", "write", "study.toml")
	outputs := (&provider{server: &loopback{}}).answer(t, "runs/servers/batch")
	dir := "runs/servers/batch"
	good, err := os.ReadFile(outputs[0])
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSpace(string(good)), "\n")
	other := strings.Repeat("ab", 32)
	foreign := fmt.Sprintf(`{"custom_id":%q,"response":{"status_code":200,"body":{}},"error":null}`, other)
	for _, test := range []struct {
		name, text string
		code       int
		says       string
		kept       int // answers in the store afterwards
	}{
		{"requests", string(must(os.ReadFile(filepath.Join(dir, "master-001.jsonl")))), ExitData,
			"has the requests of a batch, and not its output", 0},
		{"the manifest", string(must(os.ReadFile(filepath.Join(dir, "batch.json")))), ExitData, "is the manifest", 0},
		{"a description", `{"id": "batch_1", "object": "batch", "status": "in_progress"}`, ExitData,
			`describes a batch (its status is "in_progress")`, 0},
		{"an error", "{\n\"error\": {\"message\": \"no such file\"}}", ExitData, "is an error message of the provider", 0},
		{"a page", "<html>who are you</html>", ExitData, "is an HTML or XML page", 0},
		{"a list", "[" + strings.TrimSpace(lines[0]) + "]", ExitData, "is one JSON list", 0},
		{"nothing", "", ExitData, "is empty", 0},
		{"a table", "id,answer\n1,yes\n", ExitData, "none of its 2 lines is about a request; line 1 is no JSON", 0},
		{"a zip archive", "PK\x03\x04", ExitData, "is a zip archive", 0},
		{"no gzip", "\x1f\x8bno", ExitData, "begins like a file of gzip", 0},
		{"another batch", foreign + "\n", ExitData, "none of the 1 requests in the output is one of the study servers", 0},
		{"no keys", strings.Replace(lines[0], `"custom_id":"`, `"custom_id":"x`, 1), ExitData, "none of the 1 requests", 0},
		{"one of another batch", lines[0] + foreign + "\n", ExitData,
			`1 request is not of the study servers, such as "` + other, 1},
		{"garbage between", lines[1] + "}{\n\n" + lines[2], ExitData, "1 line cannot be read", 3},
		{"cut short", lines[3] + lines[4][:100], ExitData, ":2: the line is cut short: the download is not complete", 4},
		{"no response", lines[5] + `{"custom_id":"` + other + `"}`, ExitData, "has neither a response nor an error", 5},
		{"a member twice", lines[6] + strings.Replace(lines[7], `{"id"`, `{"custom_id":"","id"`, 1), ExitData,
			`line cannot be read`, 6},
		{"a request among replies", lines[7] + strings.SplitAfter(string(must(os.ReadFile(filepath.Join(dir,
			"student-001.jsonl")))), "\n")[0], ExitData, "is a request, and not what came back for one", 7},
		{"no end of line", lines[8] + strings.TrimSpace(lines[9]), ExitOK, "2 answers new", 9},
		{"a byte order mark, carriage returns",
			"\xef\xbb\xbf" + strings.ReplaceAll(lines[10]+lines[11], "\n", "\r\n"), ExitOK,
			"2 answers new", 11},
		{"lines twice", lines[12] + lines[12] + lines[0], ExitOK,
			"1 line is about a request that an earlier line is about", 12},
		{"an error first", "{\"custom_id\":null,\"error\":{\"message\":\"no\"}}\n" + lines[13], ExitData,
			"got.jsonl:1: the line has no custom_id", 13},
	} {
		t.Run(test.name, func(t *testing.T) {
			save(t, "got.jsonl", test.text)
			stdout, stderr := infnet(t, test.code, "batch", "read", "--batch", dir, "got.jsonl")
			if said := stdout + stderr; !strings.Contains(strings.Join(strings.Fields(said), " "), test.says) {
				t.Errorf("it does not say %q:\n%s", test.says, said)
			}
			if got := len(stored(t, "runs/answers")); got != test.kept {
				t.Errorf("%d answers are stored, want %d", got, test.kept)
			}
		})
	}
	cut := must(os.ReadFile(packed(t, outputs[0])))
	save(t, "cut.jsonl.gz", string(cut[:len(cut)-20]))
	if _, stderr := infnet(t, ExitData, "batch", "read", "--batch", dir, "cut.jsonl.gz"); !strings.Contains(stderr,
		"cut short") {
		t.Errorf("a compressed file that is cut short:\n%s", stderr)
	}
	if got := len(stored(t, "runs/answers")); got < 30 {
		t.Errorf("%d answers of a compressed file that is cut short, want most of 40", got)
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

// Mistakes in what is named: files, folders, studies.
func TestBatchMistakes(t *testing.T) {
	const n = 20
	mailStudy(t, n)
	infnet(t, ExitOK, "batch", "write", "study.toml")
	outputs := (&provider{server: &loopback{}}).answer(t, "runs/servers/batch")
	save(t, "lonely.jsonl", string(must(os.ReadFile(outputs[0]))))
	text := string(must(os.ReadFile("study.toml")))
	edit := func(name, old, now string) string {
		save(t, name, strings.Replace(text, old, now, 1))
		return name
	}
	edit("other.toml", `study = "servers"`, `study = "other"`)
	edit("changed.toml", "Item {item} is {colour}.\\nColour:", "Item {item} is {colour}. Which?")
	save(t, "changed.toml", strings.Replace(string(must(os.ReadFile("changed.toml"))), "Repeat:", "Again, repeat:", 1))
	edit("echo.toml", `labels = "top-logprobs"`, `labels = "echo"`)
	edit("ids.toml", `labels = "top-logprobs"`, `labels = "token-ids"`)
	edit("structured.toml", `labels = "top-logprobs"`, `labels = "structured"`)
	edit("time.toml", `model = "price"`, `model = "latency"`)
	edit("loose.toml", `labels = "top-logprobs"`, `labels = "auto"`)
	for _, test := range []struct {
		name string
		code int
		args []string
		says string
	}{
		{"no file", ExitData, []string{"read", "none.jsonl"}, "none.jsonl: no such file"},
		{"a folder", ExitData, []string{"read", "runs/servers/batch"}, "is a folder, not a regular file: name a file"},
		{"no manifest", ExitUsage, []string{"read", "lonely.jsonl"}, "there is no batch.json in the folder of lonely.jsonl"},
		{"no manifest there", ExitUsage, []string{"read", "lonely.jsonl", "--batch", "runs"},
			"--batch runs: there is no batch.json"},
		{"another study", ExitUsage, []string{"read", outputs[0], "--study", "other.toml"},
			"the batch is of the study servers, and other.toml is the study other"},
		{"a study that changed", ExitData, []string{"read", outputs[0], "--study", "changed.toml"},
			"the study was changed since the batch was written"},
		{"echo", ExitModel, []string{"write", "echo.toml"}, "a call for every label, and an answer of a batch is one call"},
		{"token ids", ExitModel, []string{"write", "ids.toml"}, "which only a running server tells"},
		{"structured", ExitModel, []string{"write", "structured.toml"}, "a field of vLLM, which OpenAI refuses"},
		{"raw by vllm", ExitModel, []string{"write", "study.toml", "--format", "vllm"}, "vllm run-batch takes chats alone"},
		{"latency", ExitSpec, []string{"write", "time.toml"}, "which nobody measures in a batch"},
		{"text of a student", ExitModel, []string{"write", "loose.toml", "--labels", "text"},
			"its confidence decides in a cascade"},
		{"no format", ExitUsage, []string{"write", "study.toml", "--format", "csv"}, `unknown batch format "csv"`},
		{"no requests", ExitUsage, []string{"write", "study.toml", "--requests=-1"}, "at least 1"},
		{"0 requests", ExitUsage, []string{"write", "study.toml", "--requests", "0"}, "at least 1"},
		{"another study's folder", ExitUsage, []string{"write", "other.toml", "--out", "runs/servers/batch"},
			"holds a batch of the study servers"},
		{"nothing to ask by batch", ExitModel, []string{"write", "quickstart", "--limit", "40"}, "can be asked by batch"},
	} {
		t.Run(test.name, func(t *testing.T) {
			stdout, stderr := infnet(t, test.code, append([]string{"batch"}, test.args...)...)
			if said := strings.Join(strings.Fields(stdout+stderr), " "); !strings.Contains(said, test.says) {
				t.Errorf("it does not say %q:\n%s", test.says, stdout+stderr)
			}
			if got := len(stored(t, "runs/answers")); got != 0 {
				t.Errorf("%d answers are stored", got)
			}
		})
	}
	// With the manifest's folder named, and the study's file elsewhere, it is read.
	if err := os.Rename("study.toml", "moved.toml"); err != nil {
		t.Fatal(err)
	}
	_, stderr := infnet(t, ExitUsage, "batch", "read", outputs[0])
	if !strings.Contains(stderr, "is not there") || !strings.Contains(stderr, "--study") {
		t.Errorf("a study that is gone:\n%s", stderr)
	}
	infnet(t, ExitOK, "batch", "read", "lonely.jsonl", "--batch", "runs/servers/batch", "--study", "moved.toml")
}

// Where the study leaves it to the server how classifications are asked, the batch decides, and says so in its
// manifest: later batches and live runs ask in the same way, and a batch that asked otherwise is refused.
func TestBatchDeclaresItsLabels(t *testing.T) {
	const n = 20
	mailStudy(t, n)
	for range 2 {
		replaceIn(t, "study.toml", "labels = \"auto\"", "labels = \"top-logprobs\"")
	}
	infnet(t, ExitOK, "batch", "write", "study.toml", "--labels", "top-logprobs")
	infnet(t, ExitOK, "batch", "write", "study.toml", "--format", "openai", "--out", "again")
	s := &loopback{}
	outputs := (&provider{server: s}).answer(t, "runs/servers/batch")
	save(t, "lonely.jsonl", string(must(os.ReadFile(outputs[1]))))
	save(t, "changed.json", strings.ReplaceAll(string(must(os.ReadFile("again/batch.json"))), "top-logprobs",
		"structured"))
	// Without the manifest nobody knows.
	if _, stderr := infnet(t, ExitData, "batch", "read", "lonely.jsonl", "--study", "study.toml", "--store",
		"elsewhere"); !strings.Contains(stderr, "is written in its manifest: name its folder with --batch") {
		t.Errorf("no manifest:\n%s", stderr)
	}
	// As if all had been asked in another way: only texts are the same requests.
	out, stderr := infnet(t, ExitData, "batch", "read", "lonely.jsonl", "--batch", "changed.json")
	if !strings.Contains(out, "student on phrases: 20 answers new") || strings.Contains(out, "on colours") ||
		!strings.Contains(stderr, "20 requests are not of the study servers") {
		t.Errorf("another label mode:\n%s%s", out, stderr)
	}
	infnet(t, ExitOK, append([]string{"batch", "read"}, outputs...)...)
	if found, _ := filepath.Glob("runs/answers/*.servers-*.jsonl"); len(found) != 2 {
		t.Errorf("findings in %v, want one file a model", found)
	}
	if _, stderr := infnet(t, ExitData, "batch", "read", "lonely.jsonl", "--batch", "changed.json"); !strings.Contains(
		stderr, `asked its classifications by "structured"`) {
		t.Errorf("another label mode than the answers on disk:\n%s", stderr)
	}
	if _, stderr := infnet(t, ExitModel, "batch", "write", "study.toml", "--labels",
		"structured"); !strings.Contains(stderr,
		`were asked by "top-logprobs" before`) {
		t.Errorf("another label mode is declared:\n%s", stderr)
	}
	// A live run of the same study asks nothing again, but for who answers.
	url := serve(t, s)
	save(t, "live.toml", strings.ReplaceAll(string(must(os.ReadFile("study.toml"))), "http://127.0.0.1:9/v1", url))
	infnet(t, ExitOK, "run", "live.toml")
	if got := s.calls(); got != 0 {
		t.Errorf("%d records were asked again", got)
	}
	if !strings.Contains(tables(t), "served by batch files") {
		t.Error("the tables do not say that batch files settled how labels are asked")
	}
}

// Two files with the same text ask it once, and both datasets get the answer.
func TestBatchAsksATextOnce(t *testing.T) {
	mailStudy(t, 20)
	text := string(must(os.ReadFile("study.toml")))
	at, end := strings.Index(text, "[[datasets]]\nname = \"phrases\""), strings.Index(text, "[[cascades]]")
	twice := strings.Replace(text[at:end], `name = "phrases"`, `name = "phrases2"`, 1) // another name of the same rows
	twice = strings.Replace(twice, "max_tokens = 12", "max_tokens = 12\ndedupe = \"first\"", 1)
	save(t, "study.toml", text[:end]+twice+text[end:])
	infnet(t, ExitOK, "batch", "write", "study.toml")
	outputs := (&provider{server: &loopback{}}).answer(t, "runs/servers/batch")
	out, _ := infnet(t, ExitOK, append([]string{"batch", "read"}, outputs...)...)
	if strings.Count(out, "on phrases") != 4 || strings.Contains(out, "about a request that") {
		t.Errorf("two datasets of one text:\n%s", out)
	}
	infnet(t, ExitOK, "run", "study.toml")
}

// A model under two names is asked once, and both names get its answers.
func TestBatchAsksAModelOnce(t *testing.T) {
	mailStudy(t, 20)
	model := func(name string) string {
		return fmt.Sprintf("[[models]]\nname = %q\nid = \"acme/m\"\nserved = \"m\"\nrevision = \"1\"\nbackend = \"p\"\n"+
			"mode = \"chat\"\n", name)
	}
	save(t, "names.toml", "study = \"names\"\nseed = 1\n[backends.p]\nkind = \"openai\"\n"+
		"urls = [\"http://127.0.0.1:9/v1\"]\nlabels = \"top-logprobs\"\n"+model("one")+model("two")+
		"[[datasets]]\nname = \"reviews\"\nsource = \"builtin:reviews\"\nlimit = 40\n"+
		"[[cascades]]\nmodels = [\"one\", \"two\"]\n[cost]\nmodel = \"tokens\"\n")
	infnet(t, ExitOK, "batch", "write", "names.toml")
	files, err := filepath.Glob("runs/names/batch/*.jsonl")
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != "one-001.jsonl" {
		t.Fatalf("the requests are in %v, %v", files, err)
	}
	var out strings.Builder
	for line := range strings.Lines(string(must(os.ReadFile(files[0])))) {
		var r struct {
			ID string `json:"custom_id"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		top := `{"token":"positive","logprob":-0.5},{"token":"negative","logprob":-1}`
		fmt.Fprintf(&out, `{"custom_id":%q,"response":{"status_code":200,"body":{"model":"m","choices":[{"index":0,`+
			`"finish_reason":"stop","message":{"content":"positive"},"logprobs":{"content":[{"token":"positive",`+
			`"logprob":-0.5,"top_logprobs":[%s]}]}}]}},"error":null}`+"\n", r.ID, top)
	}
	save(t, "out.jsonl", out.String())
	said, _ := infnet(t, ExitOK, "batch", "read", "--batch", "runs/names/batch", "out.jsonl")
	for _, want := range []string{"one on reviews: 40 answers new", "two on reviews: 0 answers new, 40 there already",
		"Nothing is missing"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
}

// A reading that is killed loses nothing that was stored, and reading again ends with the store of one that nobody
// disturbed.
func TestBatchReadIsKilled(t *testing.T) {
	const n = 1000
	mailStudy(t, n)
	infnet(t, ExitOK, "batch", "write", "study.toml")
	outputs := (&provider{server: &loopback{}}).answer(t, "runs/servers/batch")
	args := append([]string{"batch", "read"}, outputs...)
	infnet(t, ExitOK, append([]string{"batch", "read", "--store", "whole"}, outputs...)...)
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []int64{1, 60_000, 200_000} {
		cmd, stderr := start(t, dir, args...)
		waitWithin(t, 2*time.Minute, "answers to be stored", func() bool {
			return size(dir, "runs/answers/*.jsonl") > after || cmd.Process.Signal(nil) != nil
		})
		if err := cmd.Process.Kill(); err != nil {
			t.Fatalf("%v: %s", err, stderr)
		}
		_ = cmd.Wait()
	}
	infnet(t, ExitOK, args...)
	a, b := stored(t, "runs/answers"), stored(t, "whole")
	if len(b) != 4*n {
		t.Errorf("%d answers, want %d", len(b), 4*n)
	}
	for key, text := range b {
		if a[key] != text {
			t.Fatalf("after three kills %s\nundisturbed       %s", a[key], text)
		}
	}
}

// Answers from batches and from servers make one study, and results say how many came which way.
func TestBatchAndLive(t *testing.T) {
	const n = 40
	mailStudy(t, n)
	for _, studies := range [][]string{{"study.toml"}, {"study.toml", "study.toml"}} {
		if plan, _ := infnet(t, ExitOK, append([]string{"plan"}, studies...)...); !strings.Contains(plan, "BY BATCH") {
			t.Errorf("the plan does not say what a batch costs:\n%s", plan)
		}
	}
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
	save(t, "study.toml", strings.Replace(text, "[cost]\n", "[cost]\nbatch = true\n", 1))
	infnet(t, ExitOK, "run", "study.toml")
	if got := s.calls(); got != 4*n/4 {
		t.Errorf("%d calls, want those of the %d requests that the batch left", got, 4*n/4)
	}
	found := tables(t)
	for _, want := range []string{"60 of 80 answers came in batch files", "(50 % off)", "cost less by the discount"} {
		if !strings.Contains(found, want) {
			t.Errorf("the tables do not say %q", want)
		}
	}
	infnet(t, ExitOK, "verify", "runs/servers")
	if shown, _ := infnet(t, ExitOK, "show", "runs/servers", "phrases/2"); strings.Contains(shown, " 0.0 ms") {
		t.Errorf("a time that nobody measured:\n%s", shown)
	}
	save(t, "study.toml", strings.Replace(text, `model = "price"`, `model = "latency"`, 1))
	if _, stderr := infnet(t, ExitFailure, "analyze", "study.toml"); !strings.Contains(stderr, "came in a batch file, "+
		"where nobody measures the time") {
		t.Errorf("the time of answers from batches is counted:\n%s", stderr)
	}
}

// needsTemplate is said where a command of vLLM names no chat template.
const needsTemplate = "A model without a chat template, such as a base model, needs --chat-template FILE."

// A chat template among the flags of a launch is in the printed command, however it is written. Then nothing is said
// of one that might be needed, unless another model has none.
func TestBatchWithChatTemplate(t *testing.T) {
	mailStudy(t, 20)
	spec := strings.ReplaceAll(string(must(os.ReadFile("study.toml"))),
		`urls = ["http://127.0.0.1:9/v1"]`+"\napi_key_env = \"TEST_KEY\"", "")
	spec = strings.Replace(spec, "backend = \"one\"", "backend = \"one\"\nmode = \"chat\"", 1)
	for _, tt := range []struct {
		name     string
		one, two string // arguments of the two models' servers
		want     []string
		needed   bool
	}{
		{name: "both", one: `"--chat-template", "one.jinja"`, two: `"--chat-template=two.jinja"`,
			want: []string{" --chat-template one.jinja\n", " --chat-template=two.jinja\n"}},
		{name: "one of two", one: `"--chat-template", "one.jinja"`, want: []string{" --chat-template one.jinja\n"},
			needed: true},
		{name: "none", needed: true},
		{name: "a flag with a longer name", one: `"--chat-template-content-format", "string"`, needed: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := spec
			for name, args := range map[string]string{"one": tt.one, "two": tt.two} {
				text = strings.Replace(text, "[[datasets]]", "[backends."+name+".launch]\nengine = \"vllm\"\ngpus = 0\n"+
					"args = ["+args+"]\n\n[[datasets]]", 1)
			}
			save(t, "vllm.toml", text)
			out, _ := infnet(t, ExitOK, "batch", "write", "vllm.toml", "--format", "vllm")
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("write does not say %q:\n%s", want, out)
				}
			}
			if said := strings.Contains(strings.Join(strings.Fields(out), " "), needsTemplate); said != tt.needed {
				t.Errorf("whether a template may be needed is said: %v, want %v:\n%s", said, tt.needed, out)
			}
		})
	}
}

// Models whose servers a study starts are asked by vllm run-batch with the same flags; other engines are refused.
func TestBatchOfLaunchedServers(t *testing.T) {
	mailStudy(t, 20)
	text := string(must(os.ReadFile("study.toml")))
	text = strings.ReplaceAll(text, `urls = ["http://127.0.0.1:9/v1"]`+"\napi_key_env = \"TEST_KEY\"", "")
	for _, name := range []string{"one", "two"} {
		text = strings.Replace(text, "[[datasets]]", "[backends."+name+".launch]\nengine = \"vllm\"\ngpus = 0\n"+
			"args = [\"--dtype\", \"float32\"]\n\n[[datasets]]", 1)
	}
	text = strings.Replace(text, "backend = \"one\"", "backend = \"one\"\nmode = \"chat\"", 1)
	save(t, "vllm.toml", text)
	save(t, "ollama.toml", strings.Replace(text, "engine = \"vllm\"\ngpus = 0\nargs = [\"--dtype\", \"float32\"]",
		"engine = \"ollama\"", 1))
	out, _ := infnet(t, ExitOK, "batch", "write", "vllm.toml", "--format", "vllm")
	for _, want := range []string{"vllm run-batch -i runs/servers/batch/student-001.jsonl",
		"--model small --revision 1 --tokenizer-revision 1 --served-model-name small",
		"--seed 0 --dtype float32"} {
		if !strings.Contains(out, want) {
			t.Errorf("write does not say %q:\n%s", want, out)
		}
	}
	if !strings.Contains(strings.Join(strings.Fields(out), " "), needsTemplate) {
		t.Errorf("write does not say when a chat template is needed:\n%s", out)
	}
	if _, stderr := infnet(t, ExitModel, "batch", "write", "ollama.toml", "--format", "vllm"); !strings.Contains(stderr,
		"vllm run-batch is another engine") {
		t.Errorf("ollama by vllm:\n%s", stderr)
	}
	infnet(t, ExitOK, append([]string{"batch", "read"},
		(&provider{server: &loopback{}, vllm: true}).answer(t, "runs/servers/batch")...)...)
}
