package decide

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"infnet/harness/policy"
	"infnet/harness/policy/deploy"
	"infnet/harness/routing"
)

// file writes a thresholds file: per class, 0.7 of red and 0.95 of blue, as change makes it.
func file(t testing.TB, change func(*deploy.File)) string {
	t.Helper()
	d := deploy.File{
		About: deploy.About{
			Student: deploy.Model{Name: "small", ID: "org/small"}, Master: deploy.Model{Name: "large", ID: "org/large"},
			Confidence: deploy.Confidence{Score: "given"}, Calibration: deploy.Calibration{Method: "none"},
		},
		Thresholds: []deploy.ClassThreshold{{Class: "red", Theta: 0.7}, {Class: "blue", Theta: 0.95}},
		Fit: deploy.Fit{Setting: "non-oracle", Method: "exact", Objective: "deferrals", Target: "master", Feasible: true,
			Records: 4},
		Certificate: &policy.Certificate{Optimal: true},
	}
	if change != nil {
		change(&d)
	}
	text, err := deploy.Encode(map[string]deploy.File{"p": d})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "thresholds.toml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// score makes one threshold for all, of a confidence that is read.
func score(name string, theta float64) func(*deploy.File) {
	return func(d *deploy.File) {
		d.Confidence.Score, d.Thresholds = name, []deploy.ClassThreshold{{Theta: theta}}
	}
}

func decider(t testing.TB, path string, o Options) *Decider {
	t.Helper()
	r, err := routing.Load(path, routing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(r, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// post sends a body and returns status and answer.
func post(t testing.TB, h http.Handler, body string) (int, map[string]any) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/decide", strings.NewReader(body)))
	var out map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("%q: %v", w.Body, err)
	}
	return w.Code, out
}

// 10,000 records over HTTP are decided as infnet route decides them in a file: at random, at the thresholds and beside
// them, 0, 1, no numbers, and every class and others; by class, calibrated, and by a mixture's coin.
func TestDecidesAsRoute(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*deploy.File)
	}{
		{"by class", nil},
		{"calibrated", func(d *deploy.File) {
			d.Calibration = deploy.Calibration{Method: "platt", Parameters: map[string]float64{"a": 3.1, "b": 0.37}}
		}},
		{"a mixture", func(d *deploy.File) {
			d.Mixture = &deploy.Mixture{Alpha: 0.3, Lax: []deploy.ClassThreshold{{Theta: 0.2}}}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := file(t, tt.change)
			server := httptest.NewServer(decider(t, path, Options{Fields: routing.Options{Seed: 7}}))
			defer server.Close()
			rng := rand.New(rand.NewPCG(5, 6))
			special := []string{"0", "1", "0.7", "0.95", strconv.FormatFloat(math.Nextafter(0.7, 0), 'g', -1, 64),
				"0.9499999999999999", "5e-324", `"0.8"`, "1.5", "-0.1", `"NaN"`, "null", "1e999",
				"-1e999", `"+Inf"`, `"-Inf"`, `"Infinity"`, "-0", `"-0"`, "-5e-324", "1.0000000000000002",
				strconv.FormatFloat(math.Nextafter(0.95, 1), 'g', -1, 64)}
			var bodies []string
			for i := range 1_500 {
				beta := strconv.FormatFloat(rng.Float64(), 'g', -1, 64)
				if i%2 == 0 {
					beta = special[i/2%len(special)]
				}
				bodies = append(bodies, fmt.Sprintf(`{"id": %d, "confidence": %s, "class": %q}`, i, beta,
					[]string{"red", "blue", "green", ""}[rng.IntN(4)]))
			}
			for at := 0; at < len(bodies); {
				want, refused := routed(t, path, bodies[at:])
				for i := range len(want) + refused {
					status, got := send(t, server.URL, bodies[at+i])
					switch {
					case i == len(want) && (status != http.StatusBadRequest || len(got) != 1 || got["error"] == ""):
						t.Fatalf("%s: status %d, %v; infnet route refuses it", bodies[at+i], status, got)
					case i < len(want) && (status != http.StatusOK || got["decision"] != want[i].Decision ||
						got["threshold"] != want[i].Threshold):
						t.Fatalf("%s: status %d, %v, and by infnet route %+v", bodies[at+i], status, got, want[i])
					}
				}
				at += len(want) + refused
			}
		})
	}
}

