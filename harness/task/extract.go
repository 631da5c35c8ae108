package task

import (
	"strings"
	"unicode"
)

// Reply returns the bytes of what a model generated that are its reply: white space before it
// is dropped, the rest is cut at the first stop text, and white space behind
// what is left is dropped. Empty stop texts are ignored.
func Reply(text string, stop []string) (first, last int) {
	first = len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	text = strings.TrimSpace(text)
	end := len(text)
	for _, s := range stop {
		if s == "" {
			continue
		}
		if i := strings.Index(text[:end], s); i >= 0 {
			end = i
		}
	}
	return first, first + len(strings.TrimSpace(text[:end]))
}
