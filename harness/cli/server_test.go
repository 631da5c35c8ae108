package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"infnet/harness/pipeline"
)

// A study of two models behind servers, from first call to last table.
func TestServersEndToEnd(t *testing.T) {
	const n = 40
	s := &loopback{}
	url := quoted(serve(t, s))
	serverStudy(t, n, url, url, "", "")
	infnet(t, ExitOK, "check", "study.toml")
	if s.calls() != 0 {
		t.Fatal("check asks a server")
	}
	plan, _ := infnet(t, ExitOK, "plan", "study.toml")
	if s.calls() != 0 || !strings.Contains(plan, "total") {
		t.Fatalf("the plan asks a server, or has no total:\n%s", plan)
	}
	out, _ := infnet(t, ExitOK, "run", "study.toml", "--tables")
	if got := s.calls(); got != 4*n {
		t.Errorf("%d calls for two models and two datasets of %d records", got, n)
	}
	if s.most > 16 {
		t.Errorf("%d calls in flight, the larger limit is 16", s.most)
	}
	first := tables(t)
	for _, want := range []string{"colours", "phrases", "Cost Saved"} {
		if !strings.Contains(first, want) || !strings.Contains(out, want) {
			t.Errorf("no %q in the tables", want)
		}
	}
	infnet(t, ExitOK, "run", "study.toml", "--offline")
	if got := s.calls(); got != 4*n || tables(t) != first {
		t.Errorf("a second run asks (%d calls in all), or writes other tables", got)
	}
}

// What a server never answers is recorded with its cause, and more of it than
// the study allows is an exit code of its own, with the tables written.
func TestServersThatFail(t *testing.T) {
	garbage := func(_ int, prompt string) (int, string) {
		if strings.Contains(prompt, "Item 1") { // 1, 10 to 19
			return 200, `{"choices": [{"index": 0, "te`
		}
		return 0, ""
	}
	s := &loopback{spoil: garbage}
	url := quoted(serve(t, s))
	serverStudy(t, 40, url, url, "", "")
	replaceIn(t, "study.toml", "retries = 0", "retries = 2")
	out, _ := infnet(t, ExitIncomplete, "run", "study.toml")
	wantIn(t, "output", out, "bad-response ×11", "student", "master")
	wantIn(t, "the tables were not written", tables(t), "colours")
	before := s.calls()
	infnet(t, ExitIncomplete, "run", "study.toml")
	if s.calls() != before {
		t.Error("what failed is asked again without --retry-failed")
	}
	const left = "22 requests failed before and would not be asked again"
	wantIn(t, "a plan", outOf(infnet(t, ExitOK, "plan", "study.toml")), left)
	if out, _ := infnet(t, ExitOK, "plan", "study.toml", "--retry-failed"); strings.Contains(out, left) {
		t.Errorf("a plan of another try says %q:\n%s", left, out)
	}
	s.spoil = nil
	infnet(t, ExitOK, "run", "study.toml", "--retry-failed")
	if got := s.calls() - before; got != 22 {
		t.Errorf("%d calls to mend 22 failures", got)
	}
	const done = "Nothing to ask: every answer is on disk"
	wantIn(t, "a plan of a complete study", outOf(infnet(t, ExitOK, "plan", "study.toml")), done)
}

// A server that is not there ends the run before the first record is asked,
// however few there are.
func TestServersThatAreNotThere(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	url := quoted(gone.URL + "/v1")
	serverStudy(t, 120, url, url, "", "")
	replaceIn(t, "study.toml", "retries = 0", "retries = 2")
	_, stderr := infnet(t, ExitModel, "run", "study.toml")
	wantIn(t, "the error names neither model nor cause", stderr, "student", "connection")
	_, stderr = infnet(t, ExitModel, "run", "study.toml", "--limit", "20", "--store", "other")
	wantIn(t, "the error does not name the cause", stderr, "model student: ask its servers what they offer: connection")
	if _, err := os.Stat("other"); err == nil {
		t.Error("something was written")
	}
}

// A wrong key, and none.
func TestServersAndKeys(t *testing.T) {
	s := &loopback{}
	url := quoted(serve(t, s))
	serverStudy(t, 120, url, url, "", "")
	t.Setenv("TEST_KEY", "k-another")
	_, stderr := infnet(t, ExitModel, "run", "study.toml")
	wantIn(t, "the error should say unauthorized, in the server's words, without the key", stderr, "unauthorized",
		"[secret]")
	os.Unsetenv("TEST_KEY")
	infnet(t, ExitOK, "check", "study.toml")
	infnet(t, ExitOK, "plan", "study.toml")
	_, stderr = infnet(t, ExitModel, "run", "study.toml", "--store", "other")
	wantIn(t, "the error should name the variable that is not set", stderr, "TEST_KEY", "not set")
}

