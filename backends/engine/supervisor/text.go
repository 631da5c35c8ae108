package supervisor

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a line, in bytes: what is kept of it, and what is read to find that.
const (
	lineLimit = 4 << 10
	rawLimit  = 4 * lineLimit // escape sequences take room
)

// lines cuts output into lines, at \n and at \r: a progress bar is a line each
// time it is drawn. Of a line longer than rawLimit the beginning is kept.
type lines struct {
	line  []byte
	extra int // bytes of the line that are not in it
}

// add takes output in and calls each for every line that ends in it, without
// its end; empty ones are left out.
func (l *lines) add(b []byte, each func(line []byte, extra int)) {
	for len(b) > 0 {
		i := 0
		for i < len(b) && b[i] != '\n' && b[i] != '\r' {
			i++
		}
		fits := min(i, rawLimit-len(l.line))
		l.line, l.extra = append(l.line, b[:fits]...), l.extra+i-fits
		if i == len(b) {
			return
		}
		l.end(each)
		b = b[i+1:]
	}
}

// end ends the line that has no end yet.
func (l *lines) end(each func([]byte, int)) {
	if len(l.line) > 0 {
		each(l.line, l.extra)
	}
	l.line, l.extra = l.line[:0], 0
}

// sequence is what a terminal would act on: a control sequence (colours, moves),
// a string for the terminal (a title, a link), any other escape. One that is not
// finished takes the rest of the line.
var sequence = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*(?:[@-~]|$)" +
	"|(?:\x1b[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c|$)" +
	"|\x1b[ -/]*(?:[0-~]|$)")

// clean makes a line printable: valid characters alone, no escape sequences, no
// control characters, none that change the direction of writing.
func clean(line []byte) string {
	s := strings.ToValidUTF8(string(line), "\ufffd")
	if strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c >= 0x7f }) {
		s = sequence.ReplaceAllString(s, "")
		s = strings.Map(func(c rune) rune {
			switch {
			case c == '\t' || c == utf8.RuneError:
				return c
			case !unicode.IsGraphic(c):
				return -1
			}
			return c
		}, s)
	}
	return strings.TrimRightFunc(s, unicode.IsSpace)
}

// cut shortens a line to lineLimit, between characters; extra bytes were cut
// before.
func cut(s string, extra int) string {
	if len(s) > lineLimit {
		end := lineLimit
		for !utf8.RuneStart(s[end]) {
			end--
		}
		s, extra = s[:end], extra+len(s)-end
	}
	if extra > 0 {
		s += fmt.Sprintf(" … [infnet: %d bytes of this line left out]", extra)
	}
	return s
}
