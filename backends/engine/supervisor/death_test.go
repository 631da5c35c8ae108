//go:build linux

package supervisor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// infnet is a process that plays infnet: it runs in a process group of its own,
// as a shell would start it.
type infnet struct {
	*exec.Cmd
	in     io.Closer
	stderr bytes.Buffer
	port   int
}

// startInfnet starts one with one server, and waits until that is healthy.
func startInfnet(t *testing.T, how, settings string) *infnet {
	t.Helper()
	t.Cleanup(func() { nothingLeft(t) })
	s, port := fake(t, settings)
	text, err := json.Marshal(hosted{Servers: []Server{s}, How: how})
	if err != nil {
		t.Fatal(err)
	}
	h := &infnet{Cmd: exec.Command("/proc/self/exe"), port: port}
	h.Args = []string{"infnet", "run"}
	h.Env = append(os.Environ(), hostVariable+"="+string(text))
	h.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	h.Stderr = &h.stderr
	in, err := h.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.in = in
	out, err := h.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Process.Kill() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "started\n" {
		t.Fatalf("infnet said %q (%v) %s", line, err, &h.stderr)
	}
	eventually(t, "health", func() bool { return healthy(port) })
	return h
}

// However infnet ends, nothing runs soon after.
func TestInfnetEnds(t *testing.T) {
	const misbehaves = "deaf=1 keeper=1 workers=2"
	for _, test := range []struct {
		name, how string
		settings  string
		end       func(t *testing.T, h *infnet)
		says      string // on standard error
	}{
		{name: "kill -9", settings: misbehaves, end: func(_ *testing.T, h *infnet) { _ = h.Process.Kill() }},
		{name: "Ctrl-C", settings: misbehaves, end: func(t *testing.T, h *infnet) {
			if err := syscall.Kill(-h.Process.Pid, syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "a panic", how: "panic", settings: misbehaves, end: func(_ *testing.T, h *infnet) { _ = h.in.Close() },
			says: "panic: a panic that was asked for"},
		{name: "os.Exit", how: "exit", settings: misbehaves, end: func(_ *testing.T, h *infnet) { _ = h.in.Close() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := startInfnet(t, test.how, test.settings)
			test.end(t, h)
			_ = h.Wait()
			if !strings.Contains(h.stderr.String(), test.says) {
				t.Errorf("infnet said %q, want %q", &h.stderr, test.says)
			}
			eventually(t, "the end of everything", func() bool { return len(running()) == 0 })
			nothingLeft(t, h.port)
		})
	}
}

// A Ctrl-C at the terminal goes to its whole process group. infnet finishes its
// calls after it, so the engine must not hear it.
func TestEngineDoesNotHearCtrlC(t *testing.T) {
	h := startInfnet(t, "careful", "workers=1")
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if err := syscall.Kill(-h.Process.Pid, sig); err != nil {
			t.Fatal(err)
		}
	}
	supervisor := only(t, h.Process.Pid)
	engine := only(t, supervisor.PID)
	if own := h.Process.Pid; own == supervisor.group || own == engine.group || supervisor.group == engine.group {
		t.Error("infnet, the supervisor and the engine are not in groups of their own")
	}
	// What is sent to the supervisor itself does not end it either.
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if err := syscall.Kill(supervisor.PID, sig); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(100 * time.Millisecond) // for what must not happen
	if !healthy(h.port) || !supervisor.alive() || !engine.alive() {
		t.Error("the engine or its supervisor has ended before infnet")
	}
	_ = h.in.Close()
	_ = h.Wait()
	eventually(t, "the end of everything", func() bool { return len(running()) == 0 })
	nothingLeft(t, h.port)
}

// only is the only child of a process.
func only(t *testing.T, parent int) (child process) {
	t.Helper()
	n := 0
	for _, p := range processes() {
		if p.parent == parent && !p.zombie {
			child, n = p, n+1
		}
	}
	if n != 1 {
		t.Fatalf("process %d has %d children, want 1", parent, n)
	}
	return child
}

// The supervisor is killed and infnet lives: infnet does its work.
func TestSupervisorIsKilled(t *testing.T) {
	s, port := fake(t, "keeper=1 workers=2 deaf=1")
	p := begin(t, s)
	eventually(t, "health", func() bool { return healthy(port) })
	if err := syscall.Kill(only(t, os.Getpid()).PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	e := over(t, p)
	if !e.Lost || !strings.Contains(e.Error(), "its supervisor was killed") || len(e.Left) > 0 {
		t.Errorf("ended as %+v", e)
	}
	nothingLeft(t, port)
}
