package bbpe

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// addedToken is an entry of added_tokens.
type addedToken struct {
	id         int32
	text       string
	special    bool // vanishes when decoding
	singleWord bool // only where no word goes on to its left or right
	left       bool // takes the blanks to its left with it
	right      bool // and those to its right
}

// matcher finds added tokens in a text: the leftmost, of those that begin
// there the longest.
type matcher struct {
	byFirst [256][]*addedToken // longest first
}

func (m *matcher) add(a *addedToken) {
	list := append(m.byFirst[a.text[0]], a)
	slices.SortStableFunc(list, func(x, y *addedToken) int { return len(y.text) - len(x.text) })
	m.byFirst[a.text[0]] = list
}

func (m *matcher) find(text string) *addedToken {
	if text == "" {
		return nil
	}
	for _, a := range m.byFirst[text[0]] {
		if a.text == text {
			return a
		}
	}
	return nil
}

// at returns the token that begins at the start of text.
func (m *matcher) at(text string) *addedToken {
	for _, a := range m.byFirst[text[0]] {
		if strings.HasPrefix(text, a.text) {
			return a
		}
	}
	return nil
}

// scan cuts a text at the added tokens: f gets stretches of text with -1, and
// tokens by id.
func (m *matcher) scan(text string, f func(part string, added int32)) {
	done := 0
	for i := 0; i < len(text); {
		a := m.at(text[i:])
		if a == nil {
			i++
			continue
		}
		begin, end := i, i+len(a.text)
		i = end
		if a.singleWord && (endsInWord(text[:begin]) || startsWord(text[end:])) {
			continue
		}
		if a.left {
			begin = max(done, len(strings.TrimRightFunc(text[:begin], unicode.IsSpace)))
		}
		if a.right {
			end = len(text) - len(strings.TrimLeftFunc(text[end:], unicode.IsSpace))
		}
		if begin = max(begin, done); done < begin {
			f(text[done:begin], -1)
		}
		f("", a.id)
		done = max(done, end)
	}
	if done < len(text) {
		f(text[done:], -1)
	}
}

func endsInWord(s string) bool {
	r, n := utf8.DecodeLastRuneInString(s)
	return n > 0 && wordRune(r)
}

func startsWord(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n > 0 && wordRune(r)
}

// wordRune is \w of Unicode's regular expressions (technical standard 18,
// annex C).
func wordRune(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic,
		unicode.Join_Control)
}
