// Package bbpe encodes and decodes text as the Hugging Face tokenizers library does with a
// byte-pair-encoding tokenizer.json. It owns byte-level tokenizers (GPT-2, BART, Qwen, Llama 3,
// Mistral's tekken) and those converted from SentencePiece, with byte fallback (Gemma). It needs
// only that file, and the tests compare its ids with the library's.
//
// It refuses, by name, what it does not support: models other than BPE, other normalisers than NFC
// and the replacing of blanks, patterns for splitting text into words that it does not know, and
// steps that would drop text.
//
// Its opinion: the tokenizer's file decides. Special tokens spelled out in a text are encoded as
// those tokens, as in the library and the servers built on it.
//
// Sennrich, Haddow and Birch, Neural Machine Translation of Rare Words with
// Subword Units, 2016; over bytes: Radford et al., Language Models are
// Unsupervised Multitask Learners, 2019.
package bbpe

import (
	"strings"
	"sync"

	"infnet/backends/runtime/pieces"
)

// Tokenizer is a tokenizer. It is safe for concurrent use.
type Tokenizer struct {
	tokens  []string         // by id; "" where the file has a hole
	ids     map[string]int32 // of the model's vocabulary
	merges  map[couple]pieces.Union
	direct  bool // a word that is a token is that token, merges or not
	symbols [256]int32
	unit    unit

	added   map[int32]pieces.Added
	raw     pieces.Matcher // added tokens looked for in the text as it stands
	cooked  pieces.Matcher // those looked for in the normalised text
	steps   []step
	split   *splitter // nil = a text is one word
	blank   bool      // a stretch of text begins with a blank, added where it does not
	decoder decoder
	prefix  []int32
	suffix  []int32
	memo    pieces.Words
	scratch sync.Pool // of *pieces.Merging
}

type unit int

const (
	bytesAsRunes unit = iota // every byte, written as one character
	runesOrBytes             // every character, or its bytes as <0xFF> where it is no token
)

// Encode returns the ids of a text, without those a template puts around it
// (see Template). A byte that is not valid UTF-8 counts as U+FFFD.
func (t *Tokenizer) Encode(text string) []int32 {
	if text == "" {
		return nil
	}
	text = validUTF8(text)
	ids := make([]int32, 0, len(text)/3+4)
	return t.raw.Append(ids, text, func(ids []int32, part string) []int32 {
		return t.cooked.Append(ids, t.normalize(part), t.appendStretch)
	})
}

func (t *Tokenizer) appendStretch(ids []int32, text string) []int32 {
	if t.blank && !strings.HasPrefix(text, " ") {
		text = " " + text
	}
	if t.split == nil {
		return t.appendWord(ids, text)
	}
	for text != "" {
		n := t.split.word(text)
		ids = t.appendWord(ids, text[:n])
		text = text[n:]
	}
	return ids
}

// Template returns the ids before and after a single text.
func (t *Tokenizer) Template() (before, after []int32) { return t.prefix, t.suffix }

// Len returns one more than the highest id.
func (t *Tokenizer) Len() int { return len(t.tokens) }

// Special returns the id of an added token, such as "<|im_end|>".
func (t *Tokenizer) Special(text string) (int, bool) {
	id, ok := t.raw.ID(text)
	if !ok {
		id, ok = t.cooked.ID(text)
	}
	return int(id), ok
}

// Added reports whether an id is that of an added token, which no merging of
// ordinary text gives.
func (t *Tokenizer) Added(id int) bool {
	_, ok := t.added[int32(id)]
	return ok
}

// ID returns the id of a token, added or not.
func (t *Tokenizer) ID(token string) (int, bool) {
	if id, ok := t.Special(token); ok {
		return id, true
	}
	id, ok := t.ids[token]
	return int(id), ok
}
