package supervisor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestLines(t *testing.T) {
	for _, test := range []struct {
		name   string
		pieces []string
		want   []string // a line; "+n" after it = n bytes left out
	}{
		{name: "lines", pieces: []string{"a\nb\n"}, want: []string{"a", "b"}},
		{name: "in pieces", pieces: []string{"a", "b\nc", "", "\n"}, want: []string{"ab", "c"}},
		{name: "a progress bar", pieces: []string{"\r10%\r20%", "\r30%\n"}, want: []string{"10%", "20%", "30%"}},
		{name: "line ends of Windows", pieces: []string{"a\r", "\nb\r\n"}, want: []string{"a", "b"}},
		{name: "no end", pieces: []string{"a\nb"}, want: []string{"a", "b"}},
		{name: "nothing", pieces: []string{"", "\n\n\r\n"}},
		{name: "a long line", pieces: []string{strings.Repeat("x", rawLimit), "yz", "\nb\n"},
			want: []string{strings.Repeat("x", rawLimit) + "+2", "b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l lines
			var got []string
			each := func(line []byte, extra int) {
				s := string(line)
				if extra > 0 {
					s += fmt.Sprintf("+%d", extra)
				}
				got = append(got, s)
			}
			for _, p := range test.pieces {
				l.add([]byte(p), each)
			}
			l.end(each)
			if !slices.Equal(got, test.want) {
				t.Errorf("got %.60q, want %.60q", got, test.want)
			}
		})
	}
}

func TestClean(t *testing.T) {
	for _, test := range []struct{ name, line, want string }{
		{name: "text", line: "INFO 12 % of é and 漢字 done", want: "INFO 12 % of é and 漢字 done"},
		{name: "colours", line: "\x1b[1;32mINFO\x1b[0m ok", want: "INFO ok"},
		{name: "moves and clears", line: "a\x1b[2J\x1b[10;20H\x1b[?25lb", want: "ab"},
		{name: "a title", line: "\x1b]0;evil\x07x", want: "x"},
		{name: "a link", line: "\x1b]8;;http://e\x1b\\text\x1b]8;;\x1b\\", want: "text"},
		{name: "an operating system's string without an end", line: "a\x1b]52;c;AAAA", want: "a"},
		{name: "a sequence without an end", line: "a\x1b[3", want: "a"},
		{name: "an escape alone", line: "a\x1b", want: "a"},
		{name: "a character set", line: "\x1b(Bx", want: "x"},
		{name: "8-bit sequences", line: "a\u009b31mb\u009d0;t\u009cc", want: "abc"},
		{name: "raw bytes of them", line: "a\x9b31mb", want: "a\ufffd31mb"},
		{name: "half a character", line: "a\xe6\xbc", want: "a\ufffd"},
		{name: "control characters", line: "a\x00\a\b\x7fb\tc", want: "ab\tc"},
		{name: "the direction of writing", line: "a\u202egnp.exe\u2066b", want: "agnp.exeb"},
		{name: "blanks at the end", line: "a  \t", want: "a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := clean([]byte(test.line)); got != test.want {
				t.Errorf("clean(%q) = %q, want %q", test.line, got, test.want)
			}
		})
	}
}

// Whatever an engine prints, a line is printable, whole and not too long.
func FuzzClean(f *testing.F) {
	f.Add([]byte("\x1b[31m\xff\u202e\x9b"))
	f.Fuzz(func(t *testing.T, line []byte) {
		s := cut(clean(line), 0)
		if !utf8.ValidString(s) || strings.ContainsAny(s, "\x1b\n\r\a\b\x00\u009b\u202e") || len(s) > lineLimit+60 {
			t.Errorf("%q became %q", line, s)
		}
	})
}

func TestCut(t *testing.T) {
	long := strings.Repeat("é", lineLimit) // two bytes each
	if got := cut(long, 5); !strings.HasPrefix(got, strings.Repeat("é", lineLimit/2)+" … [infnet: ") ||
		!strings.HasSuffix(got, fmt.Sprintf(" %d bytes of this line left out]", lineLimit+5)) || !utf8.ValidString(got) {
		t.Errorf("cut to %q", got[lineLimit:])
	}
	odd := "x" + long // the limit is within a character
	if got := cut(odd, 0); !utf8.ValidString(got) || !strings.Contains(got, fmt.Sprintf("%d bytes", lineLimit+2)) {
		t.Errorf("cut to %q", got[lineLimit-2:])
	}
	if got := cut("short", 0); got != "short" {
		t.Errorf("cut to %q", got)
	}
}

