package table

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escapes are terminal control sequences: CSI (also as the single character
// U+009B), OSC and other strings up to their end, and two-character escapes.
var escapes = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]" +
	"|\x1b[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)" +
	"|\x1b[ -/]*[0-~]")

// Clean makes a text harmless on one line: terminal control sequences, control
// characters, direction overrides and invisible characters go; white space
// of every kind becomes one space; bytes that are not UTF-8 become U+FFFD.
// Every writer of this package applies it before its own escaping.
func Clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = escapes.ReplaceAllString(s, "")
	return strings.Join(strings.Fields(strings.Map(harmless, s)), " ")
}

// harmless maps white space to a space and unwanted characters to nothing.
func harmless(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r),
		r == 0x200B, r == 0x2060, r == 0xFEFF, r == 0x00AD, // zero-width space, word joiner, byte order mark, soft hyphen
		0xFFF9 <= r && r <= 0xFFFB, // interlinear annotation
		r == 0xFFFE, r == 0xFFFF,   // no characters, which XML and so SVG must not have
		0xE0000 <= r && r <= 0xE0FFF: // tags and variation selectors
		return -1
	}
	return r
}

// cleanPart is Clean for a piece of a text: spaces at its ends are kept as one.
func cleanPart(s string) string {
	c := Clean(s)
	if c == "" {
		if strings.TrimSpace(s) == "" && s != "" {
			return " "
		}
		return ""
	}
	if first, _ := utf8.DecodeRuneInString(s); unicode.IsSpace(first) {
		c = " " + c
	}
	if last, _ := utf8.DecodeLastRuneInString(s); unicode.IsSpace(last) {
		c += " "
	}
	return c
}

// Cut shortens a text to so many characters, the last of which then says so.
func Cut(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}

// Segment is a name as a part of file names and labels, where points and colons would be in the way.
func Segment(s string) string {
	const limit = 40 // file names have an end
	s = strings.Trim(strings.NewReplacer(".", "-", ":", "-").Replace(Slug(s)), "-")
	if s = strings.Trim(s[:min(len(s), limit)], "-"); s == "" {
		return "x"
	}
	return s
}

// Segments are those of several names, all different: of two names that begin in the same way the second gets a number,
// "a-2", in everything that is named after it.
type Segments map[string]string

// Of is the segment of a name.
func (x Segments) Of(name string) string {
	if s, ok := x[name]; ok {
		return s
	}
	taken := map[string]bool{}
	for _, s := range x {
		taken[s] = true
	}
	first := Segment(name)
	s := first
	for n := 2; taken[s]; n++ {
		s = first + "-" + strconv.Itoa(n)
	}
	x[name] = s
	return s
}
