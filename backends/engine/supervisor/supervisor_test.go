//go:build linux

package supervisor

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"infnet/backends/backendtest/fakeengine"
)

// TestMain makes this test binary a supervisor, an engine, and an infnet that
// can be killed.
func TestMain(m *testing.M) {
	Main()
	fakeengine.Main()
	host()
	os.Exit(m.Run())
}

// patience is how long a test waits for what must happen.
const patience = time.Minute

// eventually waits for a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
}

// running lists the other processes of this test binary, whoever their parent is and whatever their environment
// holds: supervisors, engines, their children, infnets.
func running() (out []string) {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		panic(err)
	}
	for _, p := range processes() {
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.PID))
		if err != nil || exe != self || p.PID == os.Getpid() || p.zombie {
			continue
		}
		args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
		out = append(out, fmt.Sprintf("%d %s", p.PID, bytes.ReplaceAll(args, []byte{0}, []byte(" "))))
	}
	return out
}

// nothingLeft fails a test after which a process runs or a port is taken. One that was just killed may take a moment.
func nothingLeft(t *testing.T, ports ...int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); len(running()) > 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if left := running(); len(left) > 0 {
		t.Errorf("still running:\n%s", strings.Join(left, "\n"))
		for _, line := range left { // so that the next test does not find them
			if pid, err := strconv.Atoi(strings.Fields(line)[0]); err == nil {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
	for _, port := range ports {
		l, err := net.Listen("tcp", address(port))
		if err != nil {
			t.Errorf("port %d is still taken: %v", port, err)
			continue
		}
		_ = l.Close()
	}
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// freePort is below the ports that systems give to connections.
func freePort(t *testing.T) int {
	for {
		l, err := net.Listen("tcp", address(20000+rand.IntN(12000)))
		if err == nil && l.Close() == nil {
			return l.Addr().(*net.TCPAddr).Port
		}
		if t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
}

// fake is a server of a fake vLLM with settings, in folders of the test.
func fake(t *testing.T, settings string) (Server, int) {
	t.Helper()
	dir := t.TempDir()
	if err := fakeengine.Install(dir, "vllm"); err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	return Server{
		Name: "student", Path: filepath.Join(dir, "vllm"), Grace: 100 * time.Millisecond,
		Args: []string{"serve", "/models/student", "--port", strconv.Itoa(port), "--fake=" + settings},
		Log:  filepath.Join(dir, "servers", "student.log"), Env: os.Environ(),
	}, port
}

// begin starts a server. After the test nothing of it runs.
func begin(t *testing.T, s Server) *Process {
	t.Helper()
	t.Cleanup(func() { nothingLeft(t) })
	p, err := Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	return p
}

// healthy asks a server for its health.
func healthy(port int) bool {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get("http://" + address(port) + "/health")
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode == http.StatusOK
}

// stopped stops a server and wants nothing left.
func stopped(t *testing.T, p *Process, ports ...int) {
	t.Helper()
	if err := p.Stop(); err != nil {
		t.Errorf("Stop: %v", err)
	}
	if err := p.Err(); err != nil {
		t.Errorf("Err after Stop: %v", err)
	}
	nothingLeft(t, ports...)
}

func over(t *testing.T, p *Process) *ExitError {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(patience):
		t.Fatalf("it has not ended; its last lines are\n%s", strings.Join(p.Tail(20), "\n"))
	}
	e, ok := p.Err().(*ExitError)
	if !ok {
		t.Fatalf("Err() = %v, want an ExitError", p.Err())
	}
	return e
}
