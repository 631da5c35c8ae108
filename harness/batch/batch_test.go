package batch_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/harness/batch"
)

func request(i int) batch.Request {
	r := batch.Request{Example: fmt.Sprint(i), Call: backends.BatchCall{URL: "/v1/chat/completions",
		Body: fmt.Appendf(nil, `{"n":%03d}`, i+100)}}
	r.Key[0] = byte(i)
	return r
}

func requests(n int, end error) func(func(batch.Request, error) bool) {
	return func(yield func(batch.Request, error) bool) {
		for i := range n {
			if !yield(request(i), nil) {
				return
			}
		}
		if end != nil {
			yield(batch.Request{}, end)
		}
	}
}

// Files are full to the limit and no fuller, and together they are all requests in their order.
func TestWriteParts(t *testing.T) {
	const line = 64 + len(`{"custom_id":"","method":"POST","url":"/v1/chat/completions","body":{"n":100}}`) + 1
	for _, test := range []struct {
		name   string
		n      int
		limits batch.Limits
		parts  []int // requests of each file
	}{
		{"no limit", 5, batch.Limits{}, []int{5}},
		{"nothing", 0, batch.Limits{Requests: 2}, nil},
		{"requests", 5, batch.Limits{Requests: 2}, []int{2, 2, 1}},
		{"as many as fit", 4, batch.Limits{Requests: 2}, []int{2, 2}},
		{"bytes", 5, batch.Limits{Bytes: 2 * int64(line)}, []int{2, 2, 1}},
		{"a byte too few", 3, batch.Limits{Bytes: 2*int64(line) - 1}, []int{1, 1, 1}},
		{"both", 5, batch.Limits{Requests: 3, Bytes: 2 * int64(line)}, []int{2, 2, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			parts, err := batch.WriteParts(dir, "m", test.limits, requests(test.n, nil))
			if err != nil {
				t.Fatal(err)
			}
			var sizes []int
			var all strings.Builder
			for i, p := range parts {
				text, err := os.ReadFile(filepath.Join(dir, p.Name))
				if err != nil {
					t.Fatal(err)
				}
				if p.Name != fmt.Sprintf("m-%03d.jsonl", i+1) || int64(len(text)) != p.Bytes || len(p.SHA256) != 64 {
					t.Errorf("part %+v has %d bytes", p, len(text))
				}
				sizes = append(sizes, p.Requests)
				all.Write(text)
			}
			if !slices.Equal(sizes, test.parts) {
				t.Errorf("files of %v requests, want %v", sizes, test.parts)
			}
			if lines := strings.Count(all.String(), "\n"); lines != test.n || lines > 0 && len(all.String()) != lines*line {
				t.Errorf("%d lines, %d bytes", lines, all.Len())
			}
		})
	}
	if _, err := batch.WriteParts(t.TempDir(), "m", batch.Limits{Bytes: 50}, requests(1, nil)); err == nil ||
		!strings.Contains(err.Error(), "record 0: its request alone has") {
		t.Errorf("a request that fits into no file: %v", err)
	}
	dir, end := t.TempDir(), errors.New("the store is damaged")
	if _, err := batch.WriteParts(dir, "m", batch.Limits{Requests: 2}, requests(3, end)); !errors.Is(err, end) {
		t.Errorf("error %v, want %v", err, end)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*-002*")); len(left) > 0 {
		t.Errorf("an unfinished file is left: %v", left)
	}
}

// What each line of an output says, as OpenAI documents it and as vllm run-batch 0.32 wrote it.
func TestLines(t *testing.T) {
	id := strings.Repeat("0a", 32)
	var key backends.Key
	if err := key.UnmarshalText([]byte(id)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, rest string
		format     batch.Format
		status     int
		body       string
		cause      backends.Cause
		unasked    string
	}{
		{"an answer", `"response":{"status_code":200,"request_id":"req_1","body":{"a":1}},"error":null`, batch.OpenAI, 200,
			`{"a":1}`, "", ""},
		{"an error of the server",
			`"response":{"status_code":400,"request_id":"r","body":{"error":{"message":"no"}}},"error":null`,
			batch.OpenAI, 400, `{"error":{"message":"no"}}`, "", ""},
		{"an error that is none", `"response":{"status_code":200,"request_id":"r","body":{"a":1}},"error":{}`, batch.OpenAI, 200,
			`{"a":1}`, "", ""},
		{"vLLM's answer", `"response":{"status_code":200,"request_id":"vllm-batch-1","body":{"a":1}},"error":null`,
			batch.VLLM, 200,
			`{"a":1}`, "", ""},
		{"vLLM's error", `"response":{"status_code":404,"request_id":"vllm-batch-1","body":null},` +
			`"error":{"error":{"message":"no such model"}}`, batch.VLLM, 404, `{"error":{"message":"no such model"}}`, "", ""},
		{"vLLM's text", `"response":{"status_code":400,"request_id":"vllm-batch-1","body":null},"error":"no such route"`,
			batch.VLLM, 400, `{"error":"no such route"}`, "", ""},
		{"expired", `"response":null,"error":{"code":"batch_expired","message":"late"}`, batch.OpenAI, 0, "", "",
			"batch_expired"},
		{"cancelled", `"error":{"code":"batch_cancelled"}`, batch.OpenAI, 0, "", "", "batch_cancelled"},
		{"another error", `"response":null,"error":{"code":"x","message":"y"}`, batch.OpenAI, 0, "",
			backends.ServerError, ""},
		{"an error of no shape", `"response":null,"error":["?"]`, batch.OpenAI, 0, "", backends.ServerError, ""},
		{"an answer and an error", `"response":{"status_code":200,"body":{"a":1}},"error":{"code":"x"}`, batch.OpenAI, 200,
			`{"a":1}`,
			backends.BadResponse, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "out.jsonl")
			if err := os.WriteFile(path, []byte(`{"id":"x","custom_id":"`+id+`",`+test.rest+"}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := batch.Read(t.Context(), []string{path})
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			if got := out.Unasked[key]; got != test.unasked || out.Has(key) != (got == "") {
				t.Fatalf("never asked: %q, want %q", got, test.unasked)
			}
			if test.unasked != "" {
				return
			}
			said, err := out.Of(key)
			if err != nil || len(said) != 1 {
				t.Fatal(said, err)
			}
			o := said[0]
			cause := backends.Cause("")
			if o.Failure != nil {
				cause = o.Failure.Cause
			}
			if o.Format != test.format || o.Reply.Status != test.status || string(o.Reply.Body) != test.body ||
				cause != test.cause {
				t.Errorf("%+v %s %v", o, o.Reply.Body, o.Failure)
			}
		})
	}
}

