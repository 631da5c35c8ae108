//go:build linux

package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"infnet/backends/engine/gpu/gputest"
)

// A server that does not start ends the run with the cause, the fix and the last lines of its log;
// nothing else is started, and nothing is left running.
func TestLaunchThatFails(t *testing.T) {
	for _, test := range []struct {
		name, habits, launch, id string
		want                     []string // in the error
		events                   []string
	}{
		{name: "out of memory", habits: "small oom 0\n",
			want: []string{"model student: its server (vllm) ended", "ended with exit code 1",
				"the memory does not hold the model",
				"--gpu-memory-utilization", "CUDA out of memory. Tried to allocate 2.00 GiB", "student.log"},
			events: []string{"start small", "stop small"}},
		{name: "silent", habits: "small mute 0\n", launch: "silence = \"1s\"",
			want:   []string{"was not ready: it logged nothing for 1s (silence)", "student.log"},
			events: []string{"start small", "stop small"}},
		{name: "never healthy, and logs that it was asked", habits: "small sick 0\nsmall chatty 0\n",
			launch: "silence = \"1s\"",
			want: []string{"was not ready: it logged nothing for 1s (silence); when it was last asked: http://127.0.0.1:",
				"/health answers 503", "startup complete"},
			events: []string{"start small", "stop small"}},
		{name: "never answers, and logs that it was asked", habits: "small cold 3600000\nsmall chatty 0\n",
			launch: "silence = \"1s\"",
			want:   []string{"its first call has failed for 1s (silence): server-error (HTTP 503): still warming up"},
			events: []string{"start small", "stop small"}},
		{name: "goes into the background", habits: "small background 0\n",
			want:   []string{"ended with exit code 0: ", "may have gone into the background", "stay in the foreground"},
			events: []string{"start small", "stop small"}},
		{name: "an unknown flag", launch: "args = [\"--no-such-flag\"]",
			want: []string{"it does not know one of its arguments", "unrecognized arguments", "no-such-flag"}},
		{name: "healthy and refuses", habits: "small refuse 0\n",
			want:   []string{"is healthy and does not answer: bad-request (HTTP 400)", "startup complete"},
			events: []string{"start small", "stop small"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			launchStudy(t, 20, test.habits, test.launch)
			_, stderr := infnet(t, ExitModel, "run", "study.toml")
			for _, want := range test.want {
				if !strings.Contains(stderr, want) {
					t.Errorf("no %q in\n%s", want, stderr)
				}
			}
			if got := happened(t, true); !slices.Equal(got, test.events) {
				t.Errorf("servers: %q, want %q", got, test.events)
			}
			if found, _ := filepath.Glob("runs/answers/*.jsonl"); len(found) > 0 {
				t.Errorf("something was recorded: %v", found)
			}
			setHabits(t, "")
			if test.name != "an unknown flag" {
				infnet(t, ExitOK, "run", "study.toml")
			}
		})
	}
}

// What a machine lacks is said before anything starts, and only where something is to be asked.
func TestLaunchNeedsEngineAndGPUs(t *testing.T) {
	launchStudy(t, 20, "", "")
	infnet(t, ExitOK, "run", "study.toml")
	started := len(happened(t, true))
	gputest.Install(t, gputest.GPUs(1, "NVIDIA L4", 23034))
	replaceIn(t, "study.toml", "gpus = 2", "gpus = 0")
	_, stderr := infnet(t, ExitModel, "run", "study.toml", "--store", "other")
	for _, want := range []string{"model student: a server needs 2 GPUs, and this machine has 1 GPU",
		"lower gpus"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}
	replaceIn(t, "study.toml", "gpus = 0", "gpus = 2")
	t.Setenv("PATH", t.TempDir())
	infnet(t, ExitOK, "run", "study.toml")
	_, stderr = infnet(t, ExitModel, "run", "study.toml", "--store", "other")
	for _, want := range []string{"model student: its engine is not on the PATH: vllm: pip install vllm",
		"model master: its engine"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}
	if got := happened(t, true); len(got) != started {
		t.Errorf("something was started: %q", got[started:])
	}
}

