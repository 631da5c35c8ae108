// Package extract finds the answer in a reply: the text that is graded, and its place in bytes. It owns the ways to
// find one, and knows which part of a reply is a model's thoughts. It refuses to judge whether an answer is right.
//
// Its opinion: thoughts are searched where a way says so and nowhere else; where a reply states several answers the
// last one counts, but two side by side (2 or 3; A, B) are none; a reply that states none, or was cut before its end
// was certain, has no answer. Nothing is guessed.
package extract

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"infnet/backends/wording"
)

// Way is a way to find the answer, as a study writes it.
type Way string

// The ways without an argument.
const (
	Boxed      Way = "boxed"       // what is in the last \boxed{…}
	LastNumber Way = "last-number" // the last number, with its sign, currency and per cent sign; none in a range
	Letter     Way = "letter"      // the letter that the reply says is its choice
)

// The beginnings of those with one.
const (
	after   = "after:"    // the rest of the line after the last such mark, in any letter case
	inJSON  = "json:"     // the value at a path of the last JSON object or array; no path: all of it
	pattern = "re:"       // the last match of a regular expression; its first group, where it has one
	think   = "thoughts:" // any way, in the thoughts of a reply and not in what it says
)

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
	Apart      bool   // it is in thoughts that the reply does not hold; no bytes hold it
}

// finder returns the bytes of an answer; last < 0 where there is none. ended is false for a reply that was cut.
type finder func(text string, ended bool) (first, last int)

// Finder looks for answers in several ways, in order. It is immutable and safe for concurrent use.
type Finder struct {
	ways []finder
	json []bool // the answer is a JSON value
	mind []bool // thoughts are searched
}

// New returns a finder. It fails on a way that is none.
func New(ways []Way) (*Finder, error) {
	f := &Finder{}
	for _, w := range ways {
		find, err := finderOf(w)
		if err != nil {
			return nil, err
		}
		bare, mind := strings.CutPrefix(string(w), think)
		f.ways, f.json = append(f.ways, find), append(f.json, strings.HasPrefix(bare, inJSON))
		f.mind = append(f.mind, mind)
	}
	return f, nil
}

