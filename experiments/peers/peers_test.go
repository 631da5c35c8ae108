package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	for _, test := range []struct {
		name, only string
		want       []string
		err        string
	}{
		{name: "one", only: "svd", want: []string{"svd"}},
		{name: "a prefix takes all", only: "trees", want: []string{"trees-6k", "trees-64k", "trees-640k", "trees-2m"}},
		{name: "the order asked for", only: "svd,isotonic", want: []string{"svd", "isotonic"}},
		{name: "no such work", only: "svd,sort", err: `"sort"`},
		{name: "named twice", only: "svd,svd", err: `"svd"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			chosen, err := choose(test.only)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v, want one with %s", err, test.err)
				}
				return
			}
			var got []string
			for _, w := range chosen {
				got = append(got, w.name)
			}
			if err != nil || strings.Join(got, " ") != strings.Join(test.want, " ") {
				t.Errorf("%v (%v), want %v", got, err, test.want)
			}
		})
	}
}

// Every work and every size of a series has a name of its own, by which a child finds it.
func TestNamesAreUnique(t *testing.T) {
	all := works
	for _, s := range grown {
		all = append(all, s.sized()...)
	}
	seen := map[string]bool{}
	for _, w := range all {
		if seen[w.name] {
			t.Errorf("two works are named %q", w.name)
		}
		seen[w.name] = true
		if _, err := named(w.name); err != nil {
			t.Error(err)
		}
		for _, p := range w.peers {
			if !strings.Contains(string(script), `"`+p+`": `) {
				t.Errorf("%s: peers.py has no %q", w.name, p)
			}
		}
	}
}

// A child answers as peers.py does: ready, then a figure for each line.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	if err := writePairs(dir, 50, 20); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	o := options{child: "rouge-20", folder: dir}
	if err := serve(t.Context(), o, strings.NewReader("run\nrun\n"), &out); err != nil {
		t.Fatal(err)
	}
	lines := json.NewDecoder(&out)
	var r ready
	if err := lines.Decode(&r); err != nil || r != (ready{}) {
		t.Fatalf("ready: %+v, %v", r, err)
	}
	for range 2 {
		var f taken
		if err := lines.Decode(&f); err != nil {
			t.Fatal(err)
		}
		// Three words of four are the same, at the same places, and a few more by chance.
		if f.Error != "" || runtime.GOOS == "linux" && f.Peak <= 0 || f.Value < 0.7 || f.Value > 0.85 {
			t.Errorf("%+v", f)
		}
	}
	out.Reset()
	if err := serve(t.Context(), options{child: "sort"}, strings.NewReader(""), &out); err != nil ||
		!strings.Contains(out.String(), "no work is named") {
		t.Errorf("an unknown work: %q, %v", out.String(), err)
	}
}

func TestNumbersAreReadAsWritten(t *testing.T) {
	dir := t.TempDir()
	want := [][]float64{{1, math.Inf(-1), -0.1}, {5e-324, 0, math.MaxFloat64}}
	if err := writeNumbers(dir, "a", want...); err != nil {
		t.Fatal(err)
	}
	got, err := readNumbers(dir, "a", 2)
	if err != nil {
		t.Fatal(err)
	}
	for c := range want {
		for i, v := range want[c] {
			if got[c][i] != v {
				t.Errorf("column %d, row %d: %g, want %g", c, i, got[c][i], v)
			}
		}
	}
}

// A peer that is not installed is a line of the table, not the end of it.
func TestMissingPeer(t *testing.T) {
	dir := t.TempDir()
	python := filepath.Join(dir, "python")
	says := "#!/bin/sh\necho '{\"missing\": \"No module named numpy\"}'\n"
	if err := os.WriteFile(python, []byte(says), 0o777); err != nil {
		t.Fatal(err)
	}
	_, err := start(t.Context(), "numpy", python)
	var missing errMissing
	if !errors.As(err, &missing) {
		t.Fatalf("error %v, want that it is not installed", err)
	}
	got := line(row{program: "numpy", missing: missing.what}, row{cpu: 1}, false)
	if !strings.Contains(got, "not installed: No module named numpy") {
		t.Errorf("the line is %q", got)
	}
}

// Twice the records in four times the time is a slope of two.
func TestSlope(t *testing.T) {
	if got := slope([]float64{1, 10, 20, 40}, []float64{9, 1, 4, 16}); math.Abs(got-2) > 1e-12 {
		t.Errorf("slope %g, want 2", got)
	}
}

func TestFigureHasPowersOfTen(t *testing.T) {
	dir := t.TempDir()
	c := &curveOf{legend: "sorting", n: []float64{1e3, 1e6}, cpu: []float64{0.002, 3}, peak: []float64{12, 900}}
	if err := draw([]*curveOf{c}, options{scaling: dir}); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(filepath.Join(dir, "scaling.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{"10⁶", "0.001", "1000", "sorting"} {
		if !strings.Contains(string(svg), label) {
			t.Errorf("the figure has no %q", label)
		}
	}
}