// A server that dies in the midst of its answers is started again, and the results are those of a calm run.
func TestLaunchDiesMidway(t *testing.T) {
	launchStudy(t, 40, "", "")
	infnet(t, ExitOK, "run", "study.toml", "--store", "calm")
	calm, err := os.ReadFile("runs/servers/results.json")
	if err != nil {
		t.Fatal(err)
	}
	before := len(happened(t, true))
	setHabits(t, "small fatal 30\nsmall fatal 20\nlarge fatal 25\n")
	_, stderr := infnet(t, ExitOK, "run", "study.toml", "--store", "stormy", "--no-cache")
	want := []string{"start small", "stop small", "start small", "stop small", "start small", "stop small", "start large",
		"stop large",
		"start large", "stop large"}
	if got := happened(t, true)[before:]; !slices.Equal(got, want) {
		t.Errorf("servers: %q, want %q", got, want)
	}
	if !strings.Contains(stderr, "the server died, and is started again") {
		t.Errorf("no word of it:\n%s", stderr)
	}
	if found, _ := filepath.Glob("stormy/*.failures*.jsonl"); len(found) > 0 {
		t.Errorf("failures were recorded: %v", found)
	}
	stormy, err := os.ReadFile("runs/servers/results.json")
	if err != nil || string(stormy) != string(calm) {
		t.Errorf("the results differ from those of a calm run, %v", err)
	}
}

// A server that hangs in the midst of its answers, and is healthy all the while, is stopped and started again, and the
// results are those of a calm run.
func TestLaunchHangsMidway(t *testing.T) {
	launchStudy(t, 40, "", "silence = \"4s\"")
	infnet(t, ExitOK, "run", "study.toml", "--store", "calm")
	calm := tables(t)
	before := len(happened(t, true))
	setHabits(t, "small hang 20\n")
	_, stderr := infnet(t, ExitOK, "run", "study.toml", "--store", "stormy", "--no-cache")
	want := []string{"start small", "stop small", "start small", "stop small", "start large", "stop large"}
	if got := happened(t, true)[before:]; !slices.Equal(got, want) {
		t.Errorf("servers: %q, want %q", got, want)
	}
	if !strings.Contains(stderr, "left calls open, a short one for 4s (silence), and was stopped") {
		t.Errorf("no word of it:\n%s", stderr)
	}
	if found, _ := filepath.Glob("stormy/*.failures*.jsonl"); len(found) > 0 {
		t.Errorf("failures were recorded: %v", found)
	}
	if tables(t) != calm {
		t.Error("the tables differ from those of a calm run")
	}
}

// A server that dies too often ends the run; what was received is on disk, and the same command goes on.
func TestLaunchRestartsUsedUp(t *testing.T) {
	launchStudy(t, 40, "small fatal 30\nsmall fatal 10\n", "restarts = 1")
	_, stderr := infnet(t, ExitModel, "run", "study.toml")
	for _, want := range []string{"its server was started again 1 time,", "EngineDeadError: a worker died",
		"student.log"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}
	if found, _ := filepath.Glob("runs/answers/*.failures*.jsonl"); len(found) > 0 {
		t.Errorf("failures were recorded: %v", found)
	}
	had := 0
	for _, pattern := range []string{"student.*.jsonl", "small.*.jsonl"} {
		if size("runs/answers", pattern) > 0 {
			had++
		}
	}
	if had == 0 {
		t.Error("nothing that was received is on disk")
	}
	infnet(t, ExitOK, "run", "study.toml")
}

// Servers of one model share its calls.
func TestLaunchReplicas(t *testing.T) {
	launchStudy(t, 40, "small pause 20\n", "servers = 2")
	infnet(t, ExitOK, "run", "study.toml")
	calls := map[string]int{}
	for _, line := range happened(t, false) {
		if port, ok := strings.CutPrefix(line, "answer small "); ok {
			calls[port]++
		}
	}
	if len(calls) != 2 {
		t.Fatalf("calls by port: %v, want two ports", calls)
	}
	for port, n := range calls {
		if n < 20 {
			t.Errorf("%d calls at port %s of %v", n, port, calls)
		}
	}
	for _, name := range []string{"student-1.log", "student-2.log", "master-1.log", "master-2.log"} {
		if _, err := os.Stat("runs/servers/servers/" + name); err != nil {
			t.Error(err)
		}
	}
}

// One of two servers dies for good: the run says so, and the other one answers the rest.
func TestLaunchReplicaLost(t *testing.T) {
	launchStudy(t, 40, "", "servers = 2\nrestarts = 0")
	infnet(t, ExitOK, "run", "study.toml", "--store", "calm")
	calm := tables(t)
	setHabits(t, "small fatal 15\n")
	_, stderr := infnet(t, ExitOK, "run", "study.toml", "--store", "stormy")
	if !strings.Contains(stderr, "the server died, and is not started again; the others of its model go on") {
		t.Errorf("no word of the server that is gone:\n%s", stderr)
	}
	if tables(t) != calm {
		t.Error("the tables differ from those of a calm run")
	}
	if found, _ := filepath.Glob("stormy/*.failures*.jsonl"); len(found) > 0 {
		t.Errorf("failures were recorded: %v", found)
	}
}

