// Package bbpe encodes and decodes text as the Hugging Face tokenizers library does with a
// byte-level byte-pair-encoding tokenizer.json (GPT-2, BART, Qwen, Mistral's tekken). It needs
// only that file, and the tests compare its ids with the library's.
//
// It refuses, by name, what it does not support: models other than byte-level BPE, other normalisers than NFC,
// patterns for splitting text into words that it does not know, and steps that would drop text.
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

	"infnet/backends/runtime/pieces"
)

// Tokenizer is a tokenizer. It is safe for concurrent use.
type Tokenizer struct {
	pieces.Vocabulary
	ids     map[string]int32 // of the model's vocabulary
	merges  map[couple]pieces.Union
	direct  bool // a word that is a token is that token, merges or not
	symbols [256]int32
	split   *regexp.Regexp // of words but for blanks
	memo    pieces.Words
}

// Encode returns the ids of a text, without those a template puts around it
// (Before, After). A byte that is not valid UTF-8 counts as U+FFFD.
func (t *Tokenizer) Encode(text string) []int32 {
	if text == "" {
		return nil
	}
	text = pieces.ValidUTF8(text)
	ids := make([]int32, 0, len(text)/3+4)
	return t.Append(ids, text, t.appendStretch)
}

func (t *Tokenizer) appendStretch(ids []int32, text string) []int32 {
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
