package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever part of the last line a killed process left, readers see the lines
// before it, and the next writer takes it away and goes on.
func TestTornAtEveryByte(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of reads, one after the other")
	}
	s, path := written(t, 3)
	whole := read(t, path)
	last := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	for cut := last; cut < len(whole); cut++ {
		if err := os.Truncate(path, int64(cut)); err != nil { // every round ends with the whole file
			t.Fatal(err)
		}
		if n := count(t, s); n != 2 {
			t.Fatalf("cut at %d: %d answers, want 2", cut-last, n)
		}
		if d := cmp.Diff(whole[:cut], read(t, path)); d != "" {
			t.Fatalf("cut at %d: reading changed the file", cut-last)
		}
		a := must(s.WriteAnswers(testID))(t)
		if torn := a.ok.own.torn; torn != int64(cut-last) || a.Has(key(2)) {
			t.Fatalf("cut at %d: torn %d", cut-last, torn)
		}
		a.ok.own.f = &faultyDisk{disk: a.ok.own.f, room: -1, lazy: true}
		must(a.Append(records(2, 3)))(t)
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(whole, read(t, path)); d != "" {
			t.Fatalf("cut at %d: the file is not what it was: %s", cut-last, d)
		}
	}
	if left := glob(t, s, "*.torn"); len(left) > 0 {
		t.Errorf("an incomplete line was kept: %v", left)
	}
}

// The same for the header: a file that was only just begun.
func TestTornHeader(t *testing.T) {
	s, path := written(t, 0)
	header := read(t, path)
	for cut := 0; cut < len(header); cut += 7 {
		overwrite(t, path, header[:cut])
		if n := count(t, s); n != 0 {
			t.Fatalf("cut at %d: %d answers", cut, n)
		}
		must(s.WriteAnswers(testID))(t).Close()
		if d := cmp.Diff(header, read(t, path)); d != "" {
			t.Fatalf("cut at %d: %s", cut, d)
		}
	}
}

// growing is a file that another process appends to: the end comes, and then
// there is more.
type growing struct{ parts [][]byte }

func (g *growing) Read(p []byte) (int, error) {
	if len(g.parts) == 0 || len(g.parts[0]) == 0 {
		g.parts = g.parts[min(1, len(g.parts)):]
		return 0, io.EOF
	}
	n := copy(p, g.parts[0])
	g.parts[0] = g.parts[0][n:]
	return n, nil
}

// A reader that meets a line in the making sees the lines before it and takes
// its completion for no damage.
func TestReadWhileWritten(t *testing.T) {
	_, path := written(t, 3)
	whole := read(t, path)
	for cut := range whole {
		l := &log{path: path, index: map[short]int32{}}
		r := &growing{[][]byte{whole[:cut:cut], whole[cut:]}}
		if err := l.scan(bufio.NewReaderSize(r, 64), Open("", Options{}).about(testID).header()); err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if want := bytes.Count(whole[:cut], []byte{'\n'}); len(l.ends) != want && cut > 0 && whole[cut-1] != '\n' {
			t.Fatalf("cut at %d: %d lines, want %d", cut, len(l.ends), want)
		}
	}
}

