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
	Dropout      *float64         `json:"dropout"`
	Prefix       string           `json:"continuing_subword_prefix"`
	Suffix       string           `json:"end_of_word_suffix"`
	ByteFallback bool             `json:"byte_fallback"`
	IgnoreMerges bool             `json:"ignore_merges"`
	Vocab        map[string]int32 `json:"vocab"`
	Merges       merges           `json:"merges"`
}

// UnmarshalJSON looks at the type first: other types have other vocabularies.
func (m *model) UnmarshalJSON(b []byte) error {
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(b, &kind); err != nil {
		return err
	}
	if kind.Type != "BPE" && kind.Type != "" {
		return fmt.Errorf("model type %q is not supported: want BPE", kind.Type)
	}
	type plain model
	return json.Unmarshal(b, (*plain)(m))
}

// merges is a list of two tokens each, written "a b" or ["a", "b"].
type merges [][]string

func (m *merges) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, (*[][]string)(m)) == nil {
		return nil
	}
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		return errors.New("model.merges: want a list of merges, all \"a b\" or all [\"a\", \"b\"]")
	}
	*m = make(merges, len(list))
	for i, s := range list {
		(*m)[i] = strings.Split(s, " ")
	}
	return nil
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
	switch {
	case len(m.Vocab) == 0:
		return errors.New("model.vocab is missing or empty")
	case m.Dropout != nil && *m.Dropout != 0:
		return errors.New("model.dropout is not supported: it leaves merges out at random")
	case m.Prefix != "" || m.Suffix != "":
		return errors.New("continuing_subword_prefix and end_of_word_suffix are not supported")
	}
	t.ids, t.direct = m.Vocab, m.IgnoreMerges
	for token, id := range m.Vocab {
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
		id, ok := m.Vocab[spell(byte(b))]
		if !ok {
			return fmt.Errorf("the vocabulary lacks %q, the token of byte %d: want all 256", spell(byte(b)), b)
		}
		t.symbols[b] = id
	}
	t.merges = make(map[couple]pieces.Union, len(m.Merges))
	for rank, h := range m.Merges {
		if len(h) != 2 {
			return fmt.Errorf("merge %d is of %d tokens: want two", rank, len(h))
		}
		left, ok := m.Vocab[h[0]]
		right, also := m.Vocab[h[1]]
		whole, all := m.Vocab[h[0]+h[1]]
		if !ok || !also || !all {
			return fmt.Errorf("merge %d of %q and %q: they and what they become must be in the vocabulary", rank, h[0], h[1])
		}
		t.merges[couple{left, right}] = pieces.Union{Rank: float64(rank), ID: whole}
	}
	return nil
}
