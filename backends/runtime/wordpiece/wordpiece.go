// Package wordpiece encodes text for BERT, DistilBERT and MPNet as the
// tokenizers library does: clean and split, then the longest pieces that a
// vocabulary holds. It reads a model folder's tokenizer.json or vocab.txt and
// gives the library's ids, special tokens and token types, for one text and
// for pairs.
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
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Encoding is a text, or a pair of texts, as a model takes it: the ids of its
// tokens, special ones included, and of each token which text it belongs to.
type Encoding struct {
	IDs   []int32
	Types []int32
}

// Tokenizer turns text into ids. It is read-only and safe for concurrent use.
type Tokenizer struct {
	words  map[string]int32 // pieces by their whole text
	inner  map[string]int32 // pieces that go on a word, without their prefix
	ids    map[string]int32 // all tokens, added ones included
	tokens []string         // by id; "" where no token has the id

	unknown   int32
	maxRunes  int // longer words are unknown
	maxBytes  int // of the longest piece
	basic     basic
	raw       added // looked for in the text as it is
	clean     added // looked for in the normalised text
	single    []part
	pair      []part
	singleLen int // special tokens a single text gets
	pairLen   int
}

// part is one piece of what surrounds a text: a special token, or the text.
type part struct {
	text  int // 0 the first text, 1 the second, -1 a special token
	id    int32
	types int32
}

// Len returns the number of ids: one more than the largest.
func (t *Tokenizer) Len() int { return len(t.tokens) }

// ID returns the id of a token, special ones included.
func (t *Tokenizer) ID(token string) (int32, bool) {
	id, ok := t.ids[token]
	return id, ok
}

// Token returns the token of an id; "" where there is none.
func (t *Tokenizer) Token(id int32) string {
	if id < 0 || int(id) >= len(t.tokens) {
		return ""
	}
	return t.tokens[id]
}

// Encode returns a text between its special tokens, cut after limit tokens in
// all (0 = no limit). A limit that holds no more than the special tokens
// leaves those alone.
func (t *Tokenizer) Encode(text string, limit int) Encoding {
	ids := t.Tokens(text)
	if limit > 0 {
		ids = ids[:min(len(ids), max(0, limit-t.singleLen))]
	}
	return assemble(t.single, ids, nil)
}

// EncodePair returns two texts between their special tokens. Where they are
// too long for the limit (0 = none), the longer one is cut until both are of
// one length, then both.
func (t *Tokenizer) EncodePair(a, b string, limit int) Encoding {
	first, second := t.Tokens(a), t.Tokens(b)
	if limit > 0 {
		n, m := share(len(first), len(second), max(0, limit-t.pairLen))
		first, second = first[:n], second[:m]
	}
	return assemble(t.pair, first, second)
}

// share returns how many tokens of two texts a room holds.
func share(n, m, room int) (int, int) {
	if n+m <= room {
		return n, m
	}
	half := room / 2
	switch {
	case n <= m && n <= half:
		return n, room - n
	case n <= m:
		return half, room - half
	case m <= half:
		return room - m, m
	}
	return room - half, half
}

func assemble(parts []part, texts ...[]int32) Encoding {
	var e Encoding
	add := func(types int32, ids ...int32) {
		for _, id := range ids {
			e.IDs, e.Types = append(e.IDs, id), append(e.Types, types)
		}
	}
	for _, p := range parts {
		if p.text < 0 {
			add(p.types, p.id)
		} else {
			add(p.types, texts[p.text]...)
		}
	}
	return e
}

// Tokens returns the ids of a text without special tokens around it. Special
// tokens spelled out in the text count as those tokens, as in the library.
// What is not valid UTF-8 counts as U+FFFD, which cleaning removes.
func (t *Tokenizer) Tokens(text string) []int32 {
	var ids []int32
	text = strings.ToValidUTF8(text, "\uFFFD")
	t.raw.split(text, func(text string, id int32) {
		if id >= 0 {
			ids = append(ids, id)
			return
		}
		t.clean.split(t.basic.normalize(text), func(text string, id int32) {
			if id >= 0 {
				ids = append(ids, id)
				return
			}
			words(text, func(word string) { ids = t.appendWord(ids, word) })
		})
	})
	return ids
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

// setVocabulary takes over the ids of the pieces.
func (t *Tokenizer) setVocabulary(vocabulary map[string]int32, prefix string) error {
	if len(vocabulary) == 0 {
		return errors.New("the vocabulary is empty")
	}
	t.words, t.inner, t.ids = vocabulary, map[string]int32{}, make(map[string]int32, len(vocabulary))
	for token, id := range vocabulary {
		if id < 0 || id >= 1<<24 {
			return fmt.Errorf("token %q has id %d: want 0 to 2^24", token, id)
		}
		t.define(token, id)
		if rest, ok := strings.CutPrefix(token, prefix); ok && rest != "" {
			t.inner[rest] = id
		}
		t.maxBytes = max(t.maxBytes, len(token))
	}
	return nil
}

// define gives a token its id.
func (t *Tokenizer) define(token string, id int32) {
	t.ids[token] = id
	for int(id) >= len(t.tokens) {
		t.tokens = append(t.tokens, "")
	}
	t.tokens[id] = token
}

// surround settles the special tokens around texts.
func (t *Tokenizer) surround(single, pair []part) {
	t.single, t.pair = single, pair
	for _, p := range single {
		if p.text < 0 {
			t.singleLen++
		}
	}
	for _, p := range pair {
		if p.text < 0 {
			t.pairLen++
		}
	}
}
