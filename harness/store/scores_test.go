package store

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/backends"
)

var scorerID = backends.ModelID{ID: "bart", Revision: "r", Kind: backends.BART}

func pair(source, target string) backends.Pair { return backends.Pair{Source: source, Target: target} }

func TestScores(t *testing.T) {
	s := Open(t.TempDir(), Options{})
	w := must(s.WriteScores(scorerID))(t)
	third := -8.767574310302734 // no float32: kept as the nearest
	list := []Score{
		{pair("a", "b"), -1.5},
		{pair("a", "b"), -2}, // the first counts
		{pair("ab", ""), math.Nextafter(third, 0)},
		{pair("", "ab"), -3},
		{pair("a\xff", "b"), -4}, // not UTF-8
		{pair("a�", "b"), -5},
	}
	if n := must(w.Append(list))(t); n != 5 {
		t.Errorf("%d written, want 5", n)
	}
	if n := must(w.Append(list[:1]))(t); n != 0 {
		t.Errorf("%d written again", n)
	}
	if _, err := s.WriteScores(scorerID); err == nil {
		t.Error("two writers")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, s.Root()); len(got) != 1 || !strings.HasPrefix(got[0], "bart.scores-") {
		t.Errorf("files %v", got)
	}
	r := must(s.Scores(scorerID))(t)
	defer r.Close()
	for p, want := range map[backends.Pair]float64{
		pair("a", "b"): -1.5, pair("ab", ""): third, pair("", "ab"): -3, pair("a\xff", "b"): -4, pair("a�", "b"): -5,
	} {
		if got, ok, err := r.Get(p); err != nil || !ok || got != want {
			t.Errorf("%+v: %v, %v, %v, want %v", p, got, ok, err, want)
		}
	}
	if _, ok, err := r.Get(pair("b", "a")); ok || err != nil || r.Has(pair("b", "a")) || r.Len() != 5 {
		t.Errorf("found a pair that nobody scored (%v), or %d scores", err, r.Len())
	}
	if r.As("served-name").Has(pair("a", "b")) {
		t.Error("a score is found under the name of a server that did not give it")
	}
	if _, err := s.WriteScores(scorerID); err != nil {
		t.Errorf("after Close: %v", err)
	}
}

// The fixture was written by a version that kept scores as embeddings; the
// values are those of its records.jsonl.
func TestScoresOfEarlierVersions(t *testing.T) {
	const name = "bart.embeddings-f81405526448.jsonl"
	id := backends.ModelID{
		ID: "bart", Kind: backends.BART,
		Revision: "d23f4ecdabd19109b13b69474dd9e455123b9dcb7666ef3bc88a7930bc4d36fc",
	}
	before := read(t, filepath.Join("testdata", "earlier", name))
	s := Open(t.TempDir(), Options{})
	path := filepath.Join(s.Root(), name)
	overwrite(t, path, before)
	r := must(s.Scores(id))(t)
	if r.Len() != 17 {
		t.Errorf("%d scores, want 17", r.Len())
	}
	for p, want := range map[backends.Pair]float64{
		pair("the bridge", "."):   -8.767574310302734,
		pair("closed", "fe."):     -8.22142219543457,
		pair("naïve café", "aaa"): -6.65924596786499,
	} {
		if got, ok, err := r.Get(p); err != nil || !ok || got != want || !r.Has(p) || r.Old(p) {
			t.Errorf("%+v: %v, %v, %v, want %v", p, got, ok, err, want)
		}
	}
	if p := pair("the bridge", "."); !r.As("name").Old(p) || !r.Has(p) {
		t.Error("a score stored before keys held the served name is not found as one")
	}
	r.Close()

	// New scores go to a file of their own; those there are not written again.
	w := must(s.WriteScores(id))(t)
	if n := must(w.Append([]Score{{pair("closed", "fe."), -1}, {pair("closed", "new"), -2}}))(t); n != 1 {
		t.Errorf("%d written, want the new one", n)
	}
	if v, ok, err := w.Get(pair("closed", "fe.")); err != nil || !ok || v != -8.22142219543457 {
		t.Errorf("%v, %v, %v", v, ok, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(read(t, path), before) {
		t.Error("the earlier file was changed")
	}

	// A torn last line is cut off by the next writer, as everywhere.
	overwrite(t, path, before[:len(before)-10])
	w = must(s.WriteScores(id))(t)
	w.Close()
	lastLine := bytes.LastIndexByte(before[:len(before)-1], '\n') + 1
	if !bytes.Equal(read(t, path), before[:lastLine]) {
		t.Errorf("the torn line was not cut off:\n%s", read(t, path))
	}
	if r = must(s.Scores(id))(t); r.Len() != 17 { // 16 and the new one
		t.Errorf("%d scores, want 17", r.Len())
	}
	r.Close()
}

func TestDamagedScores(t *testing.T) {
	s := Open(t.TempDir(), Options{})
	w := must(s.WriteScores(scorerID))(t)
	must(w.Append([]Score{{pair("a", "b"), -1}}))(t)
	path := w.Path()
	w.Close()
	b := read(t, path)
	overwrite(t, path, bytes.Replace(b, []byte(`"score":-1`), []byte(`"score":-2`), 1))
	if _, err := s.Scores(scorerID); err == nil || !strings.Contains(err.Error(), ":2: damaged line") {
		t.Errorf("error %v, want the damaged line's", err)
	}
	if err := os.WriteFile(path, b[:len(b)-4], 0o666); err != nil {
		t.Fatal(err)
	}
	var torn []Torn
	s = Open(s.Root(), Options{Notice: func(x Torn) { torn = append(torn, x) }})
	r := must(s.Scores(scorerID))(t)
	if r.Has(pair("a", "b")) || len(torn) != 1 || !strings.HasSuffix(torn[0].String(), "collect and run make it again") {
		t.Errorf("torn lines %v", torn)
	}
	r.Close()
}
