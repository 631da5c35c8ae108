package huggingface_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"infnet/backends"
)

const secret = "hf_aVerySecretToken"

// form is how an endpoint writes a good answer.
type form int

const (
	present   form = iota // [{"label", "score"}, …], as the router answers; {"answer", …} for questions
	pipeline              // {"sequence", "labels", "scores"}, as dedicated endpoints answer; [{"answer", …}] for questions
	listed                // [{"sequence", "labels", "scores"}]
	nested                // [[{"label", "score"}, …]]
	formCount             // how many there are
)

// endpoint is a loopback endpoint that answers as the hub's do, after a script
// of bad answers for each text.
type endpoint struct {
	t      *testing.T
	server *httptest.Server
	form   form
	task   backends.HuggingFaceTask

	mu     sync.Mutex
	script map[string][]http.HandlerFunc // by text or question
	asked  map[string]int
	last   map[string]any // the last request's body
}

func serve(t *testing.T, task backends.HuggingFaceTask, f form) *endpoint {
	t.Helper()
	e := &endpoint{t: t, form: f, task: task, script: map[string][]http.HandlerFunc{}, asked: map[string]int{}}
	e.server = httptest.NewServer(e)
	t.Cleanup(e.server.Close)
	return e
}

func (e *endpoint) config(change ...func(*backends.HuggingFaceConfig)) backends.Config {
	c := backends.HuggingFaceConfig{
		Access:             backends.Access{URLs: []string{e.server.URL + "/hf-inference/models/owner/name"}, APIKey: secret},
		HuggingFaceOptions: backends.HuggingFaceOptions{Task: e.task}}
	if e.task == backends.ZeroShot {
		c.Text, c.End = "Review: ", "\nSentiment:"
	}
	for _, f := range change {
		f(&c)
	}
	id := backends.ModelID{ID: "owner/name", Revision: c.Revision("1"), Kind: backends.HuggingFace}
	return backends.Config{Model: id, Settings: &c}
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if got := r.Header.Get("Authorization"); got != "Bearer "+secret {
		e.t.Errorf("authorization %q", got)
	}
	if r.Method != http.MethodPost || r.URL.Path != "/hf-inference/models/owner/name" ||
		r.Header.Get("Content-Type") != "application/json" {
		e.t.Errorf("%s %s as %s", r.Method, r.URL, r.Header.Get("Content-Type"))
	}
	var body struct {
		Inputs     json.RawMessage `json:"inputs"`
		Parameters struct {
			Labels  []string `json:"candidate_labels"`
			Several *bool    `json:"multi_label"`
		} `json:"parameters"`
	}
	all := map[string]any{}
	d := json.NewDecoder(r.Body)
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil || json.Unmarshal(raw, &body) != nil || json.Unmarshal(raw, &all) != nil {
		e.t.Errorf("the request is not JSON: %v", err)
	}
	text, question := "", struct{ Question, Context string }{}
	if e.task == backends.ExtractiveQA {
		if err := json.Unmarshal(body.Inputs, &question); err != nil {
			e.t.Error(err)
		}
		text = question.Question
	} else if err := json.Unmarshal(body.Inputs, &text); err != nil {
		e.t.Errorf("inputs %s: the documented form is one text", body.Inputs)
	} else if body.Parameters.Several == nil || *body.Parameters.Several {
		e.t.Error("multi_label is not false")
	}
	e.mu.Lock()
	n := e.asked[text]
	e.asked[text]++
	e.last = all
	var fault http.HandlerFunc
	if n < len(e.script[text]) {
		fault = e.script[text][n]
	}
	e.mu.Unlock()
	if fault != nil {
		fault(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(e.good(text, question.Context, body.Parameters.Labels))
}

// fraction draws a number in (0,1) from texts.
func fraction(texts ...string) float64 {
	h := fnv.New32a()
	for _, t := range texts {
		h.Write([]byte(t + "\x00"))
	}
	return (float64(h.Sum32()) + 1) / (1<<32 + 2)
}

// scores are what the model says: a distribution over the labels.
func scores(text string, labels []string) map[string]float64 {
	out, sum := map[string]float64{}, 0.0
	for _, l := range labels {
		out[l] = fraction(text, l)
		sum += out[l]
	}
	for _, l := range labels {
		out[l] /= sum
	}
	return out
}

// good is a good answer in the endpoint's form, labels by falling score.
func (e *endpoint) good(text, passage string, labels []string) any {
	if e.task == backends.ExtractiveQA {
		a := map[string]any{"answer": strings.Fields(passage)[0], "score": fraction(text, passage), "start": 0, "end": 3}
		if e.form == present {
			return a
		}
		return []any{a, map[string]any{"answer": "worse", "score": fraction(text, passage) / 2, "start": 1, "end": 2}}
	}
	s := scores(text, labels)
	sorted := slices.Clone(labels)
	slices.SortFunc(sorted, func(a, b string) int {
		if s[a] > s[b] {
			return -1
		}
		return 1
	})
	var list []any
	values := make([]float64, len(sorted))
	for i, l := range sorted {
		values[i] = s[l]
		list = append(list, map[string]any{"label": l, "score": s[l]})
	}
	whole := map[string]any{"sequence": text, "labels": sorted, "scores": values}
	switch e.form {
	case pipeline:
		return whole
	case listed:
		return []any{whole}
	case nested:
		return []any{list}
	}
	return list
}

// The faults.

func status(code int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

func says(body string) http.HandlerFunc { return status(http.StatusOK, body) }
