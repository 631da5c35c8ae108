package cli

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// How classifications are asked is found by asking the server once, written
// down next to the answers, part of their keys, and named in the results. A
// server that cannot be asked so any more is refused before a record is asked;
// what is on disk can still be analysed; and a way that the spec states has
// answers of its own.
func TestLabelModeIsKept(t *testing.T) {
	const n = 40
	s := &loopback{}
	url := quoted(serve(t, s))
	serverStudy(t, n, url, url, "", "")
	infnet(t, ExitOK, "run", "study.toml", "--limit", "20")
	before, calls := tables(t), s.calls()
	if calls != 4*20 {
		t.Errorf("%d calls for two models and two datasets of 20", calls)
	}
	for _, m := range studyResults(t).Models {
		if m.LabelMode != "top-logprobs" || len(m.Servers) != 1 || len(m.Servers[0].Fingerprint) != 16 {
			t.Errorf("model %s: labels by %q, servers %+v; want top-logprobs and one fingerprint", m.Name, m.LabelMode,
				m.Servers)
		}
	}
	wantIn(t, "the tables do not say how labels were asked", before,
		"labels asked by top-logprobs, served by a server that does not say what it is (fingerprint ")
	if found, _ := filepath.Glob("runs/answers/*.servers-*.jsonl"); len(found) != 2 {
		t.Errorf("findings in %v, want one file a model", found)
	}

	s.silent = true
	_, stderr := infnet(t, ExitModel, "run", "study.toml")
	wantIn(t, "a server that offers it no more", stderr,
		`model student: its classifications were asked by "top-logprobs" before`, `labels = "text"`)
	if s.calls() != calls {
		t.Errorf("%d records were asked all the same", s.calls()-calls)
	}
	infnet(t, ExitOK, "analyze", "study.toml", "--limit", "20")
	if tables(t) != before {
		t.Error("the tables changed")
	}

	s.silent = false
	replaceIn(t, "study.toml", "concurrency = 4\nlabels = \"top-logprobs\"", "concurrency = 4")
	infnet(t, ExitOK, "run", "study.toml", "--limit", "20")
	if got := s.calls() - calls; got != 2*20 {
		t.Errorf("%d calls where one model states how it is asked, want its 40", got)
	}
}

// A server that answers chats alone, asked in the raw mode, is refused before
// the first record, with the mode to set; asked in chat it serves the study.
func TestServerWithoutTheMode(t *testing.T) {
	s := &loopback{asked: map[string]int{}}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/completions" {
			http.NotFound(w, r)
			return
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	url := quoted(srv.URL + "/v1")
	serverStudy(t, 20, url, url, "", "")
	_, told := infnet(t, ExitModel, "run", "study.toml")
	told = strings.Join(strings.Fields(told), " ")
	wantIn(t, "the refusal does not name the mode", told,
		`model student: its server does not answer in mode "raw", and does in mode "chat": set mode = "chat"`)
	if n := s.calls(); n != 0 {
		t.Errorf("%d records were asked all the same", n)
	}
}