// routed are the decisions of infnet route about objects, a line each, to the first that it refuses; refused is 0 where
// it refuses none.
func routed(t *testing.T, path string, objects []string) (decided []routing.Decision, refused int) {
	t.Helper()
	router, err := routing.Open(path, routing.Options{Seed: 7},
		func(d routing.Decision) error { decided = append(decided, d); return nil }, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if router.Stream(context.Background(), strings.NewReader(strings.Join(objects, "\n"))) != nil {
		refused = 1
	}
	return decided, refused
}

// send sends a body over the network.
func send(t *testing.T, url, body string) (status int, got map[string]any) {
	t.Helper()
	resp, err := http.Post(url+"/decide", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, got
}

// chat is a chat completion as OpenAI documents it (platform.openai.com/docs/api-reference/chat/object), with tokens of
// the given log-probabilities.
func chat(model, text string, tokens ...string) string {
	return fmt.Sprintf(`{"id": "c1", "object": "chat.completion", "model": %q, "choices": [{"index": 0,
		"message": {"role": "assistant", "content": %q, "refusal": null}, "logprobs": {"content": [%s]},
		"finish_reason": "stop"}], "usage": {"prompt_tokens": 5, "completion_tokens": %d, "total_tokens": %d}}`,
		model, text, strings.Join(tokens, ","), len(tokens), 5+len(tokens))
}

func token(text string, logprob float64, top string) string {
	return fmt.Sprintf(`{"token": %q, "logprob": %v, "bytes": null, "top_logprobs": [%s]}`, text, logprob, top)
}

// Replies are read as a study reads them: the numbers are by hand.
func TestReplies(t *testing.T) {
	systemOne := `{"model": "small", "answers": {"q": {"type": "choice", "choice": "red", "confidence": 0.6,
		"probabilities": {"red": 0.8, "blue": 0.2}}}, "usage": {"input_tokens": 3}}`
	labels := token("red", math.Log(0.8), fmt.Sprintf(`{"token": "red", "logprob": %v, "bytes": null},
		{"token": "blue", "logprob": %v, "bytes": null}`, math.Log(0.8), math.Log(0.1)))
	two := []string{token("Pa", math.Log(0.9), ""), token("ris", math.Log(0.4), "")}
	for _, tt := range []struct {
		name, body string
		change     func(*deploy.File)
		options    Options
		decision   string
		beta       float64
		class      string
	}{
		{name: "the geometric mean of 0.9 and 0.4", change: score("exp", 0.6), body: chat("org/small", "Paris", two...),
			decision: "accept", beta: 0.6},
		{name: "their product", change: score("sum", 0.37), body: chat("org/small", "Paris", two...), decision: "defer",
			beta: 0.36},
		{name: "a completion", change: score("exp", 0.7), body: `{"model": "org/small", "choices": [{"index": 0,
			"text": "yes", "finish_reason": "stop", "logprobs": {"tokens": ["yes"], "token_logprobs": [-0.5],
			"top_logprobs": null}}]}`, decision: "defer", beta: math.Exp(-0.5)},
		{name: "labels of the classes", change: func(d *deploy.File) { d.Confidence.Score = "softmax" },
			body: chat("org/small", "red", labels), decision: "accept", beta: 0.8 / 0.9, class: "red"},
		{name: "labels that are named", change: score("softmax", 0.9), options: Options{Labels: []string{"red", "blue"}},
			body: chat("org/small", "red", labels), decision: "defer", beta: 0.8 / 0.9},
		{name: "another name of the student", change: score("exp", 0.5), options: Options{Served: "alias"},
			body: chat("alias", "Paris", two...), decision: "accept", beta: 0.6},
		{name: "a decision model's probability", change: func(d *deploy.File) { d.Confidence.Score = "softmax" },
			body: systemOne, decision: "accept", beta: 0.8, class: "red"},
		{name: "a decision model's own confidence", change: func(d *deploy.File) { d.Confidence.Score = "vendor" },
			body: systemOne, decision: "defer", beta: 0.6, class: "red"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := decider(t, file(t, tt.change), tt.options)
			status, got := post(t, d, tt.body)
			beta, _ := got["confidence"].(float64)
			class, _ := got["class"].(string)
			if status != http.StatusOK || got["decision"] != tt.decision || math.Abs(beta-tt.beta) > 1e-12 || class != tt.class {
				t.Errorf("status %d, %v; want %s of %v, %q", status, got, tt.decision, tt.beta, tt.class)
			}
			if got["policy"] != d.rule.Hash || len(d.rule.Hash) != 64 {
				t.Errorf("policy %v, want the file's hash %s", got["policy"], d.rule.Hash)
			}
			if !strings.Contains(tt.body, "choices") {
				return
			}
			hook := fmt.Sprintf(`{"request": {"text": "?"}, "response": {"json": %s, "statusCode": 200}, "eventType":
				"afterRequestHook", "requestType": "chatComplete"}`, tt.body)
			status, got = post(t, d, hook)
			data, _ := got["data"].(map[string]any)
			if status != http.StatusOK || got["verdict"] != (tt.decision == "accept") || data["decision"] != tt.decision {
				t.Errorf("as Portkey's webhook: status %d, %v", status, got)
			}
		})
	}
}

// What is not understood is status 400 with a reason, and never a decision.
func TestRefuses(t *testing.T) {
	paris := token("Paris", -0.1, "")
	answer := func(s string) string { return `{"answers": {"q": ` + s + `}}` }
	softmax := func(d *deploy.File) { d.Confidence.Score = "softmax" }
	for _, tt := range []struct {
		name, body, want string
		change           func(*deploy.File)
	}{
		{name: "nothing", body: "", want: "no JSON object of a known form"},
		{name: "a list", body: `[{"confidence": 1}]`, want: "no JSON object of a known form"},
		{name: "null", body: `null`, want: "not JSON of one object"},
		{name: "two objects", body: `{"confidence": 1, "class": "red"} {"confidence": 1, "class": "red"}`,
			want: "no JSON object of a known form"},
		{name: "no confidence", body: `{"class": "red"}`, want: "it has no field \"confidence\""},
		{name: "two confidences", body: `{"confidence": 0.1, "confidence": 1, "class": "red"}`, want: "has a key twice"},
		{name: "no number", body: `{"confidence": true, "class": "red"}`, want: "is no number in [0,1]"},
		{name: "no class", body: `{"confidence": 1}`, want: "it has no field \"class\""},
		{name: "a mixture without id", body: `{"confidence": 1, "class": "red"}`, want: "it has no field \"id\"",
			change: func(d *deploy.File) {
				d.Mixture = &deploy.Mixture{Alpha: 0.5, Lax: []deploy.ClassThreshold{{Theta: 0}}}
			}},
		{name: "a mixture's reply", body: chat("org/small", "Paris", paris), want: "the policy is a mixture",
			change: func(d *deploy.File) {
				d.Mixture = &deploy.Mixture{Alpha: 0.5, Lax: []deploy.ClassThreshold{{Theta: 0}}}
			}},
		{name: "a reply for a given confidence", body: chat("org/small", "Paris", paris), want: `a confidence "given"`},
		{name: "another model", body: chat("org/large", "Paris", paris), want: "org/large", change: score("exp", 0.5)},
		{name: "no log-probabilities", body: strings.Replace(chat("org/small", "Paris"), `{"content": []}`, "null", 1),
			want: "no log-probabilities", change: score("exp", 0.5)},
		{name: "a positive log-probability", body: chat("org/small", "Paris", token("Paris", 0.5, "")),
			want: "log-probability", change: score("exp", 0.5)},
		{name: "no choice", body: `{"model": "org/small", "choices": []}`, want: "0 choices", change: score("exp", 0.5)},
		{name: "labels that nobody names", body: chat("org/small", "Paris", paris), want: "--label",
			change: score("softmax", 0.5)},
		{name: "a part of the answer", body: chat("org/small", "Paris", paris), want: `over "answer" alone`,
			change: func(d *deploy.File) { score("exp", 0.5)(d); d.Confidence.Over = "answer" }},
		{name: "before the request", body: `{"eventType": "beforeRequestHook", "response": {"json": {}}}`,
			want: "afterRequestHook"},
		{name: "a webhook that may not answer", want: "may also leave a query unanswered",
			body:   `{"eventType": "afterRequestHook", "response": {"json": {"choices": []}}}`,
			change: func(d *deploy.File) { d.Thresholds[0].Abstain = 0.2 }},
		{name: "a webhook without a reply", body: `{"eventType": "afterRequestHook", "response": {"json": {}}}`,
			want: "no chat completion"},
		{name: "two forms", body: `{"choices": [], "answers": {}}`, want: "choices and answers"},
		{name: "two questions", body: `{"answers": {"a": {"type": "choice"}, "b": {"type": "choice"}}}`, want: "--question",
			change: softmax},
		{name: "a box", body: answer(`{"type": "box", "box": {}}`), want: `type "box"`, change: softmax},
		{name: "not the largest", body: answer(`{"type": "choice", "choice": "red", "probabilities": {"red": 0.4,
			"blue": 0.6}}`), want: "another option 0.6", change: softmax},
		{name: "an unknown choice", body: answer(`{"type": "choice", "choice": "red", "probabilities": {"blue": 1}}`),
			want: "none of the options", change: softmax},
		{name: "a probability of 2", body: answer(`{"type": "choice", "choice": "red", "probabilities": {"red": 2}}`),
			want: "no number from 0 to 1", change: softmax},
		{name: "probabilities of 0.8", body: answer(`{"type": "choice", "choice": "red", "probabilities": {"red": 0.6,
			"blue": 0.2}}`), want: "sum to 0.8", change: softmax},
		{name: "an option twice", body: answer(`{"type": "choice", "choice": "red", "probabilities": {"red": 0.2,
			"red": 0.9}}`), want: "red", change: softmax},
		{name: "a confidence of 2", body: answer(`{"type": "choice", "choice": "red", "confidence": 2,
			"probabilities": {"red": 1}}`), want: "no number from 0 to 1", change: func(d *deploy.File) { d.Confidence.Score = "vendor" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, got := post(t, decider(t, file(t, tt.change), Options{}), tt.body)
			text, _ := got["error"].(string)
			if status != http.StatusBadRequest || len(got) != 1 || !strings.Contains(text, tt.want) {
				t.Errorf("status %d, %v; want 400 and %q", status, got, tt.want)
			}
		})
	}
}

// A request needs the key, the method, the path, and no more than the largest body.
func TestRequests(t *testing.T) {
	d := decider(t, file(t, nil), Options{Key: "secret"})
	const body = `{"confidence": 0.7, "class": "red"}`
	for _, tt := range []struct {
		name, method, path, key, body string
		want                          int
	}{
		{"good", "POST", "/decide", "Bearer secret", body, http.StatusOK},
		{"padded to the largest", "POST", "/decide", "Bearer secret", body + strings.Repeat(" ", mostBody-len(body)),
			http.StatusOK},
		{"larger", "POST", "/decide", "Bearer secret", body + strings.Repeat(" ", mostBody),
			http.StatusRequestEntityTooLarge},
		{"no key", "POST", "/decide", "", body, http.StatusUnauthorized},
		{"another key", "POST", "/decide", "Bearer secre", body, http.StatusUnauthorized},
		{"another scheme", "POST", "/decide", "secret", body, http.StatusUnauthorized},
		{"another method", "GET", "/decide", "Bearer secret", "", http.StatusMethodNotAllowed},
		{"another path", "POST", "/", "Bearer secret", body, http.StatusNotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, r := httptest.NewRecorder(), httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body))
			r.Header.Set("Authorization", tt.key)
			d.ServeHTTP(w, r)
			if w.Code != tt.want || strings.Contains(w.Body.String(), "secret") ||
				(tt.want == http.StatusOK) != strings.Contains(w.Body.String(), `"decision":"accept"`) {
				t.Errorf("status %d, %s", w.Code, w.Body)
			}
		})
	}
}

