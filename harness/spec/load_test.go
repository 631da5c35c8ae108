package spec_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"infnet/backends"
	"infnet/harness/spec"
)

func valid(t *testing.T, name string, o spec.Options) *spec.Study {
	t.Helper()
	s, err := spec.Load(filepath.Join("testdata/valid", name), o)
	if err != nil {
		t.Fatalf("\n%v", err)
	}
	return s
}

// written are the fields that hold what a spec says before it is checked.
var written = cmp.Options{cmpopts.IgnoreFields(spec.Model{}, "ID", "Backend", "Simulated", "Replay"),
	cmpopts.IgnoreFields(spec.Dataset{}, "Words", "Means", "Columns", "Limit"),
	cmpopts.IgnoreFields(spec.Correct{}, "Rules"),
	cmpopts.IgnoreFields(spec.Recording{}, "NoConfidence", "Named")}

// The smallest study shows every default, and the full one sets every key: what they say arrives. The lines are those
// that the reference prints, and those of the two specs.
func TestWhatStudiesSay(t *testing.T) {
	for _, name := range []string{"small", "full"} {
		s := valid(t, name+".toml", options())
		settings := s.Settings()
		var b strings.Builder
		for _, key := range slices.Sorted(maps.Keys(settings)) {
			fmt.Fprintf(&b, "%s = %q\n", key, settings[key])
		}
		fmt.Fprintf(&b, "%+v\n%+v\n", s.Collect, s.Report)
		for _, d := range s.Datasets {
			fmt.Fprintf(&b, "%s: %q\n", d.Name, d.Source.Name)
		}
		for _, w := range s.Warnings {
			fmt.Fprintln(&b, w)
		}
		golden(t, "testdata/valid/"+name+".golden", b.String())
	}
}

func TestContinuationsBeginWithOneSpace(t *testing.T) {
	d, _ := valid(t, "small.toml", options()).Dataset("reviews")
	if diff := cmp.Diff([]string{" negative", " positive"}, d.Continuations()); diff != "" {
		t.Error(diff)
	}
}

// The command line wins over the spec.
func TestOptionsOverTheSpec(t *testing.T) {
	o := options()
	o.Limit, o.Target = 25, "0.9"
	s := valid(t, "full.toml", o)
	for name, want := range map[string]int{"reviews": 20, "quotes": 25, "questions": 25} {
		if d, _ := s.Dataset(name); d.Split.Limit != want {
			t.Errorf("%s: limit %d, want %d", name, d.Split.Limit, want)
		}
	}
	if got := s.Policy.Target.String(); got != "0.9" {
		t.Errorf("target %s, want 0.9", got)
	}
	for _, bad := range []spec.Options{{Limit: 3}, {Limit: -1}, {Target: "worst"}, {Target: "1.5"}, {Target: "master"},
		{Target: "1e-1000000000"}, {Target: "1/3"}} {
		o := options()
		o.Limit, o.Target = bad.Limit, bad.Target
		if _, err := spec.Load("testdata/valid/full.toml", o); err == nil || !strings.Contains(err.Error(), "--") {
			t.Errorf("--limit %d --target %q: error %v, want one that names the flag", bad.Limit, bad.Target, err)
		}
	}
}

func TestVariablesInPaths(t *testing.T) {
	here, err := filepath.Abs("testdata/files")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "study.toml")
	moved := strings.ReplaceAll(small(t, ""), "../files/", "${FILES}/${NOTHING_TO_EXPAND}$HOME")
	moved = strings.ReplaceAll(moved, "/${NOTHING_TO_EXPAND}$HOME", "/")
	if err := os.WriteFile(name, []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Getenv = func(n string) (string, bool) { return here, n == "FILES" }
	s, err := spec.Load(name, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Models[0].Config.Settings.(*backends.FolderConfig).Path; got != filepath.Join(here, "student") {
		t.Errorf("path %s", got)
	}
	if s.Models[0].Path != "${FILES}/student" {
		t.Errorf("the path as written is lost: %s", s.Models[0].Path)
	}
}

// A target keeps its decimal literal: budgets are computed from it exactly.
func TestTargetLiterals(t *testing.T) {
	for literal, want := range map[string]string{
		"0.9": "9/10", "0.95": "19/20", "9e-1": "9/10", "1": "1", "0": "0", "1.0": "1",
		"0.30000000000000000001": "30000000000000000001/100000000000000000000", // no float64 has it
		"0.123_456":              "1929/15625",
		`"0.7"`:                  "7/10",
	} {
		s := loaded(t, small(t, "[policy]\ntarget = "+literal))
		xi, ok := s.Policy.Target.Numeric()
		if !ok || xi.RatString() != want {
			t.Errorf("target %s is %v, want %s", literal, xi, want)
		}
	}
}
