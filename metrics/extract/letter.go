package extract

import (
	"bytes"
	"regexp"
	"strings"

	"infnet/backends/wording"
)

const (
	opens  = `(?:[\s*_$"'(\[{` + "`" + `]|\\(?:text|textbf|mathrm|mathbf|boxed)\{)*`
	closes = `[\s*_$"')\]}.` + "`" + `]*`
)

var (
	// stated is "the answer is (B)", "Answer: B" or "the correct option is B"; and \boxed{B}
	stated = regexp.MustCompile(`(?:(?i:answer(?:\s+to\s+(?:the|this|your)\s+question)?|(?:correct|right|best)\s+(?:option|choice))[*_]*\s*(?i:is|:|=|would be|should be|must be)` +
		`(?i:[\s*_:]*(?:option|choice|letter)\b)?:?` + opens + `|\\boxed\s*\{` + opens + `)([A-Za-z])`)
	// alone is a letter that is all of a line
	alone = regexp.MustCompile(`(?m)^` + opens + `(?:(?i:option|choice|letter)\b` + opens + `:?` + opens + `)?([A-Z])` + closes + `$`)
	// leads is a letter before the text of its option, in a reply of one line
	leads = regexp.MustCompile(`^(?:` + opens + `([A-Z])[*_]*[).:][^\n]*|` + opens + `([A-Za-z])` + closes + `)$`)
	// initials are letters of an abbreviation: U.S.
	initials = regexp.MustCompile(`^\.[A-Za-z](?:[^A-Za-z]|$)`)
	// follows is what may follow a letter: no further word, but a reason; no second letter
	reason = regexp.MustCompile(`^[*_)\]}]*,?\s+(?:because|since|as|given)\b`)
	second = regexp.MustCompile(`^[*_)\]}]*\s*(?:[,;/&+(]|\(?(?:or|and|as well as)\b)\s*` + opens + `[A-Z]\b`)
)

// letter returns the letter that a reply says is its choice: the last one that it states or that has a line for
// itself, or the one that a reply of one line begins with.
func letter(text string, _ bool) (first, last int) {
	last = -1
	for _, m := range stated.FindAllStringSubmatchIndex(text, -1) {
		if stands(text, m[2]) {
			first, last = m[2], m[3]
		}
	}
	before := -1 // the end of the letter in the line before
	for _, m := range alone.FindAllStringSubmatchIndex(text, -1) {
		if before > 0 && m[2] > first && text[before-1] != text[m[2]] &&
			strings.Trim(text[before:m[2]], " \t\r\n*_()[].$") == "" {
			return 0, -1 // two letters are no choice
		}
		before = m[3]
		if last < 0 || m[2] > first {
			first, last = m[2], m[3]
		}
	}
	if last >= 0 {
		if second.MatchString(text[last:]) {
			return 0, -1 // two letters are no choice
		}
		return first, last
	}
	trimmed := strings.TrimSpace(text)
	if m := leads.FindStringSubmatchIndex(trimmed); m != nil {
		at := strings.Index(text, trimmed) + max(m[2], m[4])
		return at, at + 1
	}
	return 0, -1
}

// stands reports whether the letter at i is a letter by itself, and no word: "the answer is A good one" has none.
func stands(text string, i int) bool {
	rest := text[i+1:]
	if rest == "" {
		return true
	}
	if joined(rest[0]) && rest[0] != '.' || rest[0] == '\'' || rest[0] == '-' || rest[0] >= 0x80 ||
		initials.MatchString(rest) {
		return false
	}
	line, _, _ := strings.Cut(rest, "\n")
	more := strings.TrimLeft(line, " *_")
	words := more != "" && joined(more[0]) && more[0] != '.' // a word follows, after nothing but a space
	switch letter := text[i]; {
	case more != "" && strings.IndexByte("=<>+^%#", more[0]) >= 0:
		return false // it is a formula
	case !words || reason.MatchString(rest) || second.MatchString(rest):
		return true
	case 'a' <= letter && letter <= 'z', letter == 'A', letter == 'I':
		return false
	}
	return true
}

// only returns a reply in which all but some of its parts are spaces: so nothing in them is found, what is found keeps
// its place, and what they separate is not read as one.
func only(reply string, parts []wording.Part) string {
	if len(parts) == 1 && parts[0] == (wording.Part{First: 0, Last: len(reply)}) {
		return reply
	}
	out := bytes.Repeat([]byte(" "), len(reply))
	for _, p := range parts {
		copy(out[p.First:p.Last], reply[p.First:p.Last])
	}
	return string(out)
}
