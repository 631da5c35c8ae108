package wordpiece

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// basic is what is done to a text before it is split into words.
type basic struct {
	clean   bool // drop control characters, make every blank a space
	chinese bool // blanks around Chinese characters
	accents bool // drop accents
	lower   bool
}

func (b basic) normalize(text string) string {
	if plain(text) {
		if b.lower {
			text = strings.ToLower(text)
		}
		return text
	}
	if b.clean || b.chinese {
		text = b.tidy(text)
	}
	if b.accents {
		text = strings.Map(func(r rune) rune {
			if unicode.Is(nonspacing, r) {
				return -1
			}
			return r
		}, norm.NFD.String(text))
	}
	if b.lower {
		text = lower(text)
	}
	return text
}

// plain reports whether a text is printable ASCII, which cleaning leaves alone.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// tidy drops control characters and blanks-out others, and sets Chinese
// characters apart.
func (b basic) tidy(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	for _, r := range text {
		switch {
		case b.clean && (r == '\t' || r == '\n' || r == '\r'):
			out.WriteByte(' ')
		case b.clean && (r == 0 || r == unicode.ReplacementChar || unicode.Is(other, r)):
		case b.clean && unicode.IsSpace(r):
			out.WriteByte(' ')
		case b.chinese && chinese(r):
			out.WriteByte(' ')
			out.WriteRune(r)
			out.WriteByte(' ')
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// lower lower-cases character by character. The one character whose lower
// case is two is written as both.
func lower(text string) string {
	return strings.Map(unicode.ToLower, strings.ReplaceAll(text, "\u0130", "i\u0307"))
}

// chinese reports whether a character is in the blocks that BERT reads as words of one character:
// the CJK ideographs, without Kana and Hangul. The bounds are the library's, U+2B920 included.
func chinese(r rune) bool {
	switch {
	case r < 0x3400:
		return false
	case r <= 0x4DBF, r >= 0x4E00 && r <= 0x9FFF, r >= 0xF900 && r <= 0xFAFF:
		return true
	}
	return r >= 0x20000 && r <= 0x2A6DF || r >= 0x2A700 && r <= 0x2B81F || r >= 0x2B920 && r <= 0x2CEAF ||
		r >= 0x2F800 && r <= 0x2FA1F
}

// words calls f for every word of a normalised text: stretches without blanks,
// each punctuation character a word of its own.
func words(text string, f func(string)) {
	start := 0
	for i, r := range text {
		space, mark := unicode.IsSpace(r), false
		if !space {
			mark = unicode.Is(punctuation, r)
		}
		if !space && !mark {
			continue
		}
		if start < i {
			f(text[start:i])
		}
		start = i + len(string(r))
		if mark {
			f(text[i:start])
		}
	}
	if start < len(text) {
		f(text[start:])
	}
}
