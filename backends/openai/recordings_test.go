package openai

import (
	"bytes"
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
)

// Recordings are what real servers answered, one file a call, under
// testdata/recordings/SERVER-VERSION. They are made by
//
//	INFNET_VLLM=http://127.0.0.1:8000 go test ./backends/openai -run TestRecordings -record
//
// against a vLLM that serves experiments/models/tiny-student as its page says.
var record = flag.Bool("record", false, "write down what the real vLLM of INFNET_VLLM answers")

const recordings = "testdata/recordings/vllm-0.32"

// recording is one call and its answer.
type recording struct {
	Route    string         `json:"route"`
	Request  map[string]any `json:"request,omitempty"` // none: GET
	Status   int            `json:"status"`
	Response any            `json:"response"`
}

// recorded lists the calls: every route and mode that is used.
func recorded() map[string]recording {
	const prompt = "Review: good food\nSentiment:"
	raw := func(more map[string]any) recording {
		q := map[string]any{"model": "tiny-student", "prompt": prompt, "max_tokens": 1, "temperature": 0, "top_p": 1,
			"seed": 0}
		for k, v := range more {
			q[k] = v
		}
		return recording{Route: "/v1/completions", Request: q}
	}
	chat := func(more map[string]any) recording {
		q := map[string]any{"model": "tiny-student", "messages": []any{map[string]any{"role": "user", "content": prompt}},
			"max_tokens": 1, "temperature": 0, "top_p": 1, "seed": 0}
		for k, v := range more {
			q[k] = v
		}
		return recording{Route: "/v1/chat/completions", Request: q}
	}
	type m = map[string]any
	ids, bias, choice := []int{300, 400}, m{"300": 100,
		"400": 100}, m{"choice": []string{"positive", " positive", "negative", " negative"}}
	out := map[string]recording{
		"models":  {Route: "/v1/models"},
		"version": {Route: "/version"},
		"tokenize": {Route: "/tokenize",
			Request: m{"model": "tiny-student", "prompt": ": positive", "add_special_tokens": false, "return_token_strs": true}},
		"detokenize": {Route: "/detokenize", Request: m{"model": "tiny-student", "tokens": []int{368}}},
		"raw-ids":    raw(m{"logprobs": 2, "logprob_token_ids": ids, "return_tokens_as_token_ids": true}),
		"raw-ids-chosen": raw(m{"logprobs": 2, "logprob_token_ids": []int{368, 400},
			"return_tokens_as_token_ids": true}),
		"raw-bias":       raw(m{"logprobs": 5, "logit_bias": bias, "return_tokens_as_token_ids": true}),
		"raw-structured": raw(m{"logprobs": 20, "structured_outputs": m{"choice": []string{" positive", " negative"}}}),
		"raw-echo":       raw(m{"logprobs": 1, "echo": true, "prompt": prompt + " positive"}),
		"raw-text":       raw(m{"max_tokens": 8}),
		"raw-grammar":    raw(m{"grammar": `root ::= "qvx"`}),
		"raw-stop":       raw(m{"max_tokens": 8, "logprobs": 1, "stop": []string{"\n"}}),
		"chat-ids": chat(m{"logprobs": true, "top_logprobs": 2, "logprob_token_ids": ids,
			"return_tokens_as_token_ids": true}),
		"chat-bias":           chat(m{"logprobs": true, "top_logprobs": 3, "logit_bias": bias}),
		"chat-structured":     chat(m{"logprobs": true, "top_logprobs": 20, "structured_outputs": choice}),
		"chat-text":           chat(m{"max_tokens": 8}),
		"raw-too-many":        raw(m{"logprobs": 21}),
		"chat-too-many":       chat(m{"logprobs": true, "top_logprobs": 21}),
		"raw-ids-no-logprobs": raw(m{"logprob_token_ids": ids}),
		"raw-ids-unknown":     raw(m{"logprobs": 1, "logprob_token_ids": []int{99999}}),
		"raw-too-long":        raw(m{"prompt": strings.Repeat("good food ", 600)}),
		"raw-other-model":     raw(m{"model": "somebody-else"}),
		"raw-wrong-type":      raw(m{"max_tokens": "many"}),
		"raw-unknown-field":   raw(m{"no_such_field": 1}),
		"no-such-route":       {Route: "/v1/no-such-route"},
	}
	for _, n := range []int{0, 1, 5, 20} {
		out[fmt.Sprintf("raw-logprobs-%d", n)] = raw(m{"logprobs": n})
		out[fmt.Sprintf("chat-logprobs-%d", n)] = chat(m{"logprobs": true, "top_logprobs": n})
	}
	return out
}

