// Package wordpiece encodes text for BERT, DistilBERT and MPNet as the
// tokenizers library does: clean and split, then the longest pieces that a
// vocabulary holds. It reads a model folder's tokenizer.json and
// gives the library's ids, special tokens included, of one text.
//
// It refuses what it would get wrong: other models than WordPiece, other
// normalisers and splitters than BERT's. It has no decoder: nothing here turns
// ids into text.
//
// Devlin et al., BERT: Pre-training of Deep Bidirectional Transformers for
// Language Understanding, 2019; Wu et al., Google's Neural Machine Translation
// System, 2016, section 4.1.
package wordpiece

import (
	"slices"
	"strings"
	"unicode/utf8"

	"infnet/backends/runtime/pieces"
)

// Tokenizer turns text into ids. It is read-only and safe for concurrent use.
type Tokenizer struct {
	pieces.Vocabulary
	words map[string]int32 // pieces by their whole text
	inner map[string]int32 // pieces that go on a word, without their prefix

	unknown  int32
	maxRunes int // longer words are unknown
	maxBytes int // of the longest piece
	basic    basic
}

// Encode returns the ids of a text between its special tokens, cut after limit
// tokens in all (0 = no limit). A limit that holds no more than the special tokens
// leaves those alone.
func (t *Tokenizer) Encode(text string, limit int) []int32 {
	ids := t.Tokens(text)
	if limit > 0 {
		ids = ids[:min(len(ids), max(0, limit-len(t.Before)-len(t.After)))]
	}
	return slices.Concat(t.Before, ids, t.After)
}

// Tokens returns the ids of a text without special tokens around it. Special
// tokens spelled out in the text count as those tokens, as in the library.
// What is not valid UTF-8 counts as U+FFFD, which cleaning removes.
func (t *Tokenizer) Tokens(text string) []int32 {
	text = strings.ToValidUTF8(text, "\uFFFD")
	return t.Append(nil, text, func(ids []int32, part string) []int32 {
		words(part, func(word string) { ids = t.appendWord(ids, word) })
		return ids
	})
}

// appendWord appends the pieces of one word: the longest piece it begins with,
// then the longest that goes on; one unknown token where none does.
func (t *Tokenizer) appendWord(ids []int32, word string) []int32 {
	if utf8.RuneCountInString(word) > t.maxRunes {
		return append(ids, t.unknown)
	}
	start := len(ids)
	for rest, table := word, t.words; rest != ""; table = t.inner {
		n := min(len(rest), t.maxBytes)
		id, ok := int32(0), false
		for ; n > 0; n-- {
			if n < len(rest) && !utf8.RuneStart(rest[n]) {
				continue
			}
			if id, ok = table[rest[:n]]; ok {
				break
			}
		}
		if !ok {
			return append(ids[:start], t.unknown)
		}
		ids = append(ids, id)
		rest = rest[n:]
	}
	return ids
}
