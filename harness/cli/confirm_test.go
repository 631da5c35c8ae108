package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/harness/result"
)

func studyResults(t *testing.T) (r result.Results) {
	t.Helper()
	text := must(os.ReadFile("runs/servers/results.json"))
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// wantIn wants these words in a text, however its lines are broken.
func wantIn(t *testing.T, what, text string, wants ...string) {
	t.Helper()
	flat := strings.Join(strings.Fields(text), " ")
	for _, w := range wants {
		if !strings.Contains(flat, strings.Join(strings.Fields(w), " ")) {
			t.Errorf("%s: no %q in\n%s", what, w, text)
		}
	}
}

// outOf and errOf are one of what a command says.
func outOf(stdout, _ string) string { return stdout }
func errOf(_, stderr string) string { return stderr }

// other lets a server answer as another model, whatever it is asked for.
func other(t *testing.T, inner http.Handler, name string) (url string, calls *int) {
	t.Helper()
	calls = new(int)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		inner.ServeHTTP(rec, r)
		var body map[string]any
		if r.Method == http.MethodPost {
			*calls++
		}
		if json.Unmarshal(rec.Body.Bytes(), &body) == nil && body["model"] != nil && name != "" {
			body["model"] = name
			rec.Body.Reset()
			_ = json.NewEncoder(rec.Body).Encode(body)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes())
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/v1", calls
}

// A URL that changes: one call for each model confirms who answers there before
// answers on disk are used; another model is refused; offline, tables say that
// it is not confirmed; several URLs are confirmed each.
func TestURLChanges(t *testing.T) {
	s := &loopback{}
	old := serve(t, s)
	labels := "labels = \"top-logprobs\""
	serverStudy(t, 20, quoted(old), quoted(old), labels, labels)
	infnet(t, ExitOK, "run", "study.toml")
	first, calls := tables(t), s.calls()

	fresh, asked := other(t, s, "")
	spec := must(os.ReadFile("study.toml"))
	to := func(url string) {
		t.Helper()
		save(t, "study.toml", strings.ReplaceAll(string(spec), old, url))
	}
	to(fresh)
	for _, args := range [][]string{{"analyze", "study.toml"}, {"run", "study.toml", "--offline"}} {
		infnet(t, ExitOK, args...)
		wantIn(t, args[0], tables(t), "Not confirmed which model answers: student, as nobody asked")
	}
	if *asked != 0 {
		t.Errorf("%d calls offline", *asked)
	}
	infnet(t, ExitOK, "run", "study.toml")
	if *asked != 2 || s.calls() != calls {
		t.Errorf("%d calls to the new URL, %d records asked again; want one a model, and none", *asked, s.calls()-calls)
	}
	if tables(t) != first {
		t.Error("the tables changed with a confirmed URL")
	}
	infnet(t, ExitOK, "run", "study.toml")
	infnet(t, ExitOK, "verify", "runs/servers")
	if *asked != 2 {
		t.Errorf("asked %d times in all, want once a model", *asked)
	}

	// Another model behind the new URL, among several.
	wrong, _ := other(t, s, "stranger")
	to(fresh + `", "` + wrong)
	_, stderr := infnet(t, ExitModel, "run", "study.toml")
	wantIn(t, "another model", stderr, `model student: the model "small" was asked, and "stranger" answered at `+wrong,
		"it lists small, large", `set served = "stranger" if that is the one meant`)

	// Nobody there.
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	to(gone.URL + "/v1")
	_, stderr = infnet(t, ExitModel, "run", "study.toml")
	wantIn(t, "nobody there", stderr, "its answers on disk came from other servers than the study names", "--offline")
	to(fresh + `", "` + gone.URL + "/v1")
	infnet(t, ExitOK, "run", "study.toml")
	wantIn(t, "one of two", tables(t), "nobody could ask who answers at 1 of the 2 URLs")

	// No address is in the store.
	files, _ := filepath.Glob("runs/answers/*.confirmed-*.jsonl")
	if len(files) != 2 {
		t.Fatalf("confirmations in %v, want one file a model", files)
	}
	for _, f := range files {
		if text, _ := os.ReadFile(f); strings.Contains(string(text), "127.0.0.1") {
			t.Errorf("%s holds a URL: %s", f, text)
		}
	}
}

// A snapshot that is replaced midway is listed by its server, so it counts, and
// the tables say how many answers are whose.
func TestSnapshotsAreCounted(t *testing.T) {
	s := &loopback{}
	url := serve(t, s)
	name := "large-2024-08-06"
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, r)
		text := rec.Body.String()
		if r.Method == http.MethodPost {
			text = strings.Replace(text, `"model":"large"`, `"model":"`+name+`"`, 1)
		} else {
			text = strings.Replace(text, `[`, `[{"id":"large-2024-08-06"},{"id":"large-2024-11-20"},`, 1)
		}
		w.WriteHeader(rec.Code)
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(proxy.Close)
	serverStudy(t, 24, quoted(url), quoted(proxy.URL+"/v1"), "", "")
	infnet(t, ExitOK, "run", "study.toml", "--limit", "16")
	name = "large-2024-11-20"
	infnet(t, ExitOK, "run", "study.toml")
	wantIn(t, "tables", tables(t),
		"Answered under more than one name: master by large-2024-08-06: 16, large-2024-11-20: 8.",
		"answered by large-2024-08-06 (32 answers) and large-2024-11-20 (16 answers)")
	name = "large-mini-2024-11-20"
	infnet(t, ExitOK, "verify", "runs/servers")
}