// call makes a recorded call.
func (r recording) call(t *testing.T, root string) recording {
	t.Helper()
	var resp *http.Response
	var err error
	if r.Request == nil {
		resp, err = http.Get(root + r.Route)
	} else {
		var b []byte
		if b, err = json.Marshal(r.Request); err == nil {
			resp, err = http.Post(root+r.Route, "application/json", bytes.NewReader(b))
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
	if err := json.Unmarshal(b, &r.Response); err != nil {
		t.Fatalf("%s: %v: %.200s", r.Route, err, b)
	}
	return r
}

// load reads a recording.
func load(t *testing.T, name string) (r recording) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(recordings, name+".json"))
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

// A real vLLM still answers as it was recorded: the same status and structure.
// With -record it is written down.
func TestRecordings(t *testing.T) {
	root := os.Getenv("INFNET_VLLM")
	if root == "" {
		t.Skip("INFNET_VLLM is not set: the recordings were held against no server (set it to the root URL of a vLLM that " +
			"serves experiments/models/tiny-student)")
	}
	for name, r := range recorded() {
		got := r.call(t, root)
		if *record {
			b, err := json.Marshal(got)
			if err == nil {
				err = os.MkdirAll(recordings, 0o755)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(recordings, name+".json"), append(b, '\n'), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		if want := load(t, name); got.Status != want.Status || shape(got.Response) != shape(want.Response) {
			t.Errorf("%s: status %d\n%s\nrecorded %d\n%s", name, got.Status, shape(got.Response), want.Status,
				shape(want.Response))
		}
	}
}

// The client on a server that plays the recordings: each is read as what it is.
func TestReadsRecordings(t *testing.T) {
	for name := range recorded() {
		r := load(t, name)
		body, err := json.Marshal(r.Response)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case r.Status != 200:
			f := httpfailure.Status(r.Status, http.Header{}, body, started)
			want := backends.BadRequest
			if name == "raw-too-long" {
				want = backends.TooLong
			}
			if f.Cause != want || f.Message == "" || f.Temporary() {
				t.Errorf("%s: %v, want %s", name, f, want)
			}
		case strings.HasSuffix(r.Route, "completions"):
			reply, f := decode(body, "application/json")
			if f != nil {
				t.Errorf("%s: %v", name, f)
				continue
			}
			steps, f := reply.Choices[0].Logprobs.steps()
			if f != nil {
				t.Errorf("%s: %v", name, f)
			}
			top := 0
			if len(steps) > 0 {
				top = reported(steps[len(steps)-1])
			}
			if want, ok := listed32[name]; ok && top != want {
				t.Errorf("%s: %d alternatives, want %d", name, top, want)
			}
		case name == "tokenize":
			if list := readTokens(body); len(list) != 2 || list[1].id != 368 || list[1].text != " positive" {
				t.Errorf("tokenize: %+v", list)
			}
		}
	}
}

// started stands for the clock, which no recording looks at.
var started = time.Unix(0, 0)

// listed32 is how many alternatives the recordings hold, counted by hand: ids
// come beside the chosen token, unless that is among them.
var listed32 = map[string]int{
	"raw-logprobs-1": 1, "raw-logprobs-5": 5, "raw-logprobs-20": 20, "chat-logprobs-0": 0, "chat-logprobs-1": 1,
	"chat-logprobs-5": 5, "chat-logprobs-20": 20,
	"raw-ids": 3, "raw-ids-chosen": 2, "chat-ids": 3, "chat-bias": 3, "chat-structured": 20,
}

// The fake answers in the recorded structure: every field that a recording has,
// with the same kind of value, wherever the client reads it.
func TestFakeIsAsRecorded(t *testing.T) {
	_, url := serve(t, flavours["vllm"])
	root := strings.TrimSuffix(url, "/v1")
	for _, name := range []string{"tokenize", "raw-logprobs-5", "raw-logprobs-20", "raw-ids", "chat-logprobs-5",
		"chat-ids", "chat-structured", "raw-echo"} {
		r := load(t, name)
		want := r.Response
		r.Request["model"], r.Response = "m", nil
		if r.Request["logprob_token_ids"] != nil {
			r.Request["logprob_token_ids"] = []int{6, 7} // of the fake's vocabulary
		}
		got := r.call(t, root)
		if got.Status != 200 {
			t.Errorf("%s: status %d: %v", name, got.Status, got.Response)
			continue
		}
		if a, b := shape(read(got.Response)), shape(read(want)); a != b {
			t.Errorf("%s: the fake answers\n%s\nrecorded\n%s", name, a, b)
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
