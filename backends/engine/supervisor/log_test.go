package supervisor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"infnet/backends/redact"
)

// What an engine prints becomes lines, and a Process reads them as they come.
func TestLog(t *testing.T) {
	for _, test := range []struct {
		name   string
		output string
		want   []string
	}{
		{name: "lines", output: "a\nb\n", want: []string{"a", "b"}},
		{name: "a progress bar", output: "\r10%\r20%\r30%\n", want: []string{"10%", "20%", "30%"}},
		{name: "no end", output: "a\r\nb", want: []string{"a", "b"}},
		{name: "nothing", output: "\n\n\r\n"},
		{name: "a secret", output: "key sk-3f9aXb71Qw\n", want: []string{"key [secret]"}},
		{name: "a long line", output: strings.Repeat("é", lineLimit) + "\nb\n", // 2 bytes each
			want: []string{strings.Repeat("é", lineLimit/2), "b"}},
		{name: "only the last lines", output: strings.Repeat("x\n", 10) + "y\n", want: []string{"x", "x", "y"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &Process{Server: Server{Log: filepath.Join(t.TempDir(), "log")}}
			if err := os.WriteFile(p.Log, []byte("of an earlier run\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			l, err := openLog(p.Log)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			p.from = p.logged()
			follow(strings.NewReader(test.output), l, redact.New("sk-3f9aXb71Qw"))
			if got := p.Tail(3); !slices.Equal(got, test.want) {
				t.Errorf("got %.60q, want %.60q", got, test.want)
			}
		})
	}
}

// A log that has grown beyond its limit is begun anew.
func TestLogIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	for _, test := range []struct{ size, want int64 }{{logLimit, logLimit}, {logLimit + 1, 0}} {
		if err := os.WriteFile(path, make([]byte, test.size), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := openLog(path)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if info, err := l.Stat(); err != nil || info.Size() != test.want {
			t.Errorf("%d bytes became %v (%v), want %d", test.size, info.Size(), err, test.want)
		}
	}
}

// Whatever an engine prints, a line is printable and whole.
func FuzzClean(f *testing.F) {
	f.Add("\x1b[31m\xff\u202e\x9b")
	f.Fuzz(func(t *testing.T, line string) {
		s := clean(line)
		if !utf8.ValidString(s) || strings.ContainsAny(s, "\x1b\n\r\a\b\x00\u009b\u202e") {
			t.Errorf("%q became %q", line, s)
		}
	})
}
