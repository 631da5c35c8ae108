package decisions_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/decisions"
	"infnet/harness/confidence"
)

// recording is a call to any2jev 0.1.0 (PyPI, `any2jev serve`, on a model of random weights), as it was sent and came.
type recording struct {
	Request, Response json.RawMessage
}

func recorded(t *testing.T, name string) (r recording) {
	t.Helper()
	b, err := os.ReadFile("testdata/any2jev-0.1.0/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// reply is what a server says, with the values that a test wants, in another order than asked.
func reply(first float64) string {
	return fmt.Sprintf(`{"model":"jev","answers":{"class":{"type":"choice","choice":%q,"probabilities":{"b c":%v,"a":%v},`+
		`"confidence":0.5,"option_mass":0.75,"temperature":1.5}},"usage":{"input_tokens":7,"output_tokens":9},"latency_ms":3.1}`,
		best(first), 1-first, first)
}

func best(first float64) string {
	if first >= 0.5 {
		return "a"
	}
	return "b c"
}

// share is a probability that follows from the state: a quarter or three quarters.
func share(state string) float64 { return 0.25 + 0.5*float64(len(state)%2) }

// server answers any request.
type server struct{}

func (server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ State string }
	if json.NewDecoder(r.Body).Decode(&body) != nil || r.URL.Path != "/v1/systemone" {
		http.Error(w, "what?", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, reply(share(body.State)))
}

func config(url string) backends.Config {
	c := &backends.DecisionsConfig{Access: backends.Access{URLs: []string{url + "/v1"}}}
	return backends.Config{Settings: c,
		Model: backends.ModelID{ID: "jev", Revision: c.Revision("1"), Kind: backends.Decisions}}
}

func open(t *testing.T, c backends.Config) *decisions.Model {
	t.Helper()
	m, err := decisions.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func requests(c backends.Config, n int) (out []backends.Request) {
	for i := range n {
		out = append(out, backends.Request{Model: c.Model, Mode: backends.Raw, Served: "jev", Question: "Which?",
			Prompt: "state " + strings.Repeat("x", i), Labels: []string{" a", " b c"}, Criteria: []string{"", "the other"}})
	}
	return out
}

func TestSuite(t *testing.T) {
	s := httptest.NewServer(server{})
	defer s.Close()
	c := config(s.URL)
	bad := requests(c, 6)
	bad[0].Labels = []string{" a", "a"}
	bad[1].Labels = []string{" a", " "}
	bad[2].Question = ""
	bad[3].Mode = backends.Chat
	bad[4].Labels, bad[4].Criteria, bad[4].MaxTokens = nil, nil, 3
	bad[5].Criteria = []string{"one"}
	backendtest.Run(t, func(t *testing.T) backends.Model { return open(t, c) }, backendtest.Options{
		Requests: requests(c, 5), Bad: bad, Takes: []backends.Part{backends.QuestionPart}})
}

// What replies may say wrongly is a failure, never an answer. The replies are the good one with a change.
func TestReplies(t *testing.T) {
	says := func(name, text string, cause backends.Cause) backendtest.Reply {
		return backendtest.Reply{Name: name, Says: func(string) string { return text }, Cause: cause}
	}
	swap := func(name, old, new string, cause backends.Cause) backendtest.Reply {
		good := reply(0.75)
		if !strings.Contains(good, old) {
			t.Fatalf("%s: %q is not in %s", name, old, good)
		}
		return says(name, strings.ReplaceAll(good, old, new), cause)
	}
	bad := backends.BadResponse
	own := []backendtest.Reply{
		says("an error called success", `{"error":"out of memory"}`, backends.ServerError),
		says("nothing in it", `{}`, bad),
		swap("another model's name", `"jev"`, `"laya"`, backends.OtherModel),
		swap("no model's name", `"model":"jev",`, ``, bad),
		swap("another question's answer", `"class"`, `"urgency"`, bad),
		swap("another type", `"type":"`, `"type":"box","was":"`, bad),
		swap("NaN", `0.75`, `NaN`, bad),
		swap("a text", `0.75`, `"0.75"`, bad),
		swap("below 0", `0.75`, `-0.75`, bad),
		swap("above 1", `0.75`, `1.75`, bad),
		swap("null", `0.75`, `null`, bad),
	}
	own = append(own, says("partial", `{"model":"jev","answers":{}}`, bad),
		says("a list", `{"model":"jev","answers":[{"type":"choice","name":"class"}]}`, bad),
		swap("a further answer", `"answers":{`, `"answers":{"other":{"type":"choice"},`, bad),
		swap("a sum below 1", `0.25`, `0.2`, bad), swap("a sum above 1", `0.25`, `0.35`, bad),
		swap("a choice that is not the largest", `"choice":"a"`, `"choice":"b c"`, bad),
		swap("a choice that was not offered", `"choice":"a"`, `"choice":"A"`, bad),
		swap("no choice", `"choice":"a",`, ``, bad),
		swap("an unknown option", `b c`, `d`, bad),
		swap("an option twice", `"b c":0.25`, `"a":0.75,"b c":0.25`, bad),
		swap("a missing option", `"b c":0.25,`, ``, bad),
		swap("a further option", `"b c":0.25`, `"b c":0.25,"d":0`, bad),
		swap("a mass above 1", `"option_mass":0.75`, `"option_mass":2`, bad),
		swap("a confidence above 1", `"confidence":`, `"confidence":1.5,"was":`, bad))
	backendtest.RunReplies(t, server{}, func(t *testing.T, url string) backends.Model {
		return open(t, config(url))
	}, requests(config(""), 1), own)
}

// ask asks one thing of a server that answers with a text whatever it is asked, and returns what it was sent.
func ask(t *testing.T, text string, r backends.Request, c backends.Config) (a backends.Answer, sent map[string]any) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(&sent)
		fmt.Fprint(w, text)
	}))
	defer s.Close()
	c.Settings.(*backends.DecisionsConfig).URLs = []string{s.URL + "/v1"}
	as, err := open(t, c).Answer(t.Context(), []backends.Request{r})
	if err != nil {
		t.Fatal(err)
	}
	return as[0], sent
}

