// Package pieces owns what tokenizers share: the tokens that are found in a text before it is split, the merging
// of a word's neighbouring pieces, and the words whose pieces are remembered. It refuses to know a file's format
// and a vocabulary.
package pieces

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Added is a token that is looked for in a text before it is split, as tokenizer.json lists it.
type Added struct {
	Content    string `json:"content"`
	ID         int32  `json:"id"`
	SingleWord bool   `json:"single_word"` // not inside a word
	Left       bool   `json:"lstrip"`      // takes the blanks before it
	Right      bool   `json:"rstrip"`      // takes the blanks after it
	Normalized *bool  `json:"normalized"`  // looked for in the normalised text; nil = as the tokenizer's default
	Special    bool   `json:"special"`     // vanishes when decoding
}

// Matcher finds added tokens in a text: the leftmost, of those that begin there the longest.
type Matcher struct {
	byFirst [256][]Added // longest first
}

// Add looks for one token more; one without content is never found.
func (m *Matcher) Add(a Added) {
	if a.Content == "" {
		return
	}
	list := append(m.byFirst[a.Content[0]], a)
	slices.SortStableFunc(list, func(x, y Added) int { return len(y.Content) - len(x.Content) })
	m.byFirst[a.Content[0]] = list
}

// ID returns the id of the token that is text.
func (m *Matcher) ID(text string) (int32, bool) {
	if a := m.at(text); a != nil && a.Content == text {
		return a.ID, true
	}
	return 0, false
}

// at returns the longest token that begins at the start of text.
func (m *Matcher) at(text string) *Added {
	if text == "" {
		return nil
	}
	list := m.byFirst[text[0]]
	if i := slices.IndexFunc(list, func(a Added) bool { return strings.HasPrefix(text, a.Content) }); i >= 0 {
		return &list[i]
	}
	return nil
}

// Append appends the ids of a text: the added tokens in it, and what between appends for the stretches between
// them.
func (m *Matcher) Append(ids []int32, text string, between func(ids []int32, part string) []int32) []int32 {
	done := 0
	for i := 0; i < len(text); {
		a := m.at(text[i:])
		if a == nil {
			i++
			continue
		}
		begin, end := i, i+len(a.Content)
		i = end
		if a.SingleWord && (endsInWord(text[:begin]) || startsWord(text[end:])) {
			continue
		}
		if a.Left {
			begin = len(strings.TrimRightFunc(text[:begin], unicode.IsSpace))
		}
		if a.Right {
			end = len(text) - len(strings.TrimLeftFunc(text[end:], unicode.IsSpace))
		}
		if done < begin {
			ids = between(ids, text[done:begin])
		}
		ids = append(ids, a.ID)
		done = max(done, end)
	}
	if done < len(text) {
		ids = between(ids, text[done:])
	}
	return ids
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