// Damage that no interrupted write explains is reported with its line, and
// the file is left as it is, by readers and writers alike.
func TestCorrupt(t *testing.T) {
	s, path := written(t, 3)
	whole := read(t, path)
	lines := bytes.SplitAfter(whole, []byte("\n")) // header, 3 answers, ""
	flip := func(line int, at int) []byte {
		out := bytes.Clone(whole)
		for _, l := range lines[:line] {
			at += len(l)
		}
		out[at] ^= 0x01
		return out
	}
	for _, test := range []struct {
		name string
		file []byte
		line int
		want string
	}{
		{"a flipped bit", flip(2, 80), 3, "its checksum is"},
		{"a flipped bit in the checksum", flip(1, len(lines[1])-5), 2, "its checksum is"},
		{"an empty line", bytes.Join([][]byte{lines[0], lines[1], []byte("\n"), lines[2]}, nil), 3,
			"does not end in a checksum"},
		{"a foreign line", bytes.Join([][]byte{lines[0], []byte("{\"a\":1}\n"), lines[2]}, nil), 2,
			"does not end in a checksum"},
		{"a line without a key", bytes.Join([][]byte{lines[0], seal(nil, []byte(`{"id":"1"}`)), lines[2]}, nil), 2,
			"does not start with a key"},
		{"two damaged lines at the end", bytes.Join([][]byte{lines[0], []byte("x\n"), []byte("y")}, nil), 2,
			"does not end in a checksum"},
		{"a flipped bit in the last line", flip(3, 80), 4, "its checksum is"},
		{"a flipped bit in the last newline", flip(3, len(lines[3])-1), 4, "it ends in the byte 0x0b instead of a newline"},
		{"a flipped bit in the newline of a header alone", flip(0, len(lines[0])-1)[:len(lines[0])], 1,
			"it ends in the byte 0x0b"},
		{"no header", bytes.Join(lines[1:], nil), 1, "not the header of a file of answers"},
		{"another program's file", []byte("my notes, do not delete"), 1, "not the header of a file of answers"},
		{"a flipped bit in the header", flip(0, 60), 1, "its checksum is"},
		{"a newer version", append(seal(nil, []byte(`{"infnet":"answers","version":2}`)), lines[1]...), 1,
			"format version 2, this program reads version 1"},
		{"another model's file", append(seal(nil,
			[]byte(`{"infnet":"answers","version":1,"model":{"id":"x","revision":"","kind":"new"}}`)), lines[1]...), 1,
			`of model "x"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			overwrite(t, path, test.file)
			for what, open := range map[string]func(ID) (*Answers, error){"read": s.Answers, "write": s.WriteAnswers} {
				_, err := open(testID)
				var c *CorruptError
				if !errors.As(err, &c) {
					t.Fatalf("%s: error %v, want a *CorruptError", what, err)
				}
				if c.Path != path || c.Line != test.line || !strings.Contains(c.Reason, test.want) {
					t.Errorf("%s: %v, want %s:%d and %q", what, err, path, test.line, test.want)
				}
				if !strings.HasPrefix(err.Error(), fmt.Sprintf("%s:%d: ", path, test.line)) {
					t.Errorf("%s: the message %q does not start with file and line", what, err)
				}
			}
			if !bytes.Equal(read(t, path), test.file) {
				t.Error("the file was changed")
			}
			if left := glob(t, s, "*.lock"); len(left) > 0 {
				t.Errorf("the lock was kept: %v", left)
			}
		})
	}
}

// A line that is damaged after it was indexed is found when it is read.
func TestDamagedWhileOpen(t *testing.T) {
	s, path := written(t, 3)
	a := must(s.Answers(testID))(t)
	defer a.Close()
	b := read(t, path)
	b[len(b)-40] ^= 1
	overwrite(t, path, b)
	if _, _, err := a.Get(key(2)); !errors.As(err, new(*CorruptError)) {
		t.Errorf("Get: %v", err)
	}
	var last error
	for _, err := range a.All() {
		last = err
	}
	if !errors.As(last, new(*CorruptError)) {
		t.Errorf("All: %v", last)
	}
	overwrite(t, path, b[:50]) // and a file that shrank
	if _, _, err := a.Get(key(1)); !errors.As(err, new(*CorruptError)) {
		t.Errorf("Get: %v", err)
	}
}

// The disk fails; what was written before is whole, the whole lines of the batch
// that it took count, and the same command goes on once the disk does.
func TestDiskFails(t *testing.T) {
	size := func(rs []Record) int {
		n := 0
		for _, r := range rs {
			object, _ := appendAnswer(nil, r)
			n += len(seal(nil, object))
		}
		return n
	}
	for _, test := range []struct {
		name string
		disk faultyDisk
		want string
		left int // of the batch: whole lines that the disk keeps, and the next opening finds
	}{
		{"full at once", faultyDisk{writeErr: syscall.ENOSPC},
			"no space left on device: free some space or name another folder with --store", 0},
		{"full in the middle of a line", faultyDisk{room: 100, writeErr: syscall.ENOSPC}, "no space left", 0},
		{"full between lines", faultyDisk{room: size(records(3, 4)), writeErr: syscall.ENOSPC}, "no space left", 0},
		{"full, and the rest stays", faultyDisk{room: 100, writeErr: syscall.ENOSPC, truncErr: syscall.EIO},
			"no space left", 0},
		{"full after two lines and a half", faultyDisk{room: size(records(3, 5)) + 100, writeErr: syscall.ENOSPC},
			"no space left", 0},
		{"full after two lines, and the rest stays",
			faultyDisk{room: size(records(3, 5)) + 100, writeErr: syscall.ENOSPC, truncErr: syscall.EIO}, "no space left", 2},
		{"full after two lines, which cannot be flushed",
			faultyDisk{room: size(records(3, 5)) + 100, writeErr: syscall.ENOSPC, syncErr: syscall.EIO}, "no space left", 0},
		{"over quota", faultyDisk{writeErr: syscall.EDQUOT}, "free some space", 0},
		{"read-only", faultyDisk{writeErr: syscall.EROFS},
			"the file system is read-only: name another folder with --store", 0},
		{"flush fails", faultyDisk{room: -1, syncErr: syscall.EIO}, "input/output error: check the folder", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, path := written(t, 3)
			before := read(t, path)
			a := must(s.WriteAnswers(testID))(t)
			test.disk.disk = a.ok.own.f
			a.ok.own.f = &test.disk
			n, err := a.Append(records(3, 6))
			var w *WriteError
			if n != 0 || !errors.As(err, &w) || w.Path != path || !strings.Contains(err.Error(), path) ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("Append = %d, %v; want 0, an error with %q and the path", n, err, test.want)
			}
			if a.Has(key(3)) || a.Len() != 3 {
				t.Errorf("%d answers count, want 3", a.Len())
			}
			if _, again := a.Append(records(7, 8)); !errors.Is(again, err) {
				t.Errorf("the second Append: %v, want the first error", again)
			}
			if err := a.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			if got := read(t, path); test.disk.truncErr == nil && len(got) != len(before) {
				t.Errorf("%d bytes stayed of the batch", len(got)-len(before))
			}
			if got := count(t, s); got != 3+test.left {
				t.Errorf("%d answers read, want %d", got, 3+test.left)
			}
			b := must(s.WriteAnswers(testID))(t)
			if n := must(b.Append(records(3, 6)))(t); n != 3-test.left {
				t.Errorf("%d answers had to be written again, want %d", n, 3-test.left)
			}
			b.Close()
			if got := count(t, s); got != 6 {
				t.Errorf("%d answers after going on, want 6", got)
			}
		})
	}
}

// The folder cannot be made or written.
func TestBadFolder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	overwrite(t, file, nil)
	_, err := Open(filepath.Join(file, "store"), Options{}).WriteAnswers(testID)
	if !errors.As(err, new(*WriteError)) || !strings.Contains(err.Error(), "--store") {
		t.Errorf("a file in the way: %v", err)
	}
	if os.Geteuid() == 0 {
		t.Skip("permissions do not bind root: run as another user to try it")
	}
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(closed, Options{}).WriteAnswers(testID); !errors.Is(err, fs.ErrPermission) ||
		!strings.Contains(err.Error(), "grant write permission") {
		t.Errorf("a closed folder: %v", err)
	}
}

// Any bytes as a file: never a panic; and a file that opens for writing takes
// answers and gives them back.
func FuzzOpen(f *testing.F) {
	_, path := written(f, 3)
	whole := read(f, path)
	f.Add(whole)
	f.Add(whole[:len(whole)-5])
	f.Add(whole[:30])
	f.Add([]byte{})
	f.Add([]byte("\n\n\x00"))
	f.Add(bytes.Replace(whole, []byte("answer 1"), []byte("answer 9"), 1))
	f.Add(bytes.ReplaceAll(whole, []byte("\n"), []byte("\r\n")))
	f.Add(append(bytes.SplitAfter(whole, []byte("\n"))[0], seal(nil, []byte(`{"key":"`+key(1).String()+`","id":5}`))...))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, file []byte) {
		s := Open(dir, Options{})
		overwrite(t, filepath.Join(dir, filepath.Base(path)), file)
		reader, rerr := s.Answers(testID)
		known := 0
		if rerr == nil {
			for _, err := range reader.All() {
				if err != nil {
					var c *CorruptError
					if !errors.As(err, &c) || c.Line < 2 {
						t.Fatalf("All: %v", err)
					}
				}
			}
			known = reader.Len()
			reader.Close()
		}
		a, err := s.WriteAnswers(testID)
		if (err == nil) != (rerr == nil) {
			t.Fatalf("reading: %v, writing: %v", rerr, err)
		}
		if err != nil {
			if !errors.As(err, new(*CorruptError)) || !bytes.Equal(read(t, filepath.Join(dir, filepath.Base(path))), file) {
				t.Fatalf("%v, or the file was changed", err)
			}
			return
		}
		n, err := a.Append(records(100, 102))
		if err != nil {
			t.Fatal(err)
		}
		a.Close()
		b := must(s.Answers(testID))(t)
		defer b.Close()
		if b.Len() != known+n {
			t.Fatalf("%d answers, want %d + %d", b.Len(), known, n)
		}
		if r, ok, err := b.Get(key(101)); err != nil || !ok || r.Answer.Text != "answer 101" && n == 2 {
			t.Fatalf("%+v, %v, %v", r, ok, err)
		}
	})
}