// A log keeps its beginning and its end, and counts the rest to the byte.
func TestBoundedLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "log")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("of an earlier run\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	b := newBounded(f)
	total := len("of an earlier run\n")
	const pieces = 300
	for i := range pieces {
		piece := []byte(strings.Repeat(fmt.Sprintf("line of piece %06d\n", i), 5000)) // 21 bytes each
		b.write(piece)
		total += len(piece)
		if size := fileSize(t, path); size > 18+headSize+2*tailSize+noteSize+int64(len(piece)) {
			t.Fatalf("after %d pieces the log has %d bytes", i, size)
		}
		if i == 200 {
			b.skip(12345)
			total += 12345
		}
	}
	b.finish()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var left int
	at := strings.Index(string(text), "[infnet: ")
	if _, err := fmt.Sscanf(string(text[at:]), "[infnet: %d bytes of output left out here]", &left); err != nil {
		t.Fatal(err)
	}
	if len(text)-noteSize+left != total {
		t.Errorf("%d bytes of log and %d left out, want %d together", len(text)-noteSize, left, total)
	}
	if !strings.HasPrefix(string(text), "of an earlier run\nline of piece 000000\n") ||
		!strings.HasSuffix(string(text), fmt.Sprintf("line of piece %06d\n", pieces-1)) {
		t.Error("the log lacks its beginning or its end")
	}
	if len(text)-at < tailSize {
		t.Errorf("its end has %d bytes, want %d or more", len(text)-at, tailSize)
	}
	if strings.Count(string(text), "[infnet: ") != 1 {
		t.Error("it has more than one note")
	}
	// The next run finds a log at its limit, and begins another.
	f, err = openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if fileSize(t, path) != 0 || fileSize(t, path+".old") != int64(len(text)) {
		t.Error("the next run has not begun another log")
	}
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// Output that is dropped on its way to the log takes the line it begins in with
// it: half a line may be half a secret.
func TestDroppedOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	var said report
	o := newOutput(nil, newBounded(f), nil, func(r report) { said = r })
	o.write(queue{first: [][]byte{[]byte("first\nbegun, ")}}, false)
	o.write(queue{missing: 1000, rest: [][]byte{[]byte("cret\nlast\n")}}, true)
	o.log.finish()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// 7 bytes of "begun, ", 1000 and 4 of "cret"
	want := fmt.Sprintf("first\n%-*s\nlast\n", noteSize-1, "[infnet: 1011 bytes of output left out here]")
	if string(text) != want || !slices.Equal(said.Lines, []string{"last"}) {
		t.Errorf("the log is %q, want %q; said %q", text, want, said.Lines)
	}
}

// However slow the log, the beginning is kept, then there is a gap, then the end.
func TestQueue(t *testing.T) {
	var o output
	const pieces = 4 * chunks
	for i := range pieces {
		o.put(slices.Repeat([]byte{byte(i)}, chunkSize))
	}
	q := o.waiting
	first := headSize / chunkSize
	if len(q.first) != first || len(q.rest) != chunks || q.missing != int64(pieces-first-chunks)*chunkSize {
		t.Fatalf("%d pieces, %d bytes missing, %d pieces", len(q.first), q.missing, len(q.rest))
	}
	last := pieces - 1
	if q.first[0][0] != 0 || q.rest[0][0] != byte(pieces-chunks) || q.rest[chunks-1][0] != byte(last) {
		t.Error("the pieces are not the first and the last")
	}
	o.waiting = queue{}
	for range 1000 {
		o.put([]byte("a short line\n")) // many of them share a piece
	}
	if n := len(o.waiting.rest); n != 1 {
		t.Errorf("short pieces take %d places", n)
	}
}

func TestMemory(t *testing.T) {
	var m memory
	at := time.Unix(1e9, 0)
	m.look(at, 5)
	if m.short(at.Add(time.Second), 5) || !m.short(at.Add(2*time.Second), 6) || !m.short(at.Add(20*time.Second), 6) {
		t.Error("a kill a moment ago counts, and no other")
	}
	for i := range 100 {
		m.look(at.Add(time.Duration(20+i)*time.Second), 6)
	}
	if m.short(at.Add(2*time.Minute), 6) || len(m.samples) > 40 {
		t.Errorf("a kill long ago counts, or %d samples are kept", len(m.samples))
	}
}

// A server that logs the calls which ask whether it works says nothing by that.
func TestRoutineIsNoNews(t *testing.T) {
	for _, test := range []struct {
		name, output string
		news         bool
		last         string
	}{
		{name: "a call of ours", output: "GET /health 503\nGET /health 503\n"},
		{name: "half of one", output: "GET /health 503\nGET /health 5"},
		{name: "with a blank line", output: "GET /health 503\n\n"},
		{name: "among other lines", output: "GET /health 503\nloading\nGET /health 503\n", news: true, last: "loading"},
		{name: "a line without an end", output: "GET /health 503\n50%", news: true},
		{name: "a blank line alone", output: "\n", news: true},
		{name: "nothing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := openLog(filepath.Join(t.TempDir(), "log"))
			if err != nil {
				t.Fatal(err)
			}
			var said report
			o := newOutput(nil, newBounded(f), nil, func(r report) { said = r })
			o.routine = []string{"/health"}
			q := queue{}
			if test.output != "" {
				q.first = [][]byte{[]byte(test.output)}
			}
			o.write(q, false)
			o.log.finish()
			if said.News != test.news || said.Last != test.last {
				t.Errorf("news %v, last %q; want %v, %q", said.News, said.Last, test.news, test.last)
			}
		})
	}
}