func finderOf(w Way) (finder, error) {
	switch w {
	case Boxed:
		return boxed, nil
	case LastNumber:
		return lastNumber, nil
	case Letter:
		return letter, nil
	}
	if way, ok := strings.CutPrefix(string(w), think); ok && !strings.HasPrefix(way, think) {
		return finderOf(Way(way))
	}
	if mark, ok := strings.CutPrefix(string(w), after); ok && strings.TrimSpace(mark) != "" {
		return afterMark(regexp.MustCompile(`(?is)^.*(` + regexp.QuoteMeta(mark) + `)`)), nil
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
	return nil, fmt.Errorf("unknown way to an answer %q: want one of boxed, last-number, letter, after:TEXT, "+
		"json:PATH, re:PATTERN, thoughts:WAY", w)
}

// Find returns the answer of a reply, by the first way that finds one; an empty one is none. ended says that the
// model ended its reply: in one that was cut, nothing is the last line or number, and what reaches the end of the
// text may be half an answer.
func (f *Finder) Find(reply string, ended bool) (Answer, bool) { return f.FindIn(reply, "", ended) }

// FindIn is Find of a reply whose thoughts, or some of them, are apart from it.
func (f *Finder) FindIn(reply, thoughts string, ended bool) (Answer, bool) {
	said := only(reply, wording.Spoken(reply))
	for k := range f.ways {
		if !f.mind[k] {
			if a, ok := f.within(k, said, reply, ended); ok {
				return a, true
			}
			continue
		}
		if a, ok := f.within(k, only(reply, wording.Thought(reply)), reply, ended); ok {
			return a, true
		}
		if a, ok := f.within(k, thoughts, thoughts, ended || reply != ""); ok {
			return Answer{Text: a.Text, Apart: true}, true
		}
	}
	return Answer{}, false
}

// Minds reports whether thoughts are searched.
func (f *Finder) Minds() bool { return f != nil && slices.Contains(f.mind, true) }

// within finds the answer by one way, in the parts of a reply that are searched.
func (f *Finder) within(way int, searched, reply string, ended bool) (Answer, bool) {
	first, last := f.ways[way](searched, ended)
	if last < 0 {
		return Answer{}, false
	}
	a := Answer{Start: first, End: last}
	for a.Start < a.End && strings.IndexByte(" \t\r\n*`", searched[a.Start]) >= 0 {
		a.Start++
	}
	for a.Start < a.End && strings.IndexByte(" \t\r\n*`", searched[a.End-1]) >= 0 {
		a.End--
	}
	a.Text = reply[a.Start:a.End]
	if a.Text != searched[a.Start:a.End] {
		return Answer{}, false // what is not searched is within
	}
	if f.json[way] {
		a.Text = unquoted(a.Text)
	}
	return a, a.Text != "" && (ended || a.End < len(reply))
}

func boxed(text string, _ bool) (first, last int) {
	at := strings.LastIndex(text, box)
	if at < 0 {
		return 0, -1
	}
	if first, last = inBox(text, at); last < 0 || goesOn.MatchString(text[last+1:]) || scaled.MatchString(text[last+1:]) ||
		strings.HasSuffix(text[:at], "-") || strings.HasSuffix(text[:at], "−") {
		return 0, -1
	}
	if i := strings.LastIndex(text[:at], box); i >= 0 {
		if f, l := inBox(text[:at], i); l >= 0 && joint.MatchString(text[l+1:at]) && text[f:l] != text[first:last] {
			return 0, -1
		}
	}
	return first, last
}

const box = `\boxed`

// inBox finds what is in the box that is written at i.
func inBox(text string, i int) (first, last int) {
	i += len(box)
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

var (
	// number is one number in a text
	number = regexp.MustCompile(`(?:[-+−]?[$€£¥]?|[$€£¥][-+−])(?:(?:\d+ )?\d+/\d+|(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?` +
		`(?:[eE][-+]?\d+)?|\.\d+)(?:[ ]?\\?%)?`)
	// within is what stands before a number that is a part of a larger one, or of no number: \frac{, ^, minus
	within = regexp.MustCompile(`(?:\\[dt]?frac\{?|[√^]\{?|\\sqrt\{?|\}\{|\{,\}|\\[,!]|\b(?i:minus|negative) |` +
		`(?:^|[\s(:=$])–|[A-Za-z0-9]\()$`)
	// goesOn is what follows such a number: 10², 2π, 1½, 5 million
	goesOn = regexp.MustCompile(`^(?:[⁰¹²³⁴-⁹¼-¾⅐-⅞π√^]|\\(?:pi|sqrt|[dt]?frac)|[.:/_]\d|` +
		`[kKMB]\b|\s?(?:\\text\{ ?)?(?i:hundred|thousand|[mb]illion|trillion|dozen|lakh|crore|bn|squared|cubed)\b)`)
	// scaled is what follows a box that is a part of a formula
	scaled = regexp.MustCompile(`^\s*(?:\^|\\(?:times|cdot)\b|\\pi\b)`)
	// joint is all that stands between two numbers of a range, a list, an operation, a ratio, a date: 10-15, 2 or 3
	joint = regexp.MustCompile(`^(?:[:'_]|(?:[ \x{a0}\x{202f}$]|\\[()])*(?:[-–—−+×÷*±/]+|[,;]|\\(?:times|cdot|div|pm)|` +
		`,? ?(?:\\text\{ ?)?\b(?:or|and|to|x)\b(?: ?\})?|)(?:[ \x{a0}\x{202f}$]|\\[()])*)$`)
	// operand is what makes a sign after it one of an operation
	operand = regexp.MustCompile(`(?:[0-9)]\s*|\w)$`)
	// item is a number that a line of a list begins with
	item = regexp.MustCompile(`(?m)^[ \t*#]*(\d+)[.)][ \t*]+\S`)
)

// lastNumber finds a number as it is written in a text. Where the last one is a part of a formula, a range or a list of
// numbers, none is found: which of them is the answer would be a guess.
func lastNumber(text string, ended bool) (first, last int) {
	if !ended {
		return 0, -1
	}
	items := map[int]bool{}
	for _, m := range item.FindAllStringSubmatchIndex(text, -1) {
		items[m[2]] = true
	}
	last = -1
	end := 0 // of the number before
	for _, m := range number.FindAllStringIndex(text, -1) {
		before, previous := text[max(0, m[0]-20):m[0]], end // no part is longer
		if items[m[0]] {
			continue
		}
		end = m[1]
		if strings.IndexAny(text[m[0]:m[1]], "+-−") == 0 && operand.MatchString(before) {
			m[0] += strings.IndexAny(text[m[0]:], "0123456789.$€£¥")
		}
		switch {
		case previous > 0 && joint.MatchString(text[previous:m[0]]), within.MatchString(before),
			goesOn.MatchString(text[m[1]:]):
			last = -1
		case before != "" && joined(before[len(before)-1]) && text[m[0]] != '$':
			// x2 is no number
		default:
			first, last = m[0], m[1]
		}
	}
	return first, last
}

func joined(b byte) bool {
	return b == '.' || b == '_' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

func afterMark(mark *regexp.Regexp) finder {
	return func(text string, _ bool) (first, last int) {
		at := mark.FindStringSubmatchIndex(text)
		if at == nil {
			return 0, -1
		}
		first = at[3]
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
