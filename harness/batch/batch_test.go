package batch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/backends"
)

// Files are full to the limit and no fuller, and together they are all requests in their order.
func TestWriteParts(t *testing.T) {
	lines := func(n int, end error) func(func([]byte, error) bool) {
		return func(yield func([]byte, error) bool) {
			for i := range n {
				if !yield(fmt.Appendf(nil, `{"n":%03d}`, i), nil) { // 9 bytes, 10 with the line feed
					return
				}
			}
			if end != nil {
				yield(nil, end)
			}
		}
	}
	for _, test := range []struct {
		name     string
		n        int
		requests int
		bytes    int64
		parts    []int // requests of each file
	}{
		{"nothing", 0, 2, 100, nil},
		{"requests", 5, 2, 100, []int{2, 2, 1}},
		{"as many as fit", 4, 2, 100, []int{2, 2}},
		{"bytes", 5, 9, 20, []int{2, 2, 1}},
		{"a byte too few", 3, 9, 19, []int{1, 1, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			parts, err := writeParts(dir, "m", lines(test.n, nil), test.requests, test.bytes)
			if err != nil {
				t.Fatal(err)
			}
			var sizes []int
			var all, want strings.Builder
			for i, p := range parts {
				text, err := os.ReadFile(filepath.Join(dir, p.Name))
				if err != nil || p.Name != fmt.Sprintf("m-%03d.jsonl", i+1) || int64(len(text)) != p.Bytes {
					t.Errorf("part %+v has %d bytes, %v", p, len(text), err)
				}
				sizes = append(sizes, p.Requests)
				all.Write(text)
			}
			for line := range lines(test.n, nil) {
				want.Write(append(line, '\n'))
			}
			if !slices.Equal(sizes, test.parts) || all.String() != want.String() {
				t.Errorf("files of %v requests, want %v:\n%s", sizes, test.parts, all.String())
			}
		})
	}
	if _, err := writeParts(t.TempDir(), "m", lines(1, nil), 1, 5); err == nil ||
		!strings.Contains(err.Error(), "a request alone has 10 bytes") {
		t.Errorf("a request that fits into no file: %v", err)
	}
	dir, end := t.TempDir(), errors.New("the store is damaged")
	if _, err := writeParts(dir, "m", lines(3, end), 2, 100); !errors.Is(err, end) {
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
		status     int
		body       string
		cause      backends.Cause
		expired    bool
	}{
		{"an answer", `"response":{"status_code":200,"request_id":"req_1","body":{"a":1}},"error":null`, 200, `{"a":1}`, "",
			false},
		{"an error of the server", `"response":{"status_code":400,"body":{"error":{"message":"no"}}},"error":null`, 400,
			`{"error":{"message":"no"}}`, "", false},
		{"an error that is none", `"response":{"status_code":200,"body":{"a":1}},"error":{}`, 200, `{"a":1}`, "", false},
		{"vLLM's error", `"response":{"status_code":404,"request_id":"vllm-batch-1","body":null},` +
			`"error":{"error":{"message":"no such model"}}`, 404, `{"error":{"message":"no such model"}}`, "", false},
		{"vLLM's text", `"response":{"status_code":400,"request_id":"vllm-batch-1","body":null},"error":"no such route"`,
			400, `{"error":"no such route"}`, "", false},
		{"expired", `"response":null,"error":{"code":"batch_expired","message":"late"}`, 0, "", "", true},
		{"cancelled", `"error":{"code":"batch_cancelled"}`, 0, "", "", true},
		{"another error", `"response":null,"error":{"code":"x","message":"y"}`, 0, "", backends.ServerError, false},
		{"an error of no shape", `"response":null,"error":["?"]`, 0, "", backends.ServerError, false},
		{"an answer and an error", `"response":{"status_code":200,"body":{"a":1}},"error":{"code":"x"}`, 200, `{"a":1}`,
			backends.BadResponse, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "out.jsonl")
			if err := os.WriteFile(path, []byte(`{"id":"x","custom_id":"`+id+`",`+test.rest+"}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := Read(t.Context(), []string{path})
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			if out.Has(key) == test.expired || (out.Expired == 1) != test.expired {
				t.Fatalf("never asked: %d, want %v", out.Expired, test.expired)
			}
			if test.expired {
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
			if o.Reply.Status != test.status || string(o.Reply.Body) != test.body || cause != test.cause {
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
			for _, lines := range [][]string{{test.line, good}, {good, test.line}} {
				path := filepath.Join(t.TempDir(), "out.jsonl")
				if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				out, err := Read(t.Context(), []string{path})
				if err != nil {
					t.Fatal(err)
				}
				defer out.Close()
				if len(out.Strange)+len(out.at) != 1 || out.Broken != 1 {
					t.Fatalf("%d lines read, %d broken", len(out.Strange)+len(out.at), out.Broken)
				}
				if why := out.Problems[0]; !strings.HasSuffix(why, test.says) || strings.Contains(why, "Go ") {
					t.Errorf("it says %q, want %q", why, test.says)
				}
			}
		})
	}
}

func TestManifest(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadManifest(dir); !Absent(err) {
		t.Errorf("no manifest: %v", err)
	}
	m := &Manifest{Study: "s", Models: []Asked{{Model: "m", LabelMode: backends.LabelsText}}}
	if err := m.write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := ReadManifest(dir)
	if err != nil || got.Study != "s" || got.Models[0].LabelMode != backends.LabelsText {
		t.Errorf("%+v, %v", got, err)
	}
	for text, says := range map[string]string{
		`{}`:       `lacks "infnet": "batch"`,
		`not JSON`: "is no manifest of a batch",
	} {
		path := filepath.Join(dir, ManifestName)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadManifest(path); err == nil || Absent(err) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Whatever a file holds, it is read or refused, and every key that has a line can be read again.
func FuzzRead(f *testing.F) {
	id := strings.Repeat("0a", 32)
	for _, text := range []string{"", "{}",
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
		out, err := Read(t.Context(), []string{path})
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
