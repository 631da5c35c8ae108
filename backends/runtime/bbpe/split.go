package bbpe

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"infnet/backends/runtime/pieces"
)

// splitter cuts text into the words that merges stay within. The patterns that
// published tokenizers use differ in four things, so a pattern is those four;
// all end with `\s+(?!\S)|\s+`: blanks, but for the last before a word.
type splitter struct {
	contractions contractions
	letters      func(text string) int // length of the word at the start of text; 0 = none
	digits       int                   // digits in a word at most; 0 = any number, a blank in front
	tail         string                // what may end punctuation
	newlines     bool                  // blanks up to the last line break of theirs are a word
}

type contractions int

const (
	none    contractions = iota
	small                // 's and the like are words
	anyCase              // and in capitals
)

// patterns are the regular expressions this package knows, word for word, each
// with what it means.
var patterns = map[string]splitter{
	// GPT-2, RoBERTa, BART
	`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`: gpt2,
	// Llama 3
	`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`: {anyCase, oneOrNone, 3, "\r\n", true},
	// Qwen 2 and 3
	`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`: {anyCase, oneOrNone, 1, "\r\n", true},
	// Mistral's tekken, Ministral 3 included
	`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`: {none, byCase, 1, "\r\n/", true},
}

// gpt2 is also what a ByteLevel step without a Split in front of it does.
var gpt2 = splitter{small, blankOrNone, 0, "", false}

func knownPattern(pattern string) (*splitter, error) {
	if s, ok := patterns[pattern]; ok {
		return &s, nil
	}
	return nil, fmt.Errorf("the pattern %q is not supported: known are those of GPT-2, Llama 3, Qwen 2 and 3 and "+
		"Mistral's tekken", pattern)
}

// word returns the length of the first word; text is not empty.
func (s *splitter) word(text string) int {
	if n := s.contraction(text); n > 0 {
		return n
	}
	if n := s.letters(text); n > 0 {
		return n
	}
	if n := s.number(text); n > 0 {
		return n
	}
	skip := blankAhead(text)
	if n := run(text[skip:], symbol, -1); n > 0 {
		n += skip
		for n < len(text) && s.ends(text[n]) {
			n++
		}
		return n
	}
	return s.blanks(text)
}

func (s *splitter) ends(c byte) bool {
	for i := range len(s.tail) {
		if s.tail[i] == c {
			return true
		}
	}
	return false
}

// contraction matches 's, 't, 're, 've, 'm, 'll and 'd.
func (s *splitter) contraction(text string) int {
	if s.contractions == none || text[0] != '\'' {
		return 0
	}
	rest := text[1:]
	at := func(i int) byte {
		if i >= len(rest) {
			return 0
		}
		c := rest[i]
		if s.contractions == anyCase && 'A' <= c && c <= 'Z' {
			c |= 32
		}
		return c
	}
	switch c := at(0); {
	case c == 's' || c == 't' || c == 'm' || c == 'd':
		return 2
	case (c == 'r' || c == 'v') && at(1) == 'e', c == 'l' && at(1) == 'l':
		return 3
	}
	if s.contractions == anyCase && len(rest) > 1 && rest[:2] == "ſ" { // a small s of old, S in capitals
		return 3
	}
	return 0
}

// number matches digits, of any script and kind.
func (s *splitter) number(text string) int {
	if s.digits > 0 {
		return run(text, unicode.IsNumber, s.digits)
	}
	skip := blankAhead(text)
	if n := run(text[skip:], unicode.IsNumber, -1); n > 0 {
		return skip + n
	}
	return 0
}

// blanks matches white space.
func (s *splitter) blanks(text string) int {
	last, before, n := 0, 0, 0 // ends of: the last line break, all but the last blank, all
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if !unicode.IsSpace(r) {
			break
		}
		before, n = n, n+size
		if r == '\r' || r == '\n' {
			last = n
		}
	}
	switch {
	case s.newlines && last > 0:
		return last
	case n < len(text) && before > 0:
		return before
	}
	return n
}

// blankOrNone is ` ?\p{L}+`.
func blankOrNone(text string) int {
	skip := blankAhead(text)
	if n := run(text[skip:], unicode.IsLetter, -1); n > 0 {
		return skip + n
	}
	return 0
}

