//go:build linux

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"infnet/backends/backendtest"
	"infnet/backends/backendtest/fakeengine"
	"infnet/harness/result"
)

// launched is a study of two models whose servers it starts, in a folder of its own. What harness/serving tests of
// servers that fail is not tested here again.
type launched struct {
	*testing.T
	dir string
	env []string
}

// launchStudy writes such a study on n records; more is added to the launch tables. After the test no process of it
// runs.
func launchStudy(t *testing.T, n int, more string) *launched {
	t.Helper()
	t.Parallel()
	l := &launched{T: t, dir: t.TempDir()}
	launch := "\n[backends.%.launch]\nengine = \"vllm\"\ngpus = 0\n" + more
	writeServerStudy(t, l.dir, n, "concurrency = 4\nlabels = \"top-logprobs\"\n"+strings.Replace(launch, "%", "one", 1),
		strings.Replace(launch, "%", "two", 1))
	if err := fakeengine.Install(l.dir, "vllm"); err != nil {
		t.Fatal(err)
	}
	l.env = append(os.Environ(), "PATH="+l.dir+string(os.PathListSeparator)+os.Getenv("PATH"),
		"XDG_CACHE_HOME="+filepath.Join(l.dir, "cache"))
	t.Cleanup(func() { l.gone() })
	return l
}

// edit replaces a text of the study.
func (l *launched) edit(old, text string) {
	l.Helper()
	replaceIn(l.T, filepath.Join(l.dir, "study.toml"), text, old)
}

// command is infnet in the study's folder; its engines have these settings.
func (l *launched) command(settings string, args ...string) (cmd *exec.Cmd, out, errOut *bytes.Buffer) {
	cmd = exec.Command("infnet", args...)
	cmd.Dir = l.dir
	cmd.Env = append(l.env, fakeengine.Settings+"=words=red,_red,green,_green,blue,_blue,grey,_grey "+settings)
	out, errOut = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = out, errOut
	return cmd, out, errOut
}

// run runs it to its end, and wants this exit code.
func (l *launched) run(code int, settings string, args ...string) (stdout, stderr string) {
	l.Helper()
	cmd, out, errOut := l.command(settings, args...)
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		l.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		l.Fatalf("infnet %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, out, errOut)
	}
	return out.String(), errOut.String()
}

// starts counts how often the server of a model was started.
func (l *launched) starts(model string) int {
	return strings.Count(l.file("runs/servers/servers/"+model+".log"), "[infnet: 20")
}

// wants compares the numbers of starts.
func (l *launched) wants(when string, student, master int) {
	l.Helper()
	if s, m := l.starts("student"), l.starts("master"); s != student || m != master {
		l.Errorf("%s: %d starts of the student's server and %d of the master's, want %d and %d", when, s, m, student, master)
	}
}

// file is a file of the study's folder; "" = there is none.
func (l *launched) file(name string) string {
	text, err := os.ReadFile(filepath.Join(l.dir, name))
	if err != nil && !os.IsNotExist(err) {
		l.Fatal(err)
	}
	return string(text)
}

// running lists the processes of the study's servers and their supervisors.
func (l *launched) running() (pids []string) {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		text, _ := os.ReadFile(path)
		if bytes.Contains(text, []byte("XDG_CACHE_HOME="+l.dir)) {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}

// until waits for a condition.
func (l *launched) until(what string, ok func() bool) {
	l.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			l.Fatalf("waited a minute for %s", what)
		}
	}
}

// gone wants no process of the study.
func (l *launched) gone() {
	l.Helper()
	l.until("the servers to be gone", func() bool { return len(l.running()) == 0 })
}

// A study starts the servers of its models and of its embedder, one after the other, and stops them. What is on disk
// starts nothing, and results say who answered and how it was started. doctor starts them, too.
func TestLaunchTakesTurns(t *testing.T) {
	l := launchStudy(t, 20, "")
	l.env = append(l.env, "VLLM_API_KEY=the-shell's-own", "VLLM_SAID=so")
	l.edit("[[cascades]]", "[[models]]\nname = \"vectors\"\nid = \"acme/vectors\"\nrevision = \"3\"\nbackend = \"one\"\n"+
		"[embedder]\nmodel = \"vectors\"\n[[cascades]]")
	if out, _ := l.run(ExitOK, "", "doctor", "study.toml"); strings.Count(out, "✓ asked colours") != 2 {
		t.Errorf("doctor:\n%s", out)
	}
	l.wants("doctor", 1, 1)
	out, _ := l.run(ExitOK, "", "run", "study.toml", "--tables")
	wantIn(t, "no tables", out, "Cost Saved")
	l.wants("run", 2, 2)
	if log := l.file("runs/servers/servers/vectors.log"); !strings.Contains(log, "--runner pooling") {
		t.Errorf("the embedder's server was not started to embed: %q", log)
	}
	before := l.file("runs/servers/results.json")
	// what the shell adds is said
	wantIn(t, "results do not say how the servers were started", before,
		"VLLM_SAID=so vllm serve small --revision 1")
	var study result.Results
	if err := json.Unmarshal([]byte(before), &study); err != nil {
		t.Fatal(err)
	}
	for _, m := range study.Models[:2] {
		if len(m.Servers) != 1 || m.Servers[0].Version != "0.32.0" || m.Unconfirmed != "" || m.LabelMode == "" {
			t.Errorf("results name of %s the servers %+v, labels %q", m.Name, m.Servers, m.LabelMode)
		}
	}
	l.run(ExitOK, "", "run", "study.toml", "--offline")
	l.run(ExitOK, "", "analyze", "study.toml")
	l.run(ExitOK, "", "verify", "runs/servers")
	l.wants("what is on disk", 2, 2)
	if l.file("runs/servers/results.json") != before {
		t.Error("the results changed")
	}
}