// An embedder is served like any model, after the others.
func TestLaunchEmbedder(t *testing.T) {
	launchStudy(t, 40, "", "")
	text, err := os.ReadFile("study.toml")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, "\n[[models]]\nname = \"vectors\"\nid = \"acme/vectors\"\nrevision = \"3\"\nbackend = \"one\"\n"+
		"[embedder]\nmodel = \"vectors\"\n"...)
	if err := os.WriteFile("study.toml", text, 0o666); err != nil {
		t.Fatal(err)
	}
	infnet(t, ExitOK, "run", "study.toml")
	want := []string{"start small", "stop small", "start large", "stop large", "start acme/vectors", "stop acme/vectors"}
	if got := happened(t, true); !slices.Equal(got, want) {
		t.Errorf("servers: %q, want %q", got, want)
	}
	infnet(t, ExitOK, "run", "study.toml", "--offline")
	if got := happened(t, true); !slices.Equal(got, want) {
		t.Errorf("nothing is missing, and servers started: %q", got)
	}
	if log, _ := os.ReadFile("runs/servers/servers/vectors.log"); !strings.Contains(string(log), "--runner pooling") {
		t.Errorf("its server was not started to embed: %s", log)
	}
}

// An interruption, while a server starts and while it answers, and a kill: no server survives, and
// the next run goes on.
func TestLaunchInterrupted(t *testing.T) {
	for _, test := range []struct {
		name, habits, reached string
		signal                syscall.Signal
		code                  int
	}{
		{name: "Ctrl-C in the wait", habits: "small slow 3600000\n", reached: "start small", signal: syscall.SIGINT,
			code: ExitInterrupted},
		{name: "SIGTERM in the wait", habits: "small slow 3600000\n", reached: "start small", signal: syscall.SIGTERM,
			code: ExitInterrupted},
		{name: "Ctrl-C during calls", habits: "small pause 50\n", reached: "answer small", signal: syscall.SIGINT,
			code: ExitInterrupted},
		{name: "kill -9 in the wait", habits: "small slow 3600000\n", reached: "start small", signal: syscall.SIGKILL,
			code: -1},
		{name: "kill -9 during calls", habits: "small pause 50\n", reached: "answer small", signal: syscall.SIGKILL,
			code: -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			launchStudy(t, 40, test.habits, "")
			dir, err := os.Getwd()
			if err != nil {
				t.Fatal(err)
			}
			cmd, stderr := start(t, dir, "run", "study.toml")
			waitFor(t, test.reached, func() bool {
				return slices.ContainsFunc(happened(t, false), func(l string) bool { return strings.HasPrefix(l, test.reached) })
			})
			if err := cmd.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			if got := exitCode(t, cmd); got != test.code {
				t.Errorf("exit code %d, want %d\n%s", got, test.code, stderr)
			}
			if test.code == ExitInterrupted { // which says that they are gone
				for _, l := range running() {
					t.Errorf("still there when infnet ended: %s", l)
				}
			}
			nothingRuns(t)
			setHabits(t, "")
			infnet(t, ExitOK, "run", "study.toml")
		})
	}
}

// A second Ctrl-C ends infnet at once, also where a server does not want to end; its supervisor sees to that.
func TestLaunchInterruptedTwice(t *testing.T) {
	launchStudy(t, 40, "small deaf 0\nsmall slow 3600000\n", "")
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	cmd, stderr := start(t, dir, "run", "study.toml")
	waitFor(t, "a server that starts", func() bool { return len(happened(t, true)) == 1 })
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond) // two signals of a kind that come together are one
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if got := exitCode(t, cmd); got != ExitInterrupted {
		t.Errorf("exit code %d\n%s", got, stderr)
	}
	nothingRuns(t)
}

// A run that is killed together with the supervisor of its server leaves the server: the next run
// reports it and stops it.
func TestLaunchLeftovers(t *testing.T) {
	launchStudy(t, 40, "small fork 0\nsmall slow 3600000\n", "")
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	cmd, _ := start(t, dir, "run", "study.toml")
	waitFor(t, "a server and its worker", func() bool { return len(happened(t, true)) == 1 && len(running()) == 4 })
	// The supervisor dies first: while infnet lives it would be told of it.
	for _, path := range running() {
		pid := filepath.Base(filepath.Dir(path))
		name, _ := os.ReadFile("/proc/" + pid + "/cmdline")
		if strings.HasPrefix(string(name), "infnet-supervisor") {
			_ = syscall.Kill(cmd.Process.Pid, syscall.SIGSTOP)
			n, _ := strconv.Atoi(pid)
			_ = syscall.Kill(n, syscall.SIGKILL)
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	waitFor(t, "the killed processes to be gone", func() bool { return len(running()) == 1 })
	setHabits(t, "")
	_, stderr := infnet(t, ExitOK, "run", "study.toml")
	if !strings.Contains(stderr, "an earlier run was killed and left a server running: it is stopped") {
		t.Errorf("a process was left, and nobody says so:\n%s", stderr)
	}
}