// β is the server's probability, whatever the order of its options; tokens, mass, name and what the vendor says besides
// are kept.
func TestReads(t *testing.T) {
	c := config("")
	a, _ := ask(t, reply(0.25), requests(c, 1)[0], c)
	if a.Failure != nil || a.Text != " b c" || a.Model != "jev" {
		t.Fatalf("%+v", a)
	}
	for i, want := range []float64{0.25, 0.75} {
		if got := math.Exp(a.Labels[i].Logprob); math.Abs(got-want) > 1e-15 {
			t.Errorf("label %d: %v, want %v", i, got, want)
		}
	}
	u := backends.Usage{Prompt: backends.Counted(7), Completion: backends.Counted(9)}
	if a.Usage != u {
		t.Errorf("usage %+v, want %+v", a.Usage, u)
	}
	v := backends.Vendor{Probability: 0.75, Confidence: new(0.5), Temperature: new(1.5)}
	if diff := cmp.Diff(&v, a.Vendor); diff != "" {
		t.Errorf("the vendor says (-want +got)\n%s", diff)
	}
	if a.LabelMass == nil || *a.LabelMass != (backends.Mass{Low: 0.75, High: 0.75}) {
		t.Errorf("mass %v", a.LabelMass)
	}
}

// Sums that rounding explains are sums to 1: of 3 options to 2 digits at most 0.015 off, of 2 to 2 digits 0.01.
func TestRounded(t *testing.T) {
	c := config("")
	r := requests(c, 1)[0]
	r.Labels, r.Criteria = []string{"a", "b", "c"}, nil
	for given, good := range map[string]bool{
		`"a":0.34,"b":0.33,"c":0.33`: true, `"a":0.33,"b":0.33,"c":0.33`: true, `"a":0.33,"b":0.33,"c":0.32`: false,
		`"a":0.3334,"b":0.3333,"c":0.3332`: true, `"a":0.3334,"b":0.3333,"c":0.3311`: false,
		`"a":1,"b":0,"c":0`: true, `"a":1,"b":1e-9,"c":0`: true,
	} {
		a, _ := ask(t, `{"model":"jev","answers":{"class":{"type":"choice","choice":"a","probabilities":{`+given+`}}}}`, r, c)
		if (a.Failure == nil) != good {
			t.Errorf("%s: %v, want good %v", given, a.Failure, good)
		}
	}
}

