// Package extract finds the answer in a reply: the text that is graded, and its place in bytes. It owns the ways to
// find one, and knows which part of a reply is a model's thoughts. It refuses to judge whether an answer is right.
//
// Its opinion: thoughts are never searched; where a reply states several answers the last one counts; a reply that
// states none, or was cut before its end was certain, has no answer. Nothing is guessed.
package extract

import (
	"fmt"
	"regexp"
	"strings"
)

// Way is a way to find the answer, as a study writes it.
type Way string

// The ways without an argument.
const (
	Boxed      Way = "boxed"       // what is in the last \boxed{…}
	LastLine   Way = "last-line"   // the last line that is not blank
	LastNumber Way = "last-number" // the last number, with its sign, currency and per cent sign
	Letter     Way = "letter"      // the letter that the reply says is its choice
)

// The beginnings of those with one.
const (
	after   = "after:" // the rest of the line after the last such mark, in any letter case
	inJSON  = "json:"  // the value at a path of the last JSON object or array; no path: all of it
	pattern = "re:"    // the last match of a regular expression; its first group, where it has one
)

// UnmarshalText accepts a way.
func (w *Way) UnmarshalText(b []byte) error {
	if _, err := finderOf(Way(b)); err != nil {
		return err
	}
	*w = Way(b)
	return nil
}

// Answer is what was found in a reply.
type Answer struct {
	Text       string // as it is graded: of a string in JSON without quotes and escapes
	Start, End int    // the bytes of the reply that hold it
}

// finder returns the bytes of an answer; last < 0 where there is none. ended is false for a reply that was cut.
type finder func(text string, ended bool) (first, last int)

// Finder looks for answers in several ways, in order. It is immutable and safe for concurrent use.
type Finder struct {
	ways []finder
	json []bool // the answer is a JSON value
}

// New returns a finder. It fails on a way that is none.
func New(ways []Way) (*Finder, error) {
	f := &Finder{}
	for _, w := range ways {
		find, err := finderOf(w)
		if err != nil {
			return nil, err
		}
		f.ways, f.json = append(f.ways, find), append(f.json, strings.HasPrefix(string(w), inJSON))
	}
	return f, nil
}

func finderOf(w Way) (finder, error) {
	switch w {
	case Boxed:
		return boxed, nil
	case LastLine:
		return lastLine, nil
	case LastNumber:
		return lastNumber, nil
	case Letter:
		return letter, nil
	}
	if mark, ok := strings.CutPrefix(string(w), after); ok && strings.TrimSpace(mark) != "" {
		return afterMark(regexp.MustCompile(`(?i)` + regexp.QuoteMeta(mark))), nil
	}
	if path, ok := strings.CutPrefix(string(w), inJSON); ok {
		return valueAt(path), nil
	}
	if text, ok := strings.CutPrefix(string(w), pattern); ok {
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, fmt.Errorf("the way to an answer %q is no regular expression: %w", w, err)
		}
		return lastMatch(re), nil
	}
	return nil, fmt.Errorf("unknown way to an answer %q: want one of boxed, last-line, last-number, letter, after:TEXT, "+
		"json:PATH, re:PATTERN", w)
}

// Find returns the answer of a reply, by the first way that finds one; an empty one is none. ended says that the
// model ended its reply: in one that was cut, nothing is the last line or number, and what reaches the end of the
// text may be half an answer.
func (f *Finder) Find(reply string, ended bool) (Answer, bool) {
	parts := spoken(reply)
	for k, find := range f.ways {
		for n := len(parts) - 1; n >= 0; n-- {
			at := parts[n].first
			first, last := find(reply[at:parts[n].last], ended)
			if last < 0 {
				continue
			}
			a := Answer{Start: at + first, End: at + last}
			for a.Start < a.End && strings.IndexByte(" \t\r\n*`", reply[a.Start]) >= 0 {
				a.Start++
			}
			for a.Start < a.End && strings.IndexByte(" \t\r\n*`", reply[a.End-1]) >= 0 {
				a.End--
			}
			if a.Text = reply[a.Start:a.End]; f.json[k] {
				a.Text = unquoted(a.Text)
			}
			if a.Text != "" && (ended || a.End < len(reply)) {
				return a, true
			}
		}
	}
	return Answer{}, false
}

func boxed(text string, _ bool) (first, last int) {
	const mark = `\boxed`
	i := strings.LastIndex(text, mark)
	if i < 0 {
		return 0, -1
	}
	i += len(mark)
	i += len(text[i:]) - len(strings.TrimLeft(text[i:], " "))
	depth := 0
	for k := i; k < len(text); k++ {
		switch text[k] {
		case '\\':
			k++ // \{ and \} are texts
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1, k
			}
		}
		if depth == 0 {
			break // no brace follows the mark
		}
	}
	return 0, -1
}

func lastLine(text string, ended bool) (first, last int) {
	text = strings.TrimRight(text, " \t\r\n")
	if text == "" || !ended {
		return 0, -1
	}
	return strings.LastIndexByte(text, '\n') + 1, len(text)
}

var (
	// number is one number in a text
	number = regexp.MustCompile(`(?:[-+−]?[$€£¥]?|[$€£¥][-+−])(?:(?:\d+ )?\d+/\d+|(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?` +
		`(?:[eE][-+]?\d+)?|\.\d+)(?:[ ]?\\?%)?`)
	// within is LaTeX before a number that makes it a part of a larger one: \frac{, ^, the comma of 1{,}000
	within = regexp.MustCompile(`(?:\\[dt]?frac\{?|\\sqrt\{?|\}\{|\^\{?|\{,\}|\\[,!])$`)
	// operand is what makes a sign after it one of an operation, or of a range
	operand = regexp.MustCompile(`(?:[0-9)]\s*|\w)$`)
)

// lastNumber finds a number as it is written in a text. Where the last one is a part of a formula, none is found.
func lastNumber(text string, ended bool) (first, last int) {
	last = -1
	if !ended {
		return 0, -1
	}
	for _, m := range number.FindAllStringIndex(text, -1) {
		before := text[:m[0]]
		switch {
		case within.MatchString(before):
			last = -1
			continue
		case strings.IndexAny(text[m[0]:m[1]], "+-−") == 0 && operand.MatchString(before):
			m[0] += strings.IndexAny(text[m[0]:], "0123456789.$€£¥") // 12-15 are two numbers
		case before != "" && joined(before[len(before)-1]) && text[m[0]] != '$':
			continue // x2 is no number, and 1.2.3 has none more after 1.2
		}
		first, last = m[0], m[1]
	}
	return first, last
}

func joined(b byte) bool {
	return b == '.' || b == '_' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

func afterMark(mark *regexp.Regexp) finder {
	return func(text string, _ bool) (first, last int) {
		all := mark.FindAllStringIndex(text, -1)
		if len(all) == 0 {
			return 0, -1
		}
		first = all[len(all)-1][1]
		rest := strings.TrimLeft(text[first:], " \t\r\n*`")
		first = len(text) - len(rest)
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			return first, first + end
		}
		return first, len(text)
	}
}

func lastMatch(re *regexp.Regexp) finder {
	return func(text string, _ bool) (first, last int) {
		all := re.FindAllStringSubmatchIndex(text, -1)
		if len(all) == 0 {
			return 0, -1
		}
		m := all[len(all)-1]
		if len(m) > 2 {
			m = m[2:]
		}
		return m[0], m[1]
	}
}