// Addresses of other machines must be meant, and need a key.
func TestAddresses(t *testing.T) {
	for _, tt := range []struct {
		address     string
		public, key bool
		want        string // "" = taken
	}{
		{"127.0.0.1:0", false, false, ""}, {"[::1]:8090", false, false, ""},
		{"0.0.0.0:8090", false, true, "say --public"}, {"0.0.0.0:8090", true, false, "it needs a key"},
		{"0.0.0.0:8090", true, true, ""}, {":8090", true, true, "no address and port"},
		{"localhost:8090", false, false, "no address and port"},
	} {
		err := check(tt.address, tt.public, tt.key)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// A server that is stopped answers what is under way, and ends without an error.
func TestStopsInGoodOrder(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	at, ended := make(chan string, 1), make(chan error, 1)
	d := decider(t, file(t, nil), Options{})
	go func() {
		ended <- Serve(ctx, d, "127.0.0.1:0", false, func(address string) { at <- address })
	}()
	address := <-at
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const body = `{"confidence": 0.7, "class": "red"}`
	fmt.Fprintf(conn, "POST /decide HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", len(body))
	conn.SetDeadline(time.Now().Add(time.Minute))
	asked := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n")) // the handler reads the body
	if _, err := io.ReadFull(conn, asked); err != nil || !bytes.HasPrefix(asked, []byte("HTTP/1.1 100")) {
		t.Fatalf("%q, %v", asked, err)
	}
	stop()
	if _, err := io.WriteString(conn, body); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if err != nil || !strings.Contains(string(got), `"decision":"accept"`) {
		t.Errorf("%q, %v", got, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
