package wordpiece

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a token that is looked for in the text before it is split.
type token struct {
	Content    string `json:"content"`
	ID         int32  `json:"id"`
	SingleWord bool   `json:"single_word"` // not inside a word
	Left       bool   `json:"lstrip"`      // takes the blanks before it
	Right      bool   `json:"rstrip"`      // takes the blanks after it
	Normalized *bool  `json:"normalized"`  // looked for in the normalised text; nil = unless special
	Special    bool   `json:"special"`
}

// added are tokens that are looked for together, longest first.
type added struct {
	tokens []token
	first  [256]bool // bytes that one of them begins with
}

func (a *added) add(t token) {
	if t.Content == "" {
		return
	}
	a.tokens = append(a.tokens, t)
	a.first[t.Content[0]] = true
	slices.SortStableFunc(a.tokens, func(x, y token) int { return cmp.Compare(len(y.Content), len(x.Content)) })
}

// split calls f for the stretches of a text in order: those that are a token
// with its id, those between with -1.
func (a *added) split(text string, f func(text string, id int32)) {
	done := 0
	for i := 0; i < len(text); {
		t, ok := a.at(text, i)
		if !ok {
			i++
			continue
		}
		start, stop := i, i+len(t.Content)
		i = stop
		if t.SingleWord && (endsInWord(text[:start]) || beginsWithWord(text[stop:])) {
			continue
		}
		if t.Left {
			start = max(done, len(strings.TrimRightFunc(text[:start], unicode.IsSpace)))
		}
		if t.Right {
			stop = len(text) - len(strings.TrimLeftFunc(text[stop:], unicode.IsSpace))
		}
		if done < start {
			f(text[done:start], -1)
		}
		f(text[start:stop], t.ID)
		done = max(done, stop)
	}
	if done < len(text) {
		f(text[done:], -1)
	}
}

// at returns the longest token that the text has at byte i.
func (a *added) at(text string, i int) (token, bool) {
	if !a.first[text[i]] {
		return token{}, false
	}
	for _, t := range a.tokens {
		if strings.HasPrefix(text[i:], t.Content) {
			return t, true
		}
	}
	return token{}, false
}

func endsInWord(s string) bool {
	r, n := utf8.DecodeLastRuneInString(s)
	return n > 0 && wordRune(r)
}

func beginsWithWord(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n > 0 && wordRune(r)
}

// wordRune is \w as regular expressions over Unicode have it.
func wordRune(r rune) bool {
	return unicode.In(r, unicode.Letter, unicode.Mark, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic,
		unicode.Join_Control)
}
