//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// slowStudy makes a folder with a study of two servers that generate, and
// starts the server of both: its answers take as long as said, or until the
// client goes.
func slowStudy(t *testing.T, takes time.Duration) (dir string, calls *atomic.Int64) {
	t.Helper()
	calls = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte("Item ")) { // and no question of a probe
			calls.Add(1)
			select {
			case <-time.After(takes):
			case <-r.Context().Done():
				return
			}
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"id":"1","object":"chat.completion","created":1,"model":"large","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"red"},`+
			`"logprobs":{"content":[{"token":"red","logprob":-0.1,"bytes":[114,101,100],"top_logprobs":[{"token":"red","logprob":-0.1,"bytes":[114,101,100]}]}]}}],"usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}}`)
	}))
	t.Cleanup(server.Close)
	dir = t.TempDir()
	model := func(name string) string {
		return fmt.Sprintf("[[models]]\nname = %q\nid = \"large\"\nrevision = %q\nbackend = \"one\"\nmode = "+
			"\"chat\"\nfixed_cost = 1\n\n", name, name)
	}
	study := "study = \"slow\"\nreport.page = false\nseed = 3\ncost = { model = \"fixed\" }\n\n" +
		model("small") + model("large") +
		"[backends.one]\nkind = \"openai\"\nurls = [\"" + server.URL + "/v1\"]\nconcurrency = 4\n\n" +
		"[[datasets]]\nname = \"colours\"\nsource = \"file:colours.csv\"\ntask = \"generation\"\nreference = " +
		"\"colour\"\nmax_tokens = 4\nid = \"item\"\nprompt = \"Item {item}:\"\n\n" +
		"[[cascades]]\nmodels = [\"small\", \"large\"]\n\n[collect]\nretries = 0\n"
	save(t, filepath.Join(dir, "study.toml"), study)
	if err := writeColours(filepath.Join(dir, "colours.csv"), 40); err != nil {
		t.Fatal(err)
	}
	return dir, calls
}

// Real signals to a real process that waits for a server.
func TestSignalsAndCallsUnderWay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		signals []os.Signal
		takes   time.Duration
		on      int
		atMost  time.Duration
	}{
		{"Ctrl-C waits for what is paid for", []os.Signal{syscall.SIGINT}, 2 * time.Second, 4, 30 * time.Second},
		{"Ctrl-C again", []os.Signal{syscall.SIGINT, syscall.SIGINT}, time.Hour, 0, 20 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir, calls := slowStudy(t, test.takes)
			cmd, stderr := start(t, dir, "collect", "study.toml")
			waitFor(t, "calls", func() bool { return calls.Load() >= 4 })
			sent := time.Now()
			for i, s := range test.signals {
				if i > 0 {
					time.Sleep(500 * time.Millisecond)
				}
				if err := cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			code := exitCode(t, cmd)
			if took := time.Since(sent); code != ExitInterrupted || took > test.atMost {
				t.Errorf("exit code %d after %v, want %d", code, took, ExitInterrupted)
			}
			files, err := filepath.Glob(filepath.Join(dir, "runs/answers/large.colours-*.jsonl"))
			if err != nil || len(files) != 1 {
				t.Fatalf("%d files of answers, %v", len(files), err)
			}
			text, err := os.ReadFile(files[0])
			if n := bytes.Count(text, []byte("\n")) - 1; err != nil || n != test.on { // a header and the answers
				t.Errorf("%d answers on disk, %v, want %d", n, err, test.on)
			}
			if text := stderr.String(); !strings.Contains(text, "for 4 calls under way") ||
				!strings.Contains(text, "Ctrl-C again to leave now") {
				t.Errorf("what was said:\n%s", text)
			}
			if calls.Load() != 4 {
				t.Errorf("%d calls, want 4", calls.Load())
			}
		})
	}
}
