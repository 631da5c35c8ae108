package store

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"infnet/backends"
)

var testID = ID{
	Model:   backends.ModelID{ID: "Org/Tiny Model", Revision: "r1", Kind: backends.Local},
	Dataset: "d0d0", Name: "Reviews (small)",
}

func key(i int) backends.Key {
	return backends.Request{Model: testID.Model, Prompt: fmt.Sprint(i), MaxTokens: 1}.Key()
}

// record is a small answer that depends on i.
func record(i int) Record {
	return Record{Example: fmt.Sprint("ex", i), Answer: backends.Answer{
		Key: key(i), Text: fmt.Sprint("answer ", i),
		Tokens:  []backends.Token{{Text: "a", Logprob: -float64(i) / 3}, {Logprob: math.Inf(-1), End: true}},
		Usage:   backends.Usage{Prompt: backends.Counted(i + 1), Completion: backends.Counted(2)},
		Latency: time.Duration(i) * time.Microsecond,
	}}
}

func records(from, to int) []Record {
	var out []Record
	for i := from; i < to; i++ {
		out = append(out, record(i))
	}
	return out
}

// written makes a store with n answers and returns it and the file's path.
func written(t testing.TB, n int) (*Store, string) {
	t.Helper()
	s := Open(t.TempDir(), Options{})
	a := must(s.WriteAnswers(testID))(t)
	must(a.Append(records(0, n)))(t)
	path := a.Path()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return s, path
}

// must returns the value of a call that must not fail.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	return must(os.ReadFile(path))(t)
}

func overwrite(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// count reads every answer and checks it against record; it returns how many.
func count(t testing.TB, s *Store) int {
	t.Helper()
	a := must(s.Answers(testID))(t)
	defer a.Close()
	n := 0
	for r, err := range a.All() {
		if err != nil {
			t.Fatal(err)
		}
		var i int
		fmt.Sscanf(r.Example, "ex%d", &i)
		if r.Answer.Key != key(i) || r.Answer.Text != record(i).Answer.Text {
			t.Errorf("example %q reads %+v", r.Example, r.Answer)
		}
		n++
	}
	return n
}

// names lists what lies in a folder.
func names(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	for _, e := range must(os.ReadDir(dir))(t) {
		out = append(out, e.Name())
	}
	return out
}

func glob(t testing.TB, s *Store, pattern string) []string {
	t.Helper()
	return must(filepath.Glob(filepath.Join(s.Root(), pattern)))(t)
}

// faultyDisk fails on command.
type faultyDisk struct {
	disk
	room     int   // bytes it still takes; -1 = no limit
	writeErr error // when the room is used up
	syncErr  error
	truncErr error
	lazy     bool // flushes nothing: for tests that write often
}

func (d *faultyDisk) Write(p []byte) (int, error) {
	if d.room >= 0 && len(p) > d.room {
		n, err := d.disk.Write(p[:d.room])
		d.room = 0
		return n, errors.Join(err, d.writeErr)
	}
	if d.room >= 0 {
		d.room -= len(p)
	}
	return d.disk.Write(p)
}

func (d *faultyDisk) Sync() error {
	if d.syncErr != nil {
		return d.syncErr
	}
	if d.lazy {
		return nil
	}
	return d.disk.Sync()
}

func (d *faultyDisk) Truncate(n int64) error {
	if d.truncErr != nil {
		return d.truncErr
	}
	return d.disk.Truncate(n)
}
