package table

import (
	"bytes"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"golang.org/x/text/unicode/norm"
)

// columns is how many terminal columns a string takes; escape sequences take
// none, and ambiguous characters take one whatever the locale says.
func columns(s string) int { return twwidth.WidthWithOptions(s, twwidth.Options{}) }

// paragraph writes text wrapped to the width; later lines get the indent.
func paragraph(w *bytes.Buffer, look Look, text, indent string) {
	for _, line := range wrap(text, look.Width, indent) {
		w.WriteString(line + "\n")
	}
}

// wrap cuts a text into lines of at most width columns (0 = no limit) at
// spaces; a word longer than a line is cut between characters.
func wrap(text string, width int, indent string) []string {
	if width <= 0 || columns(text) <= width {
		return []string{text}
	}
	var lines []string
	line := text[:len(text)-len(strings.TrimLeft(text, " "))]
	empty := true
	for _, word := range strings.Fields(text) {
		for {
			space := " "
			if empty {
				space = ""
			}
			if columns(line+space+word) <= width {
				line += space + word
				empty = false
				break
			}
			if !empty {
				lines = append(lines, line)
				line, empty = indent, true
				continue
			}
			head, tail := cut(word, max(1, width-columns(line)))
			lines = append(lines, line+head)
			line, empty = indent, true
			if word = tail; word == "" {
				break
			}
		}
	}
	if !empty {
		lines = append(lines, line)
	}
	return lines
}

// cut splits a word after at most width columns, but after one character at
// least.
func cut(word string, width int) (head, tail string) {
	at := 0
	for at < len(word) {
		n := norm.NFC.NextBoundaryInString(word[at:], true)
		if at > 0 && columns(word[:at+n]) > width {
			break
		}
		at += n
	}
	return word[:at], word[at:]
}
