package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
)

// Recordings are what real servers answered, one file a call, under
// testdata/recordings/SERVER-VERSION. They are made by
//
//	go test ./backends/openai -run TestRecordings -record
//
// where the engines are on the PATH, each serving experiments/models/tiny-student
// as its page says.
var record = flag.Bool("record", false, "write down what real servers answer now")

// recording is one call and its answer. Response is text where it is no JSON.
type recording struct {
	Route    string         `json:"route"`
	Request  map[string]any `json:"request,omitempty"` // none: GET
	Status   int            `json:"status"`
	Response any            `json:"response"`
}

// alone makes each call on a connection of its own: transformers serve closes one on which it answered 500.
var alone = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// call makes a recorded call.
func (r recording) call(t *testing.T, root string) recording {
	t.Helper()
	var resp *http.Response
	var err error
	if r.Request == nil {
		resp, err = alone.Get(root + r.Route)
	} else {
		var b []byte
		if b, err = json.Marshal(r.Request); err == nil {
			resp, err = alone.Post(root+r.Route, "application/json", bytes.NewReader(b))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	r.Status = resp.StatusCode
	if json.Unmarshal(b, &r.Response) != nil {
		r.Response = string(b)
	}
	return r
}

// load reads a recording.
func (s recorded) load(t *testing.T, name string) (r recording) {
	t.Helper()
	b, err := os.ReadFile(s.file(name))
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// shape is the structure of a JSON value: field names and kinds of values, of a
// list the shapes in it, each once. Tables keyed by tokens count as their values.
func shape(v any) string {
	switch v := v.(type) {
	case map[string]any:
		var fields []string
		for _, k := range sortedKeys(v) {
			name := k
			if k == "top_logprobs" {
				if list, ok := v[k].([]any); ok && len(list) > 0 {
					if table, ok := list[len(list)-1].(map[string]any); ok && table["token"] == nil {
						fields = append(fields, "top_logprobs:tables")
						continue
					}
				}
			}
			fields = append(fields, name+":"+shape(v[k]))
		}
		return "{" + strings.Join(fields, " ") + "}"
	case []any:
		var kinds []string
		for _, x := range v {
			if s := shape(x); !slices.Contains(kinds, s) {
				kinds = append(kinds, s)
			}
		}
		sort.Strings(kinds)
		return "[" + strings.Join(kinds, "|") + "]"
	case nil:
		return "null"
	}
	return fmt.Sprintf("%T", v)
}

func sortedKeys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// file is where a recording is.
func (s recorded) file(name string) string {
	return filepath.Join("testdata", "recordings", s.folder, name+".json")
}

// body is a response as it came.
func (r recording) body(t *testing.T) []byte {
	t.Helper()
	if text, ok := r.Response.(string); ok {
		return []byte(text)
	}
	b, err := json.Marshal(r.Response)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Real servers still answer as they were recorded: the same status and structure.
// With -record it is written down.
func TestRecordings(t *testing.T) {
	for name, s := range recordedServers() {
		t.Run(name, func(t *testing.T) {
			root := os.Getenv(s.root)
			if root == "" && s.start == nil {
				t.Skipf("%s is not set: the recordings were compared with no server (set it to the root URL of one)", s.root)
			}
			if root == "" {
				root = s.start(t)
			}
			for name, r := range s.calls(s.model) {
				got := r.call(t, root)
				if *record {
					s.write(t, name, got)
				} else if want := s.load(t, name); got.Status != want.Status || shape(got.Response) != shape(want.Response) {
					t.Errorf("%s: status %d\n%s\nrecorded %d\n%s", name, got.Status, shape(got.Response), want.Status,
						shape(want.Response))
				}
			}
		})
	}
}

// write keeps a recording.
func (s recorded) write(t *testing.T, name string, r recording) {
	t.Helper()
	b, err := json.Marshal(r)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(s.file(name)), 0o755)
	}
	if err == nil {
		err = os.WriteFile(s.file(name), append(b, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The client on servers that play the recordings: each is read as what it is.
func TestReadsRecordings(t *testing.T) {
	for server, s := range recordedServers() {
		for name := range s.calls(s.model) {
			t.Run(server+"/"+name, func(t *testing.T) { s.reads(t, name) })
		}
	}
}

func (s recorded) reads(t *testing.T, name string) {
	r := s.load(t, name)
	body := r.body(t)
	switch {
	case r.Status != 200:
		f := httpfailure.Status(r.Status, http.Header{}, body, started)
		want := cmp.Or(s.causes[name], backends.BadRequest)
		if f.Cause != want || f.Message == "" || f.Temporary() != (want == backends.ServerError) {
			t.Errorf("%v, want %s", f, want)
		}
	case strings.HasSuffix(r.Route, "completions"):
		reply, f := decode(&wire.Reply{Body: body})
		if f != nil {
			t.Fatal(f)
		}
		steps, f := reply.steps()
		if f != nil {
			t.Error(f)
		}
		top := 0
		if len(steps) > 0 {
			top = len(steps[len(steps)-1].top)
		}
		if want, ok := s.listed[name]; ok && top != want {
			t.Errorf("%d alternatives, want %d", top, want)
		}
	case name == "tokenize":
		if list := readTokens(body); len(list) != 2 || list[1].id != 368 || list[1].text != " positive" {
			t.Errorf("%+v", list)
		}
	}
}

// started stands for the clock, which no recording looks at.
var started = time.Unix(0, 0)

// The fakes answer in the recorded structure: every field that a recording has,
// with the same kind of value, wherever the client reads it.
func TestFakeIsAsRecorded(t *testing.T) {
	for server, s := range recordedServers() {
		_, url := serve(t, flavours[s.flavour])
		root := strings.TrimSuffix(url, "/v1")
		for _, name := range s.alike {
			r := s.load(t, name)
			want := r.Response
			r.Request["model"], r.Response = "m", nil
			if r.Request["logprob_token_ids"] != nil {
				r.Request["logprob_token_ids"] = []int{6, 7} // of the fake's vocabulary
			}
			got := r.call(t, root)
			if got.Status != 200 {
				t.Errorf("%s, %s: status %d: %v", server, name, got.Status, got.Response)
				continue
			}
			if a, b := shape(read(got.Response)), shape(read(want)); a != b {
				t.Errorf("%s, %s: the fake answers\n%s\nrecorded\n%s", server, name, a, b)
			}
		}
	}
}

// read keeps of an answer what the client looks at.
func read(v any) any {
	m, ok := v.(map[string]any)
	if !ok || m["choices"] == nil {
		return v
	}
	c := m["choices"].([]any)[0].(map[string]any)
	usage := m["usage"].(map[string]any)
	out := map[string]any{"finish_reason": c["finish_reason"], "logprobs": c["logprobs"],
		"prompt_tokens": usage["prompt_tokens"], "completion_tokens": usage["completion_tokens"]}
	if c["message"] != nil {
		out["content"] = c["message"].(map[string]any)["content"]
	} else {
		out["text"] = c["text"]
	}
	return out
}
