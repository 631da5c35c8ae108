package figure

import (
	"fmt"
	"strings"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"

	"infnet/harness/result"
	"infnet/reports/table"
)

// classNames are what a figure calls a dataset's classes, all different: their
// names as far as there is room, or "class 3", by their order, where the
// typeface lacks a letter (PNG and PDF files would leave it out) or another
// name begins in the same way. note says which those are, "" = none.
func classNames(b *result.Boundaries) (names []string, note string) {
	count := map[string]int{}
	for i := range b.Classes {
		name := brief(table.Clean(b.Classes[i].Class))
		names = append(names, name)
		count[name]++
	}
	var numbered []string
	for i, name := range names {
		if count[name] > 1 || !printable(name) {
			names[i] = fmt.Sprintf("class %d", i+1)
			numbered = append(numbered, names[i]+" is “"+table.Clean(b.Classes[i].Class)+"”")
		}
	}
	if len(numbered) > 0 {
		note = "In the order of the labels, " + strings.Join(numbered, "; ") + "."
	}
	return names, note
}

// printable reports whether the figures' typeface has every letter of a text,
// and there is one.
func printable(text string) bool {
	face := font.DefaultCache.Lookup(serif(smallSize), smallSize).Face
	var b sfnt.Buffer
	for _, r := range text {
		if glyph, err := face.GlyphIndex(&b, r); err != nil || glyph == 0 {
			return false
		}
	}
	return strings.TrimSpace(text) != ""
}