// A model without log-probabilities can be the master, and no student.
func TestServersWithoutLogprobs(t *testing.T) {
	silent := quoted(serve(t, &loopback{silent: true}))
	talking := quoted(serve(t, &loopback{}))
	t.Run("as the master, found by asking", func(t *testing.T) {
		serverStudy(t, 40, talking, silent, "", "")
		infnet(t, ExitOK, "run", "study.toml")
		// Its answers are on disk now, and no student's.
		replaceIn(t, "study.toml", `models = ["master", "student"]`, `models = ["student", "master"]`)
		_, stderr := infnet(t, ExitIncomplete, "run", "study.toml")
		wantIn(t, "the error does not say why", stderr, "missing: master no usable log-probability ×40")
	})
	t.Run("as the student", func(t *testing.T) {
		serverStudy(t, 40, silent, talking, "no_logprobs = true", "")
		_, stderr := infnet(t, ExitSpec, "run", "study.toml")
		wantIn(t, "the error says neither why nor what to do", stderr, "no_logprobs", "put it last")
	})
	t.Run("as the student that votes", func(t *testing.T) {
		s := &loopback{silent: true}
		serverStudy(t, 40, quoted(serve(t, s)), talking, "no_logprobs = true", "")
		replaceIn(t, "study.toml", "samples = { n = 3, temperature = 0.8 }\nshape = \"gemma3-1b\"", "shape = \"gemma3-1b\"")
		infnet(t, ExitOK, "run", "study.toml")
		if got := s.calls(); got != 3*2*40 || !strings.Contains(tables(t), "colours") {
			t.Errorf("%d calls for three samples of two datasets of 40 records; tables:\n%s", got, tables(t))
		}
		replaceIn(t, "study.toml", "n = 5", "n = 3")
		infnet(t, ExitOK, "run", "study.toml")
		if got := s.calls(); got != 5*2*40 {
			t.Errorf("%d calls in all, want 400: two more for each record", got)
		}
		replaceIn(t, "study.toml", "n = 2", "n = 5")
		infnet(t, ExitOK, "run", "study.toml", "--offline")
		infnet(t, ExitOK, "verify", "runs/servers")
	})
}

// A student on a server is asked further for its signals, as often as a plan says, though samples have no
// log-probabilities. What begins with neither letter is a reply, and asked for once.
func TestServersAskedForSignals(t *testing.T) {
	s := &loopback{}
	serverStudy(t, 40, quoted(serve(t, s)), quoted(serve(t, &loopback{})), "", "")
	replaceIn(t, "study.toml", `[confidence]
signals = [{ kind = "vote-share", samples = 3 }, { kind = "semantic-entropy", samples = 2 }, { kind = "p-true" },
	{ kind = "stated" }, { kind = "self-verification", samples = 2 }]

[collect]`, "[collect]")
	const calls = 3 + 1 + 1 + 2 // the votes' samples are also the entropy's
	if out, _ := infnet(t, ExitOK, "plan", "study.toml"); !regexp.MustCompile(
		fmt.Sprintf(`student +colours, signals +%d +0 +%[1]d `, 40*calls)).MatchString(out) {
		t.Errorf("a plan does not count the calls of signals:\n%s", out)
	}
	infnet(t, ExitOK, "run", "study.toml")
	if got := s.calls(); got != 2*40*(1+calls) {
		t.Errorf("%d calls to the student, want %d", got, 2*40*(1+calls))
	}
	infnet(t, ExitOK, "run", "study.toml", "--offline")
	table := must(os.ReadFile("runs/servers/tables/signals.csv"))
	for _, kind := range []string{"vote-share", "semantic-entropy", "self-verification"} {
		if n := len(regexp.MustCompile(`,`+kind+`,[0-9.]+,`).FindAllString(string(table), -1)); n != 2 {
			t.Errorf("%s has numbers on %d datasets of 2:\n%s", kind, n, table)
		}
	}
}