// oneOrNone is `[^\r\n\p{L}\p{N}]?\p{L}+`.
func oneOrNone(text string) int {
	skip := oneAhead(text)
	if n := run(text[skip:], unicode.IsLetter, -1); n > 0 {
		return skip + n
	}
	return 0
}

// byCase is the words of tekken: capitals followed by small letters, then
// capitals alone; letters without case and marks are both.
func byCase(text string) int {
	skip := oneAhead(text)
	for _, match := range []func(string) int{capitalsThenSmall, capitals} {
		if skip > 0 {
			if n := match(text[skip:]); n > 0 {
				return skip + n
			}
		}
		if n := match(text); n > 0 {
			return n
		}
	}
	return 0
}

// capitalsThenSmall is `[upper]*[lower]+`: as many of the first as leave one
// of the second.
func capitalsThenSmall(text string) int {
	best := -1
	for i, r := range text {
		if lower(r) {
			best = i
		}
		if !upper(r) {
			break
		}
	}
	if best < 0 {
		return 0
	}
	return best + run(text[best:], lower, -1)
}

// capitals is `[upper]+[lower]*`.
func capitals(text string) int {
	n := run(text, upper, -1)
	if n == 0 {
		return 0
	}
	return n + run(text[n:], lower, -1)
}

func upper(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Lt, unicode.Lm, unicode.Lo, unicode.M)
}
func lower(r rune) bool { return unicode.In(r, unicode.Ll, unicode.Lm, unicode.Lo, unicode.M) }

// symbol is what is neither blank, letter nor number.
func symbol(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.IsLetter(r) && !unicode.IsNumber(r)
}

// run returns the length of the first up to most characters that all are in a
// class; most < 0 is any number.
func run(text string, class func(rune) bool, most int) int {
	count := 0
	for i, r := range text {
		if count == most || !class(r) {
			return i
		}
		count++
	}
	return len(text)
}

// blankAhead is ` ?`.
func blankAhead(text string) int {
	if text[0] == ' ' {
		return 1
	}
	return 0
}

// oneAhead is `[^\r\n\p{L}\p{N}]?`.
func oneAhead(text string) int {
	r, n := utf8.DecodeRuneInString(text)
	if r == '\r' || r == '\n' || unicode.IsLetter(r) || unicode.IsNumber(r) {
		return 0
	}
	return n
}

type couple struct{ left, right int32 }

func (t *Tokenizer) appendWord(ids []int32, word string) []int32 {
	if t.split == nil {
		return t.appendMerged(ids, word)
	}
	return append(ids, t.memo.Of(word, func() []int32 { return t.appendMerged(nil, word) })...)
}

// appendMerged appends the ids of one word: it merges the couples of the lowest rank first.
func (t *Tokenizer) appendMerged(ids []int32, word string) []int32 {
	if t.direct {
		if id, ok := t.ids[t.spell(word)]; ok {
			return append(ids, id)
		}
	}
	m := pieces.Begin()
	defer m.End()
	t.start(m, word)
	m.Merge(func(l, r *pieces.Piece) (pieces.Union, bool) {
		u, ok := t.merges[couple{l.ID, r.ID}]
		return u, ok
	}, nil, func(p *pieces.Piece) { ids = append(ids, p.ID) })
	return ids
}

func (t *Tokenizer) start(m *pieces.Merging, word string) {
	add := func(id int32) { m.Add(pieces.Piece{ID: id}) }
	if t.unit == bytesAsRunes {
		for i := range len(word) {
			add(t.symbols[word[i]])
		}
	} else {
		for i, r := range word {
			n := utf8.RuneLen(r)
			if id, ok := t.ids[word[i:i+n]]; ok {
				add(id)
				continue
			}
			for j := range n {
				add(t.symbols[word[i+j]])
			}
		}
	}
}

func (t *Tokenizer) spell(word string) string {
	if t.unit != bytesAsRunes {
		return word
	}
	var b strings.Builder
	for i := range len(word) {
		b.WriteRune(runeOf[word[i]])
	}
	return b.String()
}
