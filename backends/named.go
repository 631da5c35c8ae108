package backends

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Named finds the label that a text names: the one it begins with, blanks and
// quotes aside; the longest of several; letter case only where nothing else
// fits. -1 = none.
func Named(text string, labels []string) int {
	said := strings.TrimLeft(text, " \t\r\n\"'`*“‘«")
	find := func(fold func(string) string) int {
		best, length := -1, 0
		for i, l := range labels {
			word := fold(strings.TrimSpace(l))
			rest, ok := strings.CutPrefix(fold(said), word)
			next, _ := utf8.DecodeRuneInString(rest)
			if ok && (rest == "" || !unicode.IsLetter(next) && !unicode.IsDigit(next)) && len(word) > length {
				best, length = i, len(word)
			}
		}
		return best
	}
	if i := find(func(s string) string { return s }); i >= 0 {
		return i
	}
	return find(strings.ToLower)
}
