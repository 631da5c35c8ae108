package docs_test

import (
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
	for _, m := range regexp.MustCompile(`(?m)^### (.*)$`).FindAllStringSubmatch(docs.Caveats, -1) {
		explained = append(explained, m[1])
	}
	if !slices.Equal(kinds, explained) {
		t.Errorf("the sections are %q, want %q: the gravest first", explained, kinds)
	}
}
