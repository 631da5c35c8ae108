//go:build linux

package supervisor

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func itoa(n int) string { return strconv.Itoa(n) }

// recordPath is the one record in a server's folder.
func recordPath(t *testing.T, s Server) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(s.State, "server-*.json"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("records %v (%v), want one", paths, err)
	}
	return paths[0]
}

// The supervisor is killed and infnet lives: infnet does its work.
func TestSupervisorIsKilled(t *testing.T) {
	s, port := fake(t, "keeper=1 workers=2 deaf=1")
	p := begin(t, s)
	eventually(t, "health", func() bool { return healthy(port) })
	r, err := readRecord(recordPath(t, s))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(r.Supervisor.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	e := over(t, p)
	if !e.Lost || !strings.Contains(e.Error(), "its supervisor was killed") || len(e.Left) > 0 {
		t.Errorf("ended as %+v", e)
	}
	nothingLeft(t, port)
	noRecords(t, s)
}

// Both are killed at once: nobody is there to stop the engine, and the next
// start finds it.
func TestBothAreKilled(t *testing.T) {
	for _, test := range []struct {
		name, settings string
		least          int // processes that are left over
		recorded       bool
	}{
		{name: "with workers", settings: "deaf=1 workers=2", least: 3},
		{name: "a child without our environment", settings: "keeper=1 bare=1", least: 1, recorded: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := startInfnet(t, "wait", test.settings)
			keeper := strings.Contains(test.settings, "keeper")
			eventually(t, "children", func() bool {
				all := running()
				return len(all) >= 3+test.least-1 && (!keeper || strings.Contains(strings.Join(all, "\n"), "VLLM::keeper"))
			})
			if test.recorded { // by its number: the record has all that the supervisor has seen
				eventually(t, "a record of the child", func() bool {
					r := h.record(t)
					return slices.ContainsFunc(r.Processes, func(i identity) bool {
						p, ok := inspect(i.PID)
						return ok && i != r.Engine && p.identity == i && p.parent == r.Supervisor.PID // an orphan
					})
				})
			}
			r := h.record(t)
			kill(t, r.Supervisor.PID, h.Process.Pid)
			_ = h.Wait()
			eventually(t, "the end of the supervisor", func() bool { return !r.Supervisor.alive() })
			if strings.Contains(test.settings, "deaf") && !healthy(h.port) {
				t.Error("the engine has ended: nothing is left over to find")
			}
			if keeper { // the engine itself hears that its parent died
				eventually(t, "the end of the engine", func() bool { return !r.Engine.alive() })
			}
			var left []Leftover
			var err error
			eventually(t, "all that is left over", func() bool { // a process that is just being started may be missed
				left, err = Leftovers(h.server.State)
				return err != nil || len(left) == 1 && len(left[0].pids) >= test.least
			})
			if err != nil || len(left) != 1 {
				t.Fatalf("%d leftovers (%v), want 1", len(left), err)
			}
			l := left[0]
			if l.Name != "student" || len(l.pids) < test.least || l.stopping || l.Log != h.server.Log ||
				!slices.Contains(l.Command, "/models/student") {
				t.Errorf("found %+v", l)
			}
			if text := l.String(); !strings.Contains(text, `server "student", started 20`) ||
				!strings.Contains(text, "still runs (vllm, process "+itoa(l.pids[0])) {
				t.Errorf("it reads %q", text)
			}
			if err := l.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			nothingLeft(t, h.port)
			noRecords(t, h.server)
			if left, err := Leftovers(h.server.State); len(left) > 0 || err != nil {
				t.Errorf("afterwards: %v (%v)", left, err)
			}
			if err := l.Stop(t.Context()); err != nil {
				t.Errorf("a second Stop: %v", err)
			}
		})
	}
}

