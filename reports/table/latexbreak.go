package table

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Words wider than longWord may be broken, into pieces of about pieceLong, in thousandths of the
// font size: hashes, paths and the names of models have no hyphenation.
const (
	longWord  = 10_000
	pieceLong = 5_000
)

// breaks cuts a long word where a line may end: after punctuation, and where there is none for too long.
func breaks(word string) []string {
	whole := 0
	for _, r := range word {
		whole += runeWide(r, roman)
	}
	if whole <= longWord {
		return []string{word}
	}
	var out []string
	var piece strings.Builder
	wide := 0
	for i := 0; i < len(word); {
		n := norm.NFC.NextBoundaryInString(word[i:], true) // a letter with its accents
		piece.WriteString(word[i : i+n])
		for _, r := range word[i : i+n] {
			wide += runeWide(r, roman)
		}
		if i += n; wide >= pieceLong || wide > pieceLong/3 && strings.ContainsAny(word[i-n:i], "-_/:.,@+=") {
			out, wide = append(out, piece.String()), 0
			piece.Reset()
		}
	}
	if piece.Len() > 0 {
		out = append(out, piece.String())
	}
	return out
}

// latexBreakable escapes a text that is set in lines: long words may be broken.
func latexBreakable(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		pieces := breaks(w)
		for k := range pieces {
			pieces[k] = latexEscape(pieces[k])
		}
		words[i] = strings.Join(pieces, "\\allowbreak{}")
	}
	return strings.Join(words, " ")
}
