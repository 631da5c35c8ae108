package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/harness/recheck"
)

// rechecked runs a recheck of study.toml and returns its report.
func rechecked(t *testing.T, code int, args ...string) (r recheck.Report, stdout, stderr string) {
	t.Helper()
	stdout, stderr = infnet(t, code, append([]string{"recheck", "study.toml", "--json", "report.json"}, args...)...)
	text := must(os.ReadFile("report.json"))
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r, stdout, stderr
}

// The same model is the same, and nothing stored is touched; other weights under the same name are found, and a
// round is seen again without a call.
func TestRecheckOfServers(t *testing.T) {
	const n = 100
	s := &loopback{}
	url := quoted(serve(t, s))
	serverStudy(t, n, url, url, "", "")
	infnet(t, ExitOK, "run", "study.toml")
	stored, calls := storeSums(t), s.calls()

	r, out, _ := rechecked(t, ExitOK, "--sample", "60")
	if r.Verdict != recheck.Same || len(r.Models) != 2 || r.Models[0].Identical != 60 || r.Models[0].Flips.K != 0 {
		t.Errorf("the same model: %+v", r)
	}
	// 60 of either, and a tenth of them twice
	if got := s.calls() - calls; got != 2*66 || r.Calls != got {
		t.Errorf("%d calls, %d in the report, want 132", got, r.Calls)
	}
	wantIn(t, "output", out, "student (openai): SAME", "0 of 60, 0.0 % [0.0, 6.0] differ",
		"No sign that a served model")

	s.other = " with other weights"
	r, out, stderr := rechecked(t, ExitChanged, "--sample", "60")
	if r.Models[0].Verdict != recheck.Changed || r.Models[0].P > 1e-4 || r.Models[0].Flips.K == 0 ||
		r.Models[0].Confidence.Moved == 0 || len(r.Models[0].Decisions) == 0 {
		t.Errorf("other weights: %+v", r.Models[0])
	}
	if !strings.Contains(out, "student (openai): CHANGED") ||
		!strings.Contains(stderr, "the served model is not the one that was measured: student:") {
		t.Errorf("other weights:\n%s\n%s", out, stderr)
	}
	if filepath.Base(r.Round) == "" || !strings.HasSuffix(r.Round, ".2") {
		t.Errorf("the second round of a day is %q", r.Round)
	}
	if storeSums(t) != stored {
		t.Error("the store's own files changed")
	}
	before := s.calls()
	again, _, _ := rechecked(t, ExitChanged, "--sample", "60", "--round", r.Round)
	if s.calls() != before || again.Models[0].P != r.Models[0].P || again.Tokens != r.Tokens {
		t.Errorf("seeing a round again asks (%d calls), or gives another result: %+v", s.calls()-before, again.Models[0])
	}
}

// storeSums are the checksums of a store without its rechecks.
func storeSums(t *testing.T) string {
	t.Helper()
	text := must(checksums("runs/answers"))
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "rechecks/") {
			kept = append(kept, line)
		}
	}
	if len(kept) == 0 {
		t.Fatal("no file in the store")
	}
	return strings.Join(kept, "")
}

// A server that is down makes a recheck incomplete and says nothing of the model; the same round goes on when it is
// back, and asks only what is lacking. A budget ends it likewise.
func TestRecheckGoesOn(t *testing.T) {
	down := false
	s := &loopback{spoil: func(int, string) (int, string) {
		if down {
			return 503, "overloaded"
		}
		return 0, ""
	}}
	url := quoted(serve(t, s))
	serverStudy(t, 40, url, url, "", "")
	infnet(t, ExitOK, "run", "study.toml")
	down = true
	r, out, told := rechecked(t, ExitIncomplete, "--sample", "30")
	if strings.Contains(told, "--retry-failed") {
		t.Errorf("a flag that recheck does not have: %s", told)
	}
	if r.Verdict != recheck.Incomplete || r.Finished || !strings.Contains(out, "INCOMPLETE") ||
		r.Models[1].Verdict != recheck.Incomplete {
		t.Errorf("server down: %s\n%+v", out, r)
	}
	down = false
	before := s.calls()
	_, _, stderr := rechecked(t, ExitBudget, "--sample", "30", "--budget-tokens", "400")
	first := s.calls() - before
	if first == 0 || first >= 60 || !strings.Contains(stderr, "the budget of 400 tokens allows no further call") {
		t.Errorf("%d calls under a budget of 400 tokens: %s", first, stderr)
	}
	r, _, _ = rechecked(t, ExitOK, "--sample", "30")
	if got := s.calls() - before; got != 2*33 || len(r.Sessions) != 3 || !r.Finished || r.Models[0].Answered != 30 {
		t.Errorf("%d calls in all, want 66; %+v", got, r)
	}
}

// What a server says of itself is named without a test, and one that says that it is another model is one.
func TestRecheckOfIdentity(t *testing.T) {
	version := "0.9.1"
	s := &loopback{asked: map[string]int{}, system: "fp_1"}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/version" {
			_, _ = w.Write([]byte(`{"version":"` + version + `"}`))
			return
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	url := quoted(srv.URL + "/v1")
	serverStudy(t, 40, url, url, "", "")
	infnet(t, ExitOK, "run", "study.toml")
	version, s.system = "0.10.0", "fp_2"
	r, out, _ := rechecked(t, ExitOK, "--sample", "30")
	if len(r.Models[0].Identity) == 0 || !strings.Contains(out, "was vllm 0.9.1, is vllm 0.10.0") ||
		!strings.Contains(out, "was fp_1, is fp_2") {
		t.Errorf("%+v\n%s", r.Models[0].Identity, out)
	}
	s.as = "small@2"
	r, out, _ = rechecked(t, ExitOK, "--sample", "30", "--only", "student")
	if len(r.Models) != 1 || !strings.Contains(out, "was small, is small@2") {
		t.Errorf("another revision:\n%s", out)
	}
	s.as = "tiny"
	_, out, _ = rechecked(t, ExitChanged, "--sample", "30")
	wantIn(t, "another model", out, "student (openai): CHANGED", "tiny")
}