// Whatever settings check lets pass, a model opens with.
func TestServersOpenWithWhatCheckLetsPass(t *testing.T) {
	t.Setenv("TEAM", "red")
	for _, settings := range []string{
		"labels = \"token-ids\"",
		"top_logprobs = 10000", "top_logprobs = 1", "max_tokens_field = \"max_completion_tokens\"",
		"headers_env = { X-Team = \"TEAM\" }",
		"extra = { chat_template_kwargs = { enable_thinking = false }, top_k = 1, stop_token_ids = [1, 2] }\ndrop = " +
			"[\"seed\", \"top_p\"]",
		"urls_of = { student = [\"https://[::1]:8443/v1/\", \"http://127.0.0.1\"] }",
	} {
		serverStudy(t, 40, quoted("http://gpu0:8000/v1"), quoted("http://gpu1:8000/v1"), settings,
			"no_logprobs = true\nlabels = \"text\"")
		f := &studyFlags{Spec: "study.toml", askedFlags: askedFlags{Store: "store", screenFlags: screenFlags{Quiet: true}}}
		st, err := f.open(t.Context(), &streams{out: io.Discard, err: io.Discard}, pipeline.Hub{})
		if err != nil {
			t.Fatalf("%s: %v", settings, err)
		}
		for _, m := range st.Models {
			if _, err := m.Open(); err != nil {
				t.Errorf("%s: check lets it pass, and the model does not open: %v", settings, err)
			}
		}
	}
	os.Unsetenv("TEAM")
	replaceIn(t, "study.toml", "headers_env = { X-Team = \"TEAM\" }\nconcurrency = 4", "concurrency = 4")
	_, stderr := infnet(t, ExitModel, "run", "study.toml")
	wantIn(t, "the error should name variable and header", stderr, "TEAM", "X-Team")
}

// A zero-shot classifier behind a Hugging Face endpoint as the student of a
// chat model.
func TestEndpointEndToEnd(t *testing.T) {
	const n = 40
	var asked atomic.Int64
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var q struct {
			Inputs     string `json:"inputs"`
			Parameters struct {
				Labels []string `json:"candidate_labels"`
			} `json:"parameters"`
		}
		err := json.NewDecoder(r.Body).Decode(&q)
		if err != nil || strings.Contains(q.Inputs, "Colour") || r.Header.Get("Authorization") != "Bearer "+hushed {
			w.WriteHeader(400)
			return
		}
		best := say("small", q.Inputs+"\n", 1, true)[0]
		var list []map[string]any // the hub's present form, most probable first
		for _, l := range append([]string{best.text},
			slices.DeleteFunc(slices.Clone(colours), func(c string) bool { return c == best.text })...) {
			score := math.Exp(best.lp)
			if l != best.text {
				score = (1 - score) / float64(len(colours)-1)
			}
			list = append(list, map[string]any{"label": l, "score": score})
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(list)
	}))
	t.Cleanup(endpoint.Close)
	s := &loopback{}
	url := quoted(serve(t, s))
	serverStudy(t, n, url, url, "", "")
	replaceIn(t, "study.toml", "backend = \"zero\"", "backend = \"one\"")
	replaceIn(t, "study.toml", "", "shape = \"gemma3-1b\"")
	replaceIn(t, "study.toml", "models = [\"student\", \"master\"]\ndatasets = [\"colours\"]",
		`models = ["student", "master"]`)
	replaceIn(t, "study.toml", "[cost]\nmodel = \"latency\"\n\n[backends.zero]\nkind = \"huggingface\"\ntask = "+
		"\"zero-shot-classification\"\nend = \"\\nColour:\"\n"+
		"api_key_env = \"TEST_KEY\"\nurls = ["+quoted(endpoint.URL)+"]\n\n[collect]", "[collect]")
	infnet(t, ExitOK, "run", "study.toml")
	if asked.Load() != n || !strings.Contains(tables(t), "colours") {
		t.Errorf("%d calls of the endpoint for %d records; tables:\n%s", asked.Load(), n, tables(t))
	}
}

// The published signature is refused for small local models before any call,
// though only their folders say how small they are.
func TestSignatureOfSmallLocalModels(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "study = \"tiny\"\n[[models]]\nname = \"s\"\nbackend = \"local\"\npath = " +
		"\"builtin:tiny-student\"\n[[models]]\nname = \"m\"\nbackend = \"local\"\npath = \"builtin:tiny-master\"\n" +
		"[[datasets]]\nname = \"reviews\"\nsource = \"builtin:reviews\"\nlimit = 20\n[[cascades]]\nmodels = [\"s\", " +
		"\"m\"]\n[cost]\nsummary = \"signature\"\n"
	save(t, "study.toml", text)
	for _, command := range []string{"check", "run"} {
		_, stderr := infnet(t, ExitSpec, command, "study.toml")
		wantIn(t, "output", stderr, "signature", "billion", "model s ", "model m ")
	}
}