// A member of another type is said in JSON's words, and costs its own line alone, also where it is the first.
func TestMembersOfOtherTypes(t *testing.T) {
	id := strings.Repeat("0a", 32)
	good := `{"custom_id":"` + id + `","response":{"status_code":200,"body":{}},"error":null}`
	for _, test := range []struct{ name, line, says string }{
		{"a number for a name", `{"custom_id":7}`, "custom_id is the JSON value number, want a text"},
		{"null for a name", `{"custom_id":null,"response":{"status_code":200},"error":null}`, "has no custom_id"},
		{"an error without a name", `{"response":null,"error":{"message":"no"}}`, "has no custom_id"},
		{"a text for a status", `{"custom_id":"x","response":{"status_code":"200"}}`,
			"response.status_code is the JSON value text, want a whole number"},
		{"a fraction for a status", `{"custom_id":"x","response":{"status_code":200.0}}`,
			"response.status_code is the JSON value number 200.0, want a whole number"},
		{"a text for a response", `{"custom_id":"x","response":"ok"}`, "response is the JSON value text, want an object"},
		{"a list for a response", `{"custom_id":"x","response":[1]}`, "response is the JSON value array, want an object"},
		{"a list for a line", `[1]`, "it holds the JSON value array"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for first, lines := range map[bool][]string{true: {test.line, good}, false: {good, test.line}} {
				if first && test.line[0] == '[' {
					continue // a file that begins so is a list
				}
				path := filepath.Join(t.TempDir(), "out.jsonl")
				if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				out, err := batch.Read(t.Context(), []string{path})
				if err != nil {
					t.Fatal(err)
				}
				defer out.Close()
				if out.Lines != 1 || out.Broken != 1 {
					t.Fatalf("%d lines read, %d broken", out.Lines, out.Broken)
				}
				if why := out.Problems[0].Why; !strings.HasSuffix(why, test.says) || strings.Contains(why, "Go ") {
					t.Errorf("it says %q, want %q", why, test.says)
				}
			}
		})
	}
}

func TestManifest(t *testing.T) {
	dir := t.TempDir()
	if _, err := batch.ReadManifest(dir); !batch.Absent(err) {
		t.Errorf("no manifest: %v", err)
	}
	m := &batch.Manifest{Study: "s", Format: batch.VLLM,
		Models: []batch.Asked{{Model: "m", LabelMode: backends.LabelsText}}}
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := batch.ReadManifest(dir)
	if err != nil || got.Format != batch.VLLM || got.Models[0].LabelMode != backends.LabelsText {
		t.Errorf("%+v, %v", got, err)
	}
	for text, says := range map[string]string{
		`{}`:                              `lacks "infnet": "batch"`,
		`not JSON`:                        "is no manifest of a batch",
		`{"infnet":"batch","version":99}`: "is a manifest of version 99",
	} {
		path := filepath.Join(dir, batch.ManifestName)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := batch.ReadManifest(path); err == nil || batch.Absent(err) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Whatever a file holds, it is read or refused, and every key that has a line can be read again.
func FuzzRead(f *testing.F) {
	id := strings.Repeat("0a", 32)
	for _, text := range []string{"", "{}", "\x1f\x8b\x08",
		"{\"custom_id\":\"" + id + `","response":{"status_code":200,"body":{}}}`,
		"\xef\xbb\xbf \n{\"custom_id\":\"" + id + "\",\"error\":{}}\r\n}{\n"} {
		f.Add([]byte(text))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(dir, "out.jsonl")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := batch.Read(t.Context(), []string{path})
		if err != nil {
			return
		}
		defer out.Close()
		var key backends.Key
		if err := key.UnmarshalText([]byte(id)); err != nil {
			t.Fatal(err)
		}
		if said, err := out.Of(key); err != nil || out.Has(key) != (len(said) > 0) {
			t.Fatalf("%v, %v", said, err)
		}
	})
}
