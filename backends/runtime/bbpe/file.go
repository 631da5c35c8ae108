package bbpe

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"

	"infnet/backends/runtime/pieces"
)

// file is tokenizer.json. What is not listed does not change ids or text.
type file struct {
	AddedTokens   []pieces.Added   `json:"added_tokens"`
	Normalizer    *stage           `json:"normalizer"`
	PreTokenizer  *stage           `json:"pre_tokenizer"`
	PostProcessor *pieces.Surround `json:"post_processor"`
	Decoder       *stage           `json:"decoder"`
	Model         model            `json:"model"`
}

type model struct {
	Type         string           `json:"type"`
	Dropout      *float64         `json:"dropout"`
	Prefix       string           `json:"continuing_subword_prefix"`
	Suffix       string           `json:"end_of_word_suffix"`
	ByteFallback bool             `json:"byte_fallback"`
	IgnoreMerges bool             `json:"ignore_merges"`
	Vocab        map[string]int32 `json:"vocab"`
	Merges       json.RawMessage  `json:"merges"`
}

// stage is one step of the way from text to ids or back: the union of the keys
// of those this package reads.
type stage struct {
	Type          string  `json:"type"`
	PreTokenizers []stage `json:"pretokenizers"` // of a Sequence

	Pattern  struct{ Regex string } `json:"pattern"` // of Split
	Behavior string                 `json:"behavior"`
	Invert   bool                   `json:"invert"`

	AddPrefixSpace bool  `json:"add_prefix_space"` // of ByteLevel
	UseRegex       *bool `json:"use_regex"`
}

// pairs are the merges: two tokens each, written "a b" or ["a", "b"].
func (m *model) pairs() (list [][]string, err error) {
	if m.Merges == nil || json.Unmarshal(m.Merges, &list) == nil {
		return list, nil
	}
	var written []string
	if err := json.Unmarshal(m.Merges, &written); err != nil {
		return nil, errors.New("model.merges: want a list of merges, all \"a b\" or all [\"a\", \"b\"]")
	}
	list = nil
	for _, s := range written {
		list = append(list, strings.Split(s, " "))
	}
	return list, nil
}

// Parse reads a tokenizer.json. The error names what is wrong with it or not
// supported.
func Parse(text []byte) (*Tokenizer, error) {
	t := &Tokenizer{}
	if err := t.read(text); err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	return t, nil
}

func (t *Tokenizer) read(text []byte) error {
	var f file
	if err := json.Unmarshal(text, &f); err != nil {
		return fmt.Errorf("no byte-level BPE: %w", err)
	}
	if err := t.readModel(&f.Model); err != nil {
		return err
	}
	if err := t.readSplit(f.PreTokenizer); err != nil {
		return fmt.Errorf("pre_tokenizer: %w", err)
	}
	if f.Normalizer != nil && f.Normalizer.Type != "NFC" {
		return fmt.Errorf("normalizer %q is not supported: want NFC or none", f.Normalizer.Type)
	}
	if f.Decoder == nil || f.Decoder.Type != "ByteLevel" {
		return errors.New("decoder: want ByteLevel")
	}
	normalize := func(s string) string { return s }
	if f.Normalizer != nil {
		normalize = norm.NFC.String
	}
	return t.Add(f.AddedTokens, t.ids, normalize, f.PostProcessor)
}

func (t *Tokenizer) readModel(m *model) error {
	t.ids, t.direct = m.Vocab, m.IgnoreMerges
	switch {
	case m.Type != "BPE" && m.Type != "":
		return fmt.Errorf("model type %q is not supported: want BPE", m.Type)
	case len(t.ids) == 0:
		return errors.New("model.vocab is missing or empty")
	case m.Dropout != nil && *m.Dropout != 0 || m.Prefix != "" || m.Suffix != "" || m.ByteFallback:
		return errors.New("model: dropout, continuing_subword_prefix, end_of_word_suffix and byte_fallback are not " +
			"supported (for a model with a tokenizer.model, copy that file into its folder)")
	}
	for token, id := range t.ids {
		if err := t.Place(id, token); err != nil {
			return err
		}
	}
	for b := range 256 {
		id, ok := t.ids[string(runeOf[b])]
		if !ok {
			return fmt.Errorf("the vocabulary lacks %q, the token of byte %d: want all 256", string(runeOf[b]), b)
		}
		t.symbols[b] = id
	}
	merges, err := m.pairs()
	if err != nil {
		return err
	}
	t.merges = make(map[couple]pieces.Union, len(merges))
	for rank, h := range merges {
		if len(h) != 2 {
			return fmt.Errorf("merge %d is of %d tokens: want two", rank, len(h))
		}
		left, ok := t.ids[h[0]]
		right, also := t.ids[h[1]]
		whole, all := t.ids[h[0]+h[1]]
		if !ok || !also || !all {
			return fmt.Errorf("merge %d of %q and %q: they and what they become must be in the vocabulary", rank, h[0], h[1])
		}
		t.merges[couple{left, right}] = pieces.Union{Rank: float64(rank), ID: whole}
	}
	return nil
}

// readSplit reads how text is cut into words: by ByteLevel, or by a Split in front of it. The known patterns match
// everything, so that removing the rest removes nothing.
func (t *Tokenizer) readSplit(s *stage) (err error) {
	if s == nil {
		return errors.New("is missing: want ByteLevel")
	}
	steps := []stage{*s}
	if s.Type == "Sequence" {
		steps = s.PreTokenizers
	}
	own := func(b stage) bool { return b.UseRegex == nil || *b.UseRegex }
	if n := len(steps) - 1; n >= 0 && steps[n].Type == "ByteLevel" && !steps[n].AddPrefixSpace {
		first := steps[0]
		switch {
		case n == 0 && own(first):
			t.split = wordOf(gpt2)
			return nil
		case n == 1 && first.Type == "Split" && !own(steps[1]) &&
			(first.Behavior == "Isolated" && !first.Invert || first.Behavior == "Removed" && first.Invert):
			t.split, err = knownPattern(first.Pattern.Regex)
			return err
		}
	}
	return errors.New("is not supported in this form: want ByteLevel without add_prefix_space, by itself, or without " +
		"use_regex behind a Split that isolates the matches of a known pattern")
}
