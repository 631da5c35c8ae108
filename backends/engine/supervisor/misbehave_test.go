//go:build linux

package supervisor

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// Engines that run until they are stopped. Whatever they do, Stop leaves no
// process and no taken port.
func TestStopLeavesNothing(t *testing.T) {
	for _, test := range []struct {
		name, settings string
		children       int // that run before Stop, at least
	}{
		{name: "one that behaves"},
		{name: "a child without our environment that holds the port", settings: "keeper=1 bare=1", children: 1},
		{name: "everything at once", settings: "keeper=1 workers=2 deaf=1 forks=1", children: 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, port := fake(t, test.settings)
			p := begin(t, s)
			eventually(t, "health", func() bool { return healthy(port) })
			// besides its children: the engine and its supervisor
			eventually(t, "children", func() bool { return len(running()) >= 2+test.children })
			stopped(t, p, port)
		})
	}
}

func TestKilledByASignal(t *testing.T) {
	s, port := fake(t, "workers=2")
	p := begin(t, s)
	eventually(t, "health", func() bool { return healthy(port) })
	if err := syscall.Kill(p.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	e := over(t, p)
	if e.Signal != "killed" || e.Code != -1 || !strings.Contains(e.Error(), "a lack of memory") {
		t.Errorf("ended as %+v: %v", e, e)
	}
	nothingLeft(t, port)
}

func TestOutputIsSafe(t *testing.T) {
	const key = "sk-3f9aXb71Qw"
	s, port := fake(t, "colours=1 tells=1")
	s.Args = append(s.Args, "--api-key", key)
	s.Secrets = []string{key}
	p := begin(t, s)
	eventually(t, "health", func() bool { return healthy(port) })
	eventually(t, "the last line", func() bool {
		return strings.Contains(strings.Join(p.Tail(1), ""), "startup complete")
	})
	tail := p.Tail(1000)
	stopped(t, p, port)
	b, err := os.ReadFile(s.Log)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"log": string(b), "Tail": strings.Join(tail, "\n")} {
		if strings.Contains(text, key) || !strings.Contains(text, "[secret]") {
			t.Errorf("%s: the key is in it, or no mark", what)
		}
		if strings.ContainsAny(text, "\x1b\a\b\r\u202e") {
			t.Errorf("%s: a terminal would act on it", what)
		}
		for _, want := range []string{"coloured \ufffd", "cleared reversed", "INFO non-default args"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", what, want)
			}
		}
	}
}
