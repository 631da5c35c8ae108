package task

import "strings"

// Extract returns the answer in what a model generated: white space before it
// is dropped, the rest is cut at the first stop text, and white space behind
// what is left is dropped. Empty stop texts are ignored.
func Extract(text string, stop []string) string {
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
	return strings.TrimSpace(text[:end])
}
