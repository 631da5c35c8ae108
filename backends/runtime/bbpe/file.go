package bbpe

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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
	Type         string          `json:"type"` // other types have other vocabularies
	Dropout      *float64        `json:"dropout"`
	Prefix       string          `json:"continuing_subword_prefix"`
	Suffix       string          `json:"end_of_word_suffix"`
	ByteFallback bool            `json:"byte_fallback"`
	IgnoreMerges bool            `json:"ignore_merges"`
	Vocab        json.RawMessage `json:"vocab"`
	Merges       json.RawMessage `json:"merges"`
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
	var f file
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	t := &Tokenizer{}
	for _, read := range []func(*file) error{
		t.readModel, t.readPreTokenizer, t.readNormalizer, t.readDecoder, t.readAdded} {
		if err := read(&f); err != nil {
			return nil, fmt.Errorf("tokenizer: %w", err)
		}
	}
	return t, nil
}

func (t *Tokenizer) readAdded(f *file) error {
	return t.Add(f.AddedTokens, t.ids, func(s string) string { return apply(t.steps, s) }, f.PostProcessor)
}

func (t *Tokenizer) readModel(f *file) error {
	m := &f.Model
	if m.Type != "BPE" && m.Type != "" {
		return fmt.Errorf("model type %q is not supported: want BPE", m.Type)
	}
	if m.Vocab != nil {
		if err := json.Unmarshal(m.Vocab, &t.ids); err != nil {
			return fmt.Errorf("model.vocab: %w", err)
		}
	}
	switch {
	case len(t.ids) == 0:
		return errors.New("model.vocab is missing or empty")
	case m.Dropout != nil && *m.Dropout != 0:
		return errors.New("model.dropout is not supported: it leaves merges out at random")
	case m.Prefix != "" || m.Suffix != "":
		return errors.New("continuing_subword_prefix and end_of_word_suffix are not supported")
	}
	t.direct = m.IgnoreMerges
	for token, id := range t.ids {
		if err := t.Place(id, token); err != nil {
			return err
		}
	}
	t.unit = bytesAsRunes
	spell := func(b byte) string { return string(runeOf[b]) }
	if m.ByteFallback {
		t.unit = runesOrBytes
		spell = pieces.ByteName
	}
	for b := range 256 {
		id, ok := t.ids[spell(byte(b))]
		if !ok {
			return fmt.Errorf("the vocabulary lacks %q, the token of byte %d: want all 256", spell(byte(b)), b)
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
