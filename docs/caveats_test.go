package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"infnet/docs"
	"infnet/reports"
)

// Every kind of caveat that bears on a result has a section, and every section is of one.
func TestEveryCaveatIsExplained(t *testing.T) {
	var kinds, explained []string
	for _, k := range reports.CaveatKinds() {
		kinds = append(kinds, string(k))
		if docs.Caveat(string(k)) == "" {
			t.Errorf("docs/caveats.md does not explain %s", k)
		}
	}
	paths, err := filepath.Glob("../harness/result/note/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, "../reports/notes.go") {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:say|add|about|counted)\("([a-z-]+)"`).FindAllSubmatch(source, -1) {
			if docs.Caveat(string(m[1])) == "" {
				t.Errorf("docs/caveats.md does not say what %s is", m[1])
			}
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^### (.*)$`).FindAllStringSubmatch(docs.Caveats, -1) {
		explained = append(explained, m[1])
	}
	if !slices.Equal(kinds, explained) {
		t.Errorf("the sections are %q, want %q: the gravest first", explained, kinds)
	}
}
