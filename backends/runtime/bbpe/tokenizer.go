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
	"regexp"
	"strings"

	"infnet/backends/runtime/pieces"
)

// Tokenizer is a tokenizer. It is safe for concurrent use.
type Tokenizer struct {
	pieces.Vocabulary
	ids     map[string]int32 // of the model's vocabulary
	merges  map[couple]pieces.Union
	direct  bool // a word that is a token is that token, merges or not
	symbols [256]int32
	unit    unit

	steps    []func(string) string // that normalise a text
	split    *regexp.Regexp        // of words but for blanks; nil = a text is one word
	blank    bool                  // a stretch of text begins with a blank, added where it does not
	unescape []func(string) string // applied to every token of a runesOrBytes vocabulary
	memo     pieces.Words
}

type unit int

const (
	bytesAsRunes unit = iota // every byte, written as one character
	runesOrBytes             // every character, or its bytes as <0xFF> where it is no token
)

// Encode returns the ids of a text, without those a template puts around it
// (Before, After). A byte that is not valid UTF-8 counts as U+FFFD.
func (t *Tokenizer) Encode(text string) []int32 {
	if text == "" {
		return nil
	}
	text = validUTF8(text)
	ids := make([]int32, 0, len(text)/3+4)
	return t.Append(ids, text, t.appendStretch)
}

func (t *Tokenizer) appendStretch(ids []int32, text string) []int32 {
	if t.blank && !strings.HasPrefix(text, " ") {
		text = " " + text
	}
	if t.split == nil {
		return t.appendWord(ids, text)
	}
	for text != "" {
		n := t.word(text)
		ids = t.appendWord(ids, text[:n])
		text = text[n:]
	}
	return ids
}

// ID returns the id of a token, added or not.
func (t *Tokenizer) ID(token string) (int, bool) {
	if id, ok := t.Special(token); ok {
		return id, true
	}
	id, ok := t.ids[token]
	return int(id), ok
}