// A setting of the engine that changes answers, or other weights in a folder, ask again; nothing else does, and
// results name the servers whose answers they are of.
func TestLaunchSharesAnswers(t *testing.T) {
	l := launchStudy(t, 20, "args = [\"--swap-space\", \"4\"]\n")
	folder := backendtest.ServerFolder(t, "../../experiments/models/tiny-student")
	l.edit("id = \"small\"\nrevision = \"1\"\n", "id = \"small\"\npath = \""+folder+"\"\n")
	l.edit("shape = \"gemma3-1b\"\n", "")
	l.run(ExitOK, "", "run", "study.toml")
	l.wants("first", 1, 1)
	plain := l.file("runs/servers/results.json")
	write := func(name, more string) {
		f := must(os.OpenFile(filepath.Join(folder, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))
		defer f.Close()
		if _, err := f.WriteString(more); err != nil {
			t.Fatal(err)
		}
	}
	write("README.md", "a note for readers")
	l.edit("[\"--swap-space\", \"4\"]", "[\"--gpu-memory-utilization\", \"0.5\"]\nservers = 2")
	l.run(ExitOK, "", "run", "study.toml")
	l.wants("harmless settings and a note", 1, 1)
	l.edit("[\"--gpu-memory-utilization\", \"0.5\"]\nservers = 2", "[\"--dtype\", \"float32\"]") // of the student
	l.run(ExitOK, "", "run", "study.toml")
	l.wants("a setting that changes answers", 2, 1)
	if other := l.file("runs/servers/results.json"); strings.Count(other, "--dtype float32") != 1 {
		t.Error("results do not name the servers of the other settings")
	}
	l.edit("args = [\"--dtype\", \"float32\"]", "args = [\"--swap-space\", \"4\"]")
	l.run(ExitOK, "", "run", "study.toml")
	l.wants("the first settings again", 2, 1)
	if again := l.file("runs/servers/results.json"); !strings.Contains(plain, "vllm serve tiny-student") &&
		!strings.Contains(plain, "vllm serve") || strings.Contains(again, "--dtype float32") {
		t.Error("results name the servers of other settings")
	}
	write("model.safetensors", "\x00")
	l.run(ExitOK, "", "run", "study.toml")
	l.wants("other weights", 3, 1)
}

// An interruption, while a server starts and while it answers, and a kill: no server survives, and
// the next run goes on.
func TestLaunchInterrupted(t *testing.T) {
	t.Parallel()
	const within = "takes=50ms"
	for _, test := range []struct {
		name, settings string
		signals        []syscall.Signal
		code           int
	}{
		{name: "SIGTERM during calls", settings: within, signals: []syscall.Signal{syscall.SIGTERM}, code: ExitInterrupted},
		{name: "kill -9 during calls", settings: within, signals: []syscall.Signal{syscall.SIGKILL}, code: -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := launchStudy(t, 40, "")
			cmd, _, stderr := l.command(test.settings, "run", "study.toml")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			l.until("a server, or its answers", func() bool {
				return l.starts("student") == 1 && len(l.running()) >= 3 &&
					(test.settings != within || size(l.dir, "runs/answers/*.jsonl") > 2000)
			})
			began := time.Now()
			for i, s := range test.signals {
				time.Sleep(time.Duration(200*i) * time.Millisecond) // two signals of a kind that come together are one
				if err := cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			if got := exitCode(t, cmd); got != test.code || time.Since(began) > 8*time.Second { // the time of grace is 10 s
				t.Errorf("exit code %d after %v, want %d\n%s", got, time.Since(began), test.code, stderr)
			}
			if n := len(l.running()); test.code == ExitInterrupted && len(test.signals) == 1 && n > 0 {
				t.Errorf("%d processes were there when infnet ended", n)
			}
			l.gone()
			l.run(ExitOK, "", "run", "study.toml")
		})
	}
}
