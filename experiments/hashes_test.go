package experiments_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"infnet/harness/published"
	"infnet/harness/spec"
)

var update = flag.Bool("update", false, "rewrite testdata/hashes.txt")

// The hash of a shipped study names its results and accepted runs: it changes where the study's meaning does, and not
// because the program that reads it is written otherwise.
func TestHashesOfShippedStudies(t *testing.T) {
	b, err := published.Read(os.DirFS("paper"))
	if err != nil {
		t.Fatal(err)
	}
	labels := b.Labels()
	var got strings.Builder
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".toml") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !regexp.MustCompile(`(?m)^study *=`).Match(text) {
			return err
		}
		o := options(t)
		dir, _ := o.Getenv("INFNET_DATA")
		for _, m := range regexp.MustCompile(`\$\{INFNET_DATA\}/(answers/[^"]*)"`).FindAllSubmatch(text, -1) {
			name := filepath.Join(dir, string(m[1]))
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(name, []byte("x"), 0o600); err != nil { // files are not opened
				return err
			}
		}
		o.Published = labels
		s, err := spec.Load(path, o)
		if err != nil {
			return err
		}
		fmt.Fprintf(&got, "%s %s\n", path, s.Hash)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/hashes.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != got.String() {
		t.Errorf("the hashes are no longer those of %s (%v):\n%s", file, err, got.String())
	}
}