// Of options that rounding made equal the server's choice is the class, and β is what was written: of 0.4, 0.4 and 0.19
// no softmax gives it back. Sums that only a great many options could excuse are none.
func TestRoundedTies(t *testing.T) {
	c := config("")
	r := requests(c, 1)[0]
	r.Labels, r.Criteria = []string{"a", "b", "c"}, nil
	for _, score := range []confidence.Score{confidence.Softmax, confidence.Vendor} {
		a, _ := ask(t, `{"model":"jev","answers":{"class":{"type":"choice","choice":"b","confidence":0.1,`+
			`"probabilities":{"a":0.4,"b":0.4,"c":0.19}}}}`, r, c)
		got, err := confidence.Scale{Score: score}.Read(a)
		want := map[confidence.Score]float64{confidence.Softmax: 0.4, confidence.Vendor: 0.1}[score]
		if err != nil || a.Text != "b" || got.Class != 1 || got.Beta != want {
			t.Errorf("%s: %q, %+v, %v", score, a.Text, got, err)
		}
	}
	var all []string
	r.Labels = nil
	for i := range 200 {
		r.Labels = append(r.Labels, fmt.Sprint(i))
		all = append(all, fmt.Sprintf(`"%d":%v`, i, []float64{0, 0.9}[min(1, i/198)]))
	}
	a, _ := ask(t, `{"model":"jev","answers":{"class":{"type":"choice","choice":"198","probabilities":{`+
		strings.Join(all, ",")+`}}}}`, r, c)
	if a.Failure == nil {
		t.Error("two options of 0.9 and 198 of 0 sum to 1")
	}
}

// The client sends what the recorded request is, and reads what any2jev said to it.
func TestRecordings(t *testing.T) {
	r := backends.Request{Mode: backends.Raw, Served: "any2jev-latest", Question: "Which section is the article from?",
		Prompt: "Article: Oil prices fell again on Tuesday.", Labels: []string{" World", " Business"},
		Criteria: []string{"", "markets and companies"}}
	c := config("")
	c.Settings.(*backends.DecisionsConfig).Served = "any2jev-latest"
	r.Model = c.Model
	rec := recorded(t, "choice")
	a, sent := ask(t, string(rec.Response), r, c)
	if a.Failure != nil || a.Text != " Business" {
		t.Fatalf("%+v", a)
	}
	var want map[string]any
	if err := json.Unmarshal(rec.Request, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("sent (-want +got)\n%s", diff)
	}
	for i, p := range []float64{0.4998, 0.5002} { // as the recording has them
		if got := math.Exp(a.Labels[i].Logprob); math.Abs(got-p) > 1e-12 {
			t.Errorf("label %d has %v, want %v", i, got, p)
		}
	}
}

// A check-up finds who answers, and what is wrong.
func TestExamine(t *testing.T) {
	s := httptest.NewServer(server{})
	defer s.Close()
	m := open(t, config(s.URL))
	found, alive := m.Examine(t.Context(), backends.Examination{Mode: backends.Raw})
	if alive { // the server offers a and b c, and the check-up asks about green and red
		t.Errorf("%v", found)
	}
	if len(found) != 1 || found[0].Verdict != backends.Broken || found[0].Fix == "" {
		t.Errorf("%+v", found)
	}
	s.Close()
	if c := m.Confirm(t.Context(), func(string) bool { return false }); len(c) != 1 || c[0].Err == nil {
		t.Errorf("%+v", c)
	}
}
