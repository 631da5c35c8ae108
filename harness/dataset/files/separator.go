package files

import (
	"bufio"
	"bytes"
	"strings"
)

// separator is what parts the cells under a header of a file called CSV: a comma, or a semicolon, tab or bar that the
// header shows more often outside quotes.
func separator(header string) rune {
	quoted := false
	found := map[rune]int{}
	for _, c := range header {
		if c == '"' {
			quoted = !quoted
		}
		if !quoted {
			found[c]++
		}
	}
	best := ','
	for _, sep := range ";\t|" {
		if found[sep] > found[best] {
			best = sep
		}
	}
	return best
}

// firstLine is the beginning of what r will read, without taking it, and without waiting for more than a line.
func firstLine(r *bufio.Reader) string {
	var head []byte
	for err := error(nil); err == nil && bytes.IndexByte(head, '\n') < 0 && len(head) < r.Size(); {
		_, err = r.Peek(len(head) + 1)
		head, _ = r.Peek(r.Buffered()) // as much as there is
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return strings.TrimRight(strings.TrimPrefix(string(line), "\xef\xbb\xbf"), "\r")
}
