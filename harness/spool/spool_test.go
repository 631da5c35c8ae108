package spool

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

// Pieces come back as they were, whichever order they are read in and wherever they are.
func TestPiecesComeBack(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	rapid.Check(t, func(rt *rapid.T) {
		s := &Spool{Memory: rapid.SampledFrom([]int{1, 100, 1 << 20}).Draw(rt, "memory")}
		defer s.Close()
		var pieces [][]byte
		var at []int64
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			if len(pieces) == 0 || rapid.Bool().Draw(rt, "add") {
				size := rapid.SampledFrom([]int{0, 1, 7, 1000, most - 1, most, most + 1, chunk + 5}).Draw(rt, "size")
				piece := bytes.Repeat([]byte{byte(len(pieces) + 1)}, size)
				n, err := s.Add(piece)
				if err != nil {
					rt.Fatal(err)
				}
				pieces, at = append(pieces, piece), append(at, n)
				continue
			}
			from := rapid.IntRange(0, len(pieces)-1).Draw(rt, "from")
			for k := from; k < min(len(pieces), from+4); k++ { // in order, as most are read
				got := make([]byte, len(pieces[k]))
				if err := s.Read(got, at[k]); err != nil || !bytes.Equal(got, pieces[k]) {
					rt.Fatalf("piece %d of %d bytes at %d: %v", k, len(got), at[k], err)
				}
			}
		}
		if err := s.Read(make([]byte, 1), s.start+int64(len(s.tail))); err == nil {
			rt.Error("a piece that was never added was read")
		}
	})
}

// A spool leaves no file behind, not even while it is open.
func TestFileHasNoName(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := &Spool{Memory: 10}
	if _, err := s.Add(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if s.file == nil {
		t.Fatal("100 bytes stay in a memory of 10")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("%d files with names (%v)", len(left), err)
	}
	if err := s.Close(); err != nil || s.start+int64(len(s.tail)) != 0 {
		t.Errorf("%d bytes after closing (%v)", s.start+int64(len(s.tail)), err)
	}
}

func TestNoTemporaryFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/missing")
	s := &Spool{Memory: 10}
	at, err := s.Add([]byte("small"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Add(make([]byte, 100))
	if err == nil || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("%v: want the fix", err)
	}
	got := make([]byte, 5)
	if err := s.Read(got, at); err != nil || string(got) != "small" || s.start+int64(len(s.tail)) != 5 {
		t.Errorf("%q of %d bytes (%v) after an error", got, s.start+int64(len(s.tail)), err)
	}
}
