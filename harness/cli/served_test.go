package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/harness/result"
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
	text, err := os.ReadFile("runs/servers/results.json")
	if err != nil {
		t.Fatal(err)
	}
	var study result.Results
	if err := json.Unmarshal(text, &study); err != nil {
		t.Fatal(err)
	}
	for _, m := range study.Models {
		if m.LabelMode != "top-logprobs" || len(m.Servers) != 1 || len(m.Servers[0].Fingerprint) != 16 {
			t.Errorf("model %s: labels by %q, servers %+v; want top-logprobs and one fingerprint", m.Name, m.LabelMode,
				m.Servers)
		}
	}
	if !strings.Contains(before, "labels asked by top-logprobs, served by a server that does not say what it is "+
		"(fingerprint ") {
		t.Error("the tables do not say how labels were asked")
	}
	if found, _ := filepath.Glob("runs/answers/*.servers-*.jsonl"); len(found) != 2 {
		t.Errorf("findings in %v, want one file a model", found)
	}

	s.silent = true
	_, stderr := infnet(t, ExitModel, "run", "study.toml")
	if !strings.Contains(stderr, `model student: its classifications were asked by "top-logprobs" before`) ||
		!strings.Contains(stderr, `labels = "text"`) {
		t.Errorf("a server that offers it no more:\n%s", stderr)
	}
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
