//go:build linux

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"infnet/backends/backendtest/fakeengine"
)

// engines puts the fake engines first on the PATH, with settings and the labels of launchStudy's classes among their
// tokens.
func engines(t *testing.T, settings string) {
	t.Helper()
	dir := t.TempDir()
	if err := fakeengine.Install(dir, fakeengine.Names()...); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv(fakeengine.Settings, "words=red,_red,green,_green,blue,_blue,grey,_grey "+settings)
}

// A study runs on engines of two kinds, by the commands that the harness builds for them.
func TestLaunchEngines(t *testing.T) {
	for _, engine := range []string{"vllm", "sglang"} {
		t.Run(engine, func(t *testing.T) {
			launchStudy(t, 20, "", "")
			engines(t, "slow=100ms")
			replaceIn(t, "study.toml", `engine = "`+engine+`"`, `engine = "vllm"`) // of the student
			out, _ := infnet(t, ExitOK, "run", "study.toml", "--tables")
			if !strings.Contains(out, "Cost Saved") {
				t.Errorf("no tables:\n%s", out)
			}
		})
	}
}

// What real engines print when they cannot start is an error with its cause and a fix.
func TestLaunchRealFailures(t *testing.T) {
	for _, test := range []struct {
		fails string
		want  []string
	}{
		{fails: "oom", want: []string{"the memory does not hold the model", "--gpu-memory-utilization",
			"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB"}},
		{fails: "memory", want: []string{"the memory does not hold the model", "Free memory on device (31.44/47.38 GiB)"}},
		{fails: "flag", want: []string{"it does not know one of its arguments", "correct args", "--temperature 0.8"}},
		{fails: "weights", want: []string{"it does not find the weights", "correct id (on the hub) or path"}},
		{fails: "gated", want: []string{"behind a licence", "HF_TOKEN", "meta-llama/Llama-3.2-1B-Instruct"}},
	} {
		t.Run(test.fails, func(t *testing.T) {
			launchStudy(t, 4, "", "")
			engines(t, "fails="+test.fails)
			_, stderr := infnet(t, ExitModel, "run", "study.toml")
			for _, want := range append(test.want, "exit code 1", "student.log") {
				if !strings.Contains(stderr, want) {
					t.Errorf("no %q in\n%s", want, stderr)
				}
			}
		})
	}
}

// An engine that ends at its first call is not in the background, and one whose routes come later is waited for.
func TestLaunchFirstCall(t *testing.T) {
	launchStudy(t, 4, "", "")
	engines(t, "quits=1")
	_, stderr := infnet(t, ExitModel, "run", "study.toml")
	if !strings.Contains(stderr, "it was healthy, and its first call ended it") || strings.Contains(stderr, "background") {
		t.Errorf("of an engine that ended at its first call:\n%s", stderr)
	}
	engines(t, "mounts=1s")
	infnet(t, ExitOK, "run", "study.toml")
}

// Engines that do everything to survive do not, and one that dies within an answer is started again.
func TestLaunchMisbehaving(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: each of the two servers has its time of grace")
	}
	launchStudy(t, 20, "", "")
	engines(t, "deaf=1 keeper=1 workers=2 forks=1 lags=200ms")
	infnet(t, ExitOK, "run", "study.toml")
	nothingRuns(t)
	calm := tables(t)
	engines(t, "dies=12 once="+filepath.Join(t.TempDir(), "died"))
	_, stderr := infnet(t, ExitOK, "run", "study.toml", "--store", "another")
	if !strings.Contains(stderr, "started again") || tables(t) != calm {
		t.Errorf("no word of the restart, or other tables:\n%s", stderr)
	}
}

// infnet and its supervisor are killed at once. The next run says what they left, stops it and goes on.
func TestLaunchReportsLeftovers(t *testing.T) {
	launchStudy(t, 20, "", "")
	engines(t, "deaf=1 mute=1")
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	cmd, stderr := start(t, dir, "run", "study.toml")
	var supervisor int
	waitFor(t, "a record of the server", func() bool {
		paths, _ := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "*", "*", "server-*.json"))
		for _, path := range paths {
			var r struct{ Supervisor, Engine struct{ PID int } }
			text, _ := os.ReadFile(path)
			if json.Unmarshal(text, &r) == nil && r.Engine.PID > 0 {
				supervisor = r.Supervisor.PID
			}
		}
		return supervisor > 0
	})
	waitFor(t, "a deaf engine", func() bool { return deaf(t) })
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} { // so that neither sees the other's end
		for _, pid := range []int{supervisor, cmd.Process.Pid} {
			if err := syscall.Kill(pid, sig); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait()
	if len(running()) == 0 {
		t.Fatalf("nothing is left over:\n%s", stderr)
	}
	engines(t, "")
	_, said := infnet(t, ExitOK, "run", "study.toml")
	if !strings.Contains(said, "an earlier run was killed and left a server running") ||
		!strings.Contains(said, "student") {
		t.Errorf("no word of what was left:\n%s", said)
	}
	nothingRuns(t)
}

// deaf reports whether an engine of this test ignores SIGTERM by now.
func deaf(t *testing.T) bool {
	t.Helper()
	for _, path := range running() {
		status, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "status"))
		_, ignored, _ := strings.Cut(string(status), "SigIgn:\t")
		if strings.HasPrefix(ignored, "0000000000004003") { // of SIGHUP, SIGINT and SIGTERM
			return true
		}
	}
	return false
}
