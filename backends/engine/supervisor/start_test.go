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
			want: []string{"/no/such/vllm", "no such file"}},
		{name: "nothing", change: func(s *Server) { s.Path = "" }, want: []string{"executable file not found"}},
		{name: "no program", change: func(s *Server) { s.Path = filepath.Join(dir, "binary") },
			want: []string{"binary cannot be run: it is no program of this machine's kind"}},
		{name: "a script without its shell", change: func(s *Server) { s.Path = filepath.Join(dir, "script") },
			want: []string{"script cannot be run: its first line (#!) names a program that is not there"}},
		{name: "a log that is a folder", change: func(s *Server) { s.Log = dir },
			want: []string{"its log cannot be written"}},
		{name: "a log below a file", change: func(s *Server) { s.Log = filepath.Join(dir, "plain", "x.log") },
			want: []string{"no folder for its log"}},
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
