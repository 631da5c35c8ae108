package bbpe

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"infnet/backends/runtime/pieces"
)

// patterns are the regular expressions by which published tokenizers cut text into the words that merges stay within,
// but for the end that all of them have: theEnd.
var patterns = []string{
	gpt2, // GPT-2, BART
	// Qwen 2 and 3
	`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+`,
	// Mistral's tekken, Ministral 3 included
	`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|` +
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|` +
		`\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+`,
}

// gpt2 is also what a ByteLevel step without a Split in front of it does.
const gpt2 = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+`

// theEnd is blanks, but for the last before a word.
const theEnd = `|\s+(?!\S)|\s+`

func knownPattern(pattern string) (*regexp.Regexp, error) {
	if words, ok := strings.CutSuffix(pattern, theEnd); ok && slices.Contains(patterns, words) {
		return wordOf(words), nil
	}
	return nil, fmt.Errorf("the pattern %q is not supported: known are those of GPT-2, Qwen 2 and 3 and Mistral's "+
		"tekken", pattern)
}

// wordOf is a pattern at the start of a text, in Go's syntax, where blanks are not those of Unicode.
func wordOf(words string) *regexp.Regexp {
	const blanks = `\t-\r\x{85}\p{Z}`
	words = strings.ReplaceAll(strings.ReplaceAll(words, `[^\s`, `[^`+blanks), `\s*`, `[`+blanks+`]*`)
	return regexp.MustCompile(`^(?:` + words + `)`)
}

// word returns the length of the first word of a text that is not empty.
func (t *Tokenizer) word(text string) int {
	if at := t.split.FindStringIndex(text); at != nil {
		return at[1]
	}
	n := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	if _, last := utf8.DecodeLastRuneInString(text[:n]); n < len(text) && n > last {
		return n - last
	}
	return n
}

type couple struct{ left, right int32 }

func (t *Tokenizer) appendWord(ids []int32, word string) []int32 {
	return append(ids, t.memo.Of(word, func() []int32 { return t.merged(word) })...)
}

// merged returns the ids of one word: it merges the couples of the lowest rank first.
func (t *Tokenizer) merged(word string) (ids []int32) {
	if t.direct {
		var b strings.Builder
		for i := range len(word) {
			b.WriteRune(runeOf[word[i]])
		}
		if id, ok := t.ids[b.String()]; ok {
			return []int32{id}
		}
	}
	m := pieces.Begin()
	defer m.End()
	for i := range len(word) {
		m.Add(pieces.Piece{ID: t.symbols[word[i]]})
	}
	m.Merge(func(l, r *pieces.Piece) (pieces.Union, bool) {
		u, ok := t.merges[couple{l.ID, r.ID}]
		return u, ok
	}, nil, func(p *pieces.Piece) { ids = append(ids, p.ID) })
	return ids
}