// kill ends processes at once: each is suspended first, so that none sees
// another's end.
func kill(t *testing.T, pids ...int) {
	t.Helper()
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		for _, pid := range pids {
			if err := syscall.Kill(pid, sig); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// infnet was killed and its supervisor is still at work: Stop waits for it.
func TestLeftoverThatIsBeingStopped(t *testing.T) {
	h := startInfnet(t, "wait", "deaf=1")
	r := h.record(t)
	if err := syscall.Kill(r.Supervisor.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	_ = h.Process.Kill()
	_ = h.Wait()
	left, err := Leftovers(h.server.State)
	if err != nil || len(left) != 1 || !left[0].stopping || !strings.Contains(left[0].String(), "is being stopped") {
		t.Fatalf("found %v (%v)", left, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := left[0].Stop(ctx); err == nil {
		t.Error("Stop did not wait for the supervisor")
	}
	if err := syscall.Kill(r.Supervisor.PID, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := left[0].Stop(t.Context()); err != nil {
		t.Error(err)
	}
	eventually(t, "the end of everything", func() bool { return len(running()) == 0 })
	nothingLeft(t, h.port)
	noRecords(t, h.server)
}

// Records that are no leftovers, and what becomes of them.
func TestRecordsOfOthers(t *testing.T) {
	other := exec.Command("sleep", "600") // a process that has nothing to do with any of them
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	sleeper := identify(other.Process.Pid)
	reused := identity{PID: sleeper.PID, Start: sleeper.Start - 1}
	gone := identity{PID: 1 << 30, Start: 1}
	for _, test := range []struct {
		name   string
		change func(r *record)
		keeps  bool // the record
	}{
		{name: "the numbers are others' by now", change: func(r *record) {
			r.Owner, r.Supervisor, r.Engine, r.Processes = reused, reused, reused, []identity{reused}
		}},
		{name: "nothing runs", change: func(*record) {}},
		{name: "before a restart of the machine", change: func(r *record) {
			r.Boot, r.Processes = "another", []identity{sleeper}
		}},
		{name: "another machine", keeps: true, change: func(r *record) {
			r.Host, r.Boot, r.Processes = "another", "another", []identity{sleeper}
		}},
		{name: "another container", keeps: true, change: func(r *record) {
			r.Namespace, r.Processes = "pid:[1]", []identity{sleeper}
		}},
		{name: "an infnet that lives", keeps: true, change: func(r *record) {
			r.Owner, r.Processes = identify(os.Getpid()), []identity{sleeper}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a [b]*")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			r := newRecord(Server{Name: "x", Path: "/bin/x", Grace: time.Second, State: dir})
			r.Owner, r.Supervisor, r.Engine, r.Processes = gone, gone, gone, []identity{gone}
			test.change(&r)
			if err := r.write(); err != nil {
				t.Fatal(err)
			}
			if left, err := Leftovers(dir); len(left) > 0 || err != nil {
				t.Errorf("found %v (%v)", left, err)
			}
			if _, err := os.Stat(r.File); (err == nil) != test.keeps {
				t.Errorf("its record: %v, kept: %v", err, test.keeps)
			}
			if left := sweep(t.Context(), record{Processes: []identity{reused}, Marker: "none"}, 0); len(left) > 0 {
				t.Errorf("sweep saw %v", left)
			}
			if !sleeper.alive() {
				t.Fatal("a process of somebody else was ended")
			}
		})
	}
}

func TestDamagedRecord(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"server-a.json": "{", "server-b.json": `{"name":"x"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	left, err := Leftovers(dir)
	if len(left) > 0 || err == nil {
		t.Fatalf("found %v, %v", left, err)
	}
	for _, want := range []string{"server-a.json is no record of a server", "server-b.json is no record", "delete it"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q, want %q in it", err, want)
		}
	}
	if left, err := Leftovers(filepath.Join(dir, "missing")); len(left) > 0 || err != nil {
		t.Errorf("a folder that does not exist: %v (%v)", left, err)
	}
}
