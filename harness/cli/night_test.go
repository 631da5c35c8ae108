package cli

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// A night whose server died midway, or refuses everything, is incomplete, and not worse: it has no
// results, and those of the night before, which are still in the folder, are not taken for its own.
func TestNightWithoutServer(t *testing.T) {
	var state atomic.Int64 // calls that are answered before the server dies; -1 = all
	var status atomic.Int64
	state.Store(-1)
	s := &loopback{spoil: func(int, string) (int, string) {
		if left := state.Load(); left >= 0 && state.Add(-1) < 0 {
			state.Store(0)
			return int(status.Load()), `{"error": {"message": "not now"}}`
		}
		return 0, ""
	}}
	url := quoted(serve(t, s))
	serverStudy(t, 40, url, url, "", "")
	infnet(t, ExitOK, "run", "study.toml", "--quiet", "--store", "first")
	infnet(t, ExitOK, "accept", "runs/servers")
	last := "first" // store of the last night that had results
	for _, tt := range []struct {
		name            string
		answers, status int64
		code            int // of the run
	}{
		{name: "dies midway", answers: 80, status: 503, code: ExitModel},
		{name: "refuses the key", answers: 0, status: 401, code: ExitModel},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status.Store(tt.status)
			state.Store(tt.answers)
			night := strings.ReplaceAll(tt.name, " ", "-")
			infnet(t, tt.code, "run", "study.toml", "--quiet", "--store", night)
			out, stderr := infnet(t, ExitIncomplete, "compare", "accepted.json", "runs/servers")
			if !strings.Contains(strings.ToLower(out+stderr), "incomplete") || strings.Contains(stderr, "worse:") {
				t.Errorf("what compare says:\n%s\n%s", out, stderr)
			}
			infnet(t, ExitIncomplete, "accept", "runs/servers", "--replace")
			infnet(t, ExitOK, "verify", "runs/servers", "--store", last, "--quiet") // untouched
			last = night

			// The server is back: the same night goes on with what it has.
			state.Store(-1)
			infnet(t, ExitOK, "run", "study.toml", "--quiet", "--store", night, "--retry-failed")
			infnet(t, ExitOK, "compare", "accepted.json", "runs/servers")
			if _, err := os.Stat(filepath.Join("runs", "servers", "unfinished")); err == nil {
				t.Error("it still counts as unfinished")
			}
		})
	}
}
