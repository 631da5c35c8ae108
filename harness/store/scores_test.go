package store

import (
	"math"
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
	if _, ok, err := r.Get(pair("b", "a")); ok || err != nil || r.Has(pair("b", "a")) || r.log.len() != 5 {
		t.Errorf("found a pair that nobody scored (%v), or %d scores", err, r.log.len())
	}
	if r.As("served-name").Has(pair("a", "b")) {
		t.Error("a score is found under the name of a server that did not give it")
	}
	if _, err := s.WriteScores(scorerID); err != nil {
		t.Errorf("after Close: %v", err)
	}
}

// A grade keeps its bits, and one that a program could not give is kept, too.
func TestGrades(t *testing.T) {
	s := Open(t.TempDir(), Options{})
	program := backends.ModelID{ID: "grade", Revision: "r", Kind: backends.Command}
	w := must(s.WriteGrades(program))(t)
	third := 1.0 / 3
	if n := must(w.Append([]Grade{{pair("a", "b"), &third}, {pair("a", "c"), nil}, {pair("a", "c"), &third}}))(t); n != 2 {
		t.Errorf("%d written, want 2", n)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, s.Root()); len(got) != 1 || !strings.HasPrefix(got[0], "grade.grades-") {
		t.Errorf("files %v", got)
	}
	r := must(s.Grades(program))(t)
	defer r.Close()
	b, okB, errB := r.Get(pair("a", "b"))
	c, okC, errC := r.Get(pair("a", "c"))
	_, other, _ := r.Get(pair("c", "a"))
	if !okB || errB != nil || *b != third || !okC || errC != nil || c != nil || other {
		t.Errorf("%v, %v, %v; %v, %v, %v; %v", b, okB, errB, c, okC, errC, other)
	}
}
