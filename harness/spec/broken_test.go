package spec_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/spec"
	"infnet/harness/spec/place"
	"infnet/harness/task"
)

var update = flag.Bool("update", false, "rewrite golden files")

// options give specs one built-in dataset and an empty environment.
func options() spec.Options {
	return spec.Options{
		Builtin: func(name string) (spec.BuiltinSource, error) {
			if name != "reviews" {
				return spec.BuiltinSource{}, errors.New("no built-in dataset " + name + ": there is reviews")
			}
			return spec.BuiltinSource{
				Task:   task.Classification,
				Labels: []spec.Label{{Class: "negative", Word: " negative"}, {Class: "positive", Word: " positive"}},
				Prompt: "Review: {text}\nSentiment:", Fields: []string{"text"}, MaxTokens: 1,
			}, nil
		},
		Models:    fstest.MapFS{"tiny-student/config.json": {}, "tiny-master/config.json": {}, "README.md": {}},
		Published: []string{"tab:add_res1", "tab:add_res16"},
		Getenv:    func(string) (string, bool) { return "", false },
	}
}

// golden compares text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; go test -update accepts it):\n%s", name, diff)
	}
}

// Every broken spec has a golden file with what its author reads.
func TestBrokenSpecs(t *testing.T) {
	specs, err := filepath.Glob("testdata/broken/*.toml")
	if err != nil || len(specs) < 30 {
		t.Fatalf("%d broken specs, want at least 30 (%v)", len(specs), err)
	}
	for _, name := range specs {
		base := filepath.Base(name)
		t.Run(strings.TrimSuffix(base, ".toml"), func(t *testing.T) {
			_, err := spec.LoadFS(os.DirFS("testdata"), "broken/"+base, options())
			if err == nil {
				t.Fatal("a broken spec loads")
			}
			var ps place.Problems
			if !errors.As(err, &ps) || len(ps) == 0 {
				t.Fatalf("the error is a %T with no problems", err)
			}
			for _, p := range ps {
				if p.Message == "" || p.File == "" {
					t.Errorf("a problem without file or message: %+v", p)
				}
			}
			golden(t, strings.TrimSuffix(name, ".toml")+".golden", err.Error()+"\n")
			var disk place.Problems
			_, err = spec.Load(name, options()) // the same mistakes are found on the machine's file system
			errors.As(err, &disk)
			where := func(p place.Problem) string { return fmt.Sprint(p.Line, p.Column, p.Key) }
			if !slices.EqualFunc(ps, disk, func(a, b place.Problem) bool { return where(a) == where(b) }) {
				t.Errorf("in a file system\n%v\non disk\n%v", ps, disk)
			}
		})
	}
}

func TestMissingSpec(t *testing.T) {
	_, err := spec.Load(filepath.Join(t.TempDir(), "none.toml"), options())
	if err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("error %v, want one that says there is no such file", err)
	}
	_, err = spec.LoadFS(os.DirFS("testdata"), "broken", options())
	if err == nil {
		t.Error("a folder loads as a spec")
	}
}

// A spec in an fs.FS cannot reach out of it.
func TestEmbeddedSpecStaysInside(t *testing.T) {
	sub, err := fs.Sub(os.DirFS("testdata"), "broken")
	if err != nil {
		t.Fatal(err)
	}
	_, err = spec.LoadFS(sub, "target-outside.toml", options())
	if err == nil || !strings.Contains(err.Error(), "leaves the file system") {
		t.Errorf("error %v, want one about the path that leaves", err)
	}
}
