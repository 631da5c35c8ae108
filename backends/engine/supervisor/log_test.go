package supervisor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"infnet/backends/redact"
)

// What an engine prints becomes lines, and a Process reads them as they come; those that log calls of ours are no news.
func TestLog(t *testing.T) {
	for _, test := range []struct {
		name   string
		output string
		want   []string
		last   string
	}{
		{name: "lines", output: "a\nb\n", want: []string{"a", "b"}, last: "b"},
		{name: "a progress bar", output: "\r10%\r20%\r30%\n", want: []string{"10%", "20%", "30%"}, last: "30%"},
		{name: "line ends of Windows", output: "a\r\nb\r\n", want: []string{"a", "b"}, last: "b"},
		{name: "no end", output: "a\nb", want: []string{"a", "b"}, last: "b"},
		{name: "nothing", output: "\n\n\r\n"},
		{name: "a secret", output: "key sk-3f9aXb71Qw\n", want: []string{"key [secret]"}, last: "key [secret]"},
		{name: "a long line", output: strings.Repeat("é", rawLimit) + "\nb\n", // 2 bytes each
			want: []string{strings.Repeat("é", lineLimit/2) + " …", "b"}, last: "b"},
		{name: "calls of ours", output: "GET /health 503\nGET /health 503\n",
			want: []string{"GET /health 503", "GET /health 503"}},
		{name: "among calls of ours", output: "loading\nGET /health 503\n", want: []string{"loading", "GET /health 503"},
			last: "loading"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(path, []byte("of an earlier run\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			l, err := openLog(path)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			h := heard{at: l.size}
			l.follow(strings.NewReader(test.output), redact.New("sk-3f9aXb71Qw"))
			h.look(path, []string{"/health"})
			if !slices.Equal(h.lines, test.want) || h.last != test.last || h.grown.IsZero() != (test.last == "") {
				t.Errorf("got %.60q, last %q, grown %v, want %.60q and %q", h.lines, h.last, h.grown, test.want, test.last)
			}
		})
	}
}

// A log is of bounded size: one at its limit is kept beside the next, and a Process goes on reading there.
func TestLogIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { l.Close() }()
	var h heard
	piece := []byte(strings.Repeat("a line of output\n", 1<<16)) // 17 bytes each: a little more than 1 MiB
	for range 3 * logLimit / len(piece) {
		l.append(piece)
		h.look(path, nil)
		if len(h.lines) != kept || h.last != "a line of output" {
			t.Fatalf("%d lines, last %q", len(h.lines), h.last)
		}
	}
	for _, name := range []string{path, path + ".old"} {
		if info, err := os.Stat(name); err != nil || info.Size() > int64(logLimit+len(piece)) {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	before := h.grown
	time.Sleep(time.Millisecond)
	if h.look(path, nil); h.grown != before {
		t.Error("a log that does not grow is news")
	}
}

// Whatever an engine prints, a line is printable, whole and not too long.
func FuzzClean(f *testing.F) {
	f.Add([]byte("\x1b[31m\xff\u202e\x9b"))
	f.Fuzz(func(t *testing.T, line []byte) {
		s := cut(clean(line))
		if !utf8.ValidString(s) || strings.ContainsAny(s, "\x1b\n\r\a\b\x00\u009b\u202e") || len(s) > lineLimit+60 {
			t.Errorf("%q became %q", line, s)
		}
	})
}
