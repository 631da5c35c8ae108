// Package docs holds the pages that the program prints: infnet help words, infnet help caveats. It owns no facts.
package docs

import (
	_ "embed" // pages
	"strings"
)

// Words explains the words of every result.
//
//go:embed words.md
var Words string

// Caveats explains the kinds of caveats, a section each.
//
//go:embed caveats.md
var Caveats string

// Caveat is the section of a kind of caveat, or the closing one, which lists what explains a row; "" = neither has it.
func Caveat(kind string) string {
	_, text, found := strings.Cut(Caveats, "\n### "+kind+"\n")
	if !found {
		_, text, _ = strings.Cut(Caveats, "\n## What explains a row\n")
		found = strings.Contains(text, "`"+kind+"`")
	}
	if text, _, _ = strings.Cut(text, "\n#"); !found {
		return ""
	}
	return strings.TrimSpace(text)
}
