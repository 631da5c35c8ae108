//go:build linux

package supervisor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestStartRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"plain": 0o600, "binary": 0o700} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("\x7fELF no program"), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte("#!/no/such/shell\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		change func(s *Server)
		want   []string
	}{
		{name: "no file", change: func(s *Server) { s.Path = "/no/such/vllm" },
			want: []string{"no file /no/such/vllm", "correct the path"}},
		{name: "not on the PATH", change: func(s *Server) { s.Path = "no-such-vllm" },
			want: []string{"no program no-such-vllm on the PATH", "install it"}},
		{name: "not executable", change: func(s *Server) { s.Path = filepath.Join(dir, "plain") },
			want: []string{"is not executable", "chmod +x"}},
		{name: "a folder", change: func(s *Server) { s.Path = dir },
			want: []string{"is a folder", "name the program in it"}},
		{name: "nothing", change: func(s *Server) { s.Path = "" }, want: []string{"no program is named"}},
		{name: "no program", change: func(s *Server) { s.Path = filepath.Join(dir, "binary") },
			want: []string{"binary cannot be run: it is no program of this machine's kind"}},
		{name: "a script without its shell", change: func(s *Server) { s.Path = filepath.Join(dir, "script") },
			want: []string{"script cannot be run: its first line (#!) names a program that is not there"}},
		{name: "a working folder that is none", change: func(s *Server) { s.Dir = "/no/such/folder" },
			want: []string{"working folder /no/such/folder is no folder"}},
		{name: "a log that is a folder", change: func(s *Server) { s.Log = dir },
			want: []string{"its log cannot be written"}},
		{name: "a log below a file", change: func(s *Server) { s.Log = filepath.Join(dir, "plain", "x.log") },
			want: []string{"no folder for its log"}},
		{name: "no log", change: func(s *Server) { s.Log = "" }, want: []string{"no file for its log"}},
		{name: "no folder of records", change: func(s *Server) { s.State = "" },
			want: []string{"no folder for its record"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, _ := fake(t, "")
			test.change(&s)
			p, err := Start(t.Context(), s)
			if p != nil || err == nil {
				t.Fatalf("Start = %v, %v", p, err)
			}
			for _, want := range append(test.want, `starting server "student": `) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q, want %q in it", err, want)
				}
			}
			nothingLeft(t)
			if s.State != "" {
				noRecords(t, s)
			}
		})
	}
}

func TestStartIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the user changed his mind")
	cancel(why)
	s, port := fake(t, "deaf=1 workers=2")
	if _, err := Start(ctx, s); !errors.Is(err, why) {
		t.Errorf("Start = %v, want %v", err, why)
	}
	nothingLeft(t, port)
	noRecords(t, s)
}

// A program that would run itself instead of a supervisor is told so.
func TestStartWithoutMain(t *testing.T) {
	hasMain.Store(false)
	defer hasMain.Store(true)
	s, _ := fake(t, "")
	if _, err := Start(t.Context(), s); err == nil || !strings.Contains(err.Error(), "supervisor.Main") {
		t.Errorf("Start = %v", err)
	}
}

// Programs on the PATH, in the working folder and relative to it.
func TestPaths(t *testing.T) {
	s, port := fake(t, "")
	dir := filepath.Dir(s.Path)
	for _, test := range []struct{ name, path, dir string }{
		{name: "absolute", path: s.Path},
		{name: "on the PATH", path: "vllm"},
		{name: "below the working folder", path: "./vllm", dir: dir},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
			s.Path, s.Dir = test.path, test.dir
			p := begin(t, s)
			eventually(t, "health", func() bool { return healthy(port) })
			stopped(t, p, s, port)
		})
	}
}

func TestParseStat(t *testing.T) {
	// the fields of proc_pid_stat(5): state, parent, group, session, …, starttime is the 22nd
	const rest = " 7 8 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 100 200"
	for _, test := range []struct {
		name, text string
		want       process
		ok         bool
	}{
		{name: "usual", text: "42 (vllm) S" + rest, ok: true,
			want: process{identity: identity{42, 12345}, parent: 7, group: 8}},
		{name: "a name with everything", text: "42 (a) S 1 (b ) R) Z" + rest, ok: true,
			want: process{identity: identity{42, 12345}, parent: 7, group: 8, zombie: true}},
		{name: "its first thread has ended", ok: true,
			text: "42 (vllm) Z" + strings.Replace(rest, " 20 0 1 0 ", " 20 0 5 0 ", 1),
			want: process{identity: identity{42, 12345}, parent: 7, group: 8}},
		{name: "cut", text: "42 (vllm) S 7 8"},
		{name: "empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, ok := parseStat(42, test.text); ok != test.ok || ok && got != test.want {
				t.Errorf("parseStat = %+v, %v, want %+v, %v", got, ok, test.want, test.ok)
			}
		})
	}
}

func TestCounter(t *testing.T) {
	const text = "pgscan 4\noom_kill_disable 0\noom_kill 3\nunder_oom 1\n" // as in /proc/vmstat and memory.events
	if n := counter(text, "oom_kill"); n != 3 {
		t.Errorf("counter = %d, want 3", n)
	}
	if n := counter("", "oom_kill") + counter("oom_kill x\n", "oom_kill"); n != 0 {
		t.Errorf("counter = %d, want 0", n)
	}
	if oomKills() < 0 {
		t.Error("it counts below 0")
	}
}
