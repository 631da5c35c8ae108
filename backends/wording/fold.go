// Package wording reads the words of a reply: which label of a classification they say, which label a token begins,
// and what in them is no answer (marks of a chat template, thoughts, an echo of the prompt). Log-probabilities and
// texts are read by the same rules. It refuses to guess: words that say no label, or two, say none, and the reading
// says why.
//
// Its opinion: a model that says "Positive", "**positive**" or "positive" with an invisible character in it has said
// one label, and a model that says "A closer look" has not said A. README.md has a row for each kind of reply.
package wording

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// strength is how much folding takes away.
type strength int

const (
	plain  strength = iota // invisible characters, forms of one character (NFKD), kinds of white space
	cased                  // and letter case
	shaped                 // and letters of other alphabets that look like Latin ones
)

// letter is a character of a folded text, and where it was in the text.
type letter struct {
	r        rune
	from, to int
}

// fold spells a text in the characters that are compared.
func fold(text string, s strength) []letter { return folded(make([]letter, 0, len(text)), text, s) }

func folded(out []letter, text string, s strength) []letter {
	for i, n := 0, 0; i < len(text); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(text[i:])
		switch {
		case r > ' ' && r < 0x7f: // most of most texts
			out = append(out, letter{fit(r, s), i, i + n})
		case hidden(r):
		case unicode.IsSpace(r):
			out = append(out, letter{' ', i, i + n})
		default:
			for _, c := range norm.NFKD.String(string(r)) {
				if unicode.IsSpace(c) {
					c = ' '
				}
				out = append(out, letter{fit(c, s), i, i + n})
			}
		}
	}
	return out
}

// hidden reports whether a character takes no room on a screen: those that only direct others (zero width, direction,
// variation, byte order mark, soft hyphen), control characters, and the fillers that count as letters.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector) ||
		unicode.IsControl(r) && !unicode.IsSpace(r) || strings.ContainsRune("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0", r)
}

func fit(r rune, s strength) rune {
	if s >= cased {
		r = unicode.ToLower(r)
	}
	if twin, ok := twins[r]; ok && s >= shaped {
		return twin
	}
	return r
}

// twins are letters that look like a Latin one in most typefaces, as small letters or as capitals: Cyrillic and Greek,
// a small part of Unicode's confusables (UTS 39). The labels are folded by the same table, so that those of these
// alphabets keep apart from each other.
var twins = func() map[rune]rune {
	m := map[rune]rune{}
	for _, pair := range strings.Fields("аa вb еe іi јj кk мm нh оo рp сc тt уy хx ѕs ԁd ԛq ԝw " +
		"αa βb εe ζz ηh ιi κk μm νn οo ρp τt υy χx") {
		r := []rune(pair)
		m[r[0]] = r[1]
	}
	return m
}()

func spell(letters []letter) string {
	var b strings.Builder
	for _, l := range letters {
		b.WriteRune(l.r)
	}
	return b.String()
}
