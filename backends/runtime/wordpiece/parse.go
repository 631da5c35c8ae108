package wordpiece

import (
	"encoding/json"
	"errors"
	"fmt"
)

// file is tokenizer.json. Its padding and truncation are ignored: the caller says how long an
// encoding may be.
type file struct {
	Added      []token `json:"added_tokens"`
	Normalizer *struct {
		Type    string `json:"type"`
		Clean   bool   `json:"clean_text"`
		Chinese bool   `json:"handle_chinese_chars"`
		Accents *bool  `json:"strip_accents"`
		Lower   bool   `json:"lowercase"`
	} `json:"normalizer"`
	Splitter *struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Surround *surround `json:"post_processor"`
	Model    struct {
		Type       string           `json:"type"`
		Unknown    string           `json:"unk_token"`
		Prefix     *string          `json:"continuing_subword_prefix"`
		MaxRunes   *int             `json:"max_input_chars_per_word"`
		Vocabulary map[string]int32 `json:"vocab"`
	} `json:"model"`
}

// surround is the post-processor, of one of three types.
type surround struct {
	Type    string                           `json:"type"`
	Single  []item                           `json:"single"`
	Pair    []item                           `json:"pair"`
	Special map[string]struct{ IDs []int32 } `json:"special_tokens"`
	End     marked                           `json:"sep"`
	Begin   marked                           `json:"cls"`
}

// item is a step of a template.
type item struct {
	Special  *place `json:"SpecialToken"`
	Sequence *place `json:"Sequence"`
}

type place struct {
	ID   string `json:"id"`
	Type int32  `json:"type_id"`
}

// marked is a token with its id, written as a pair.
type marked struct{ id int32 }

func (m *marked) UnmarshalJSON(b []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(b, &pair); err != nil || len(pair) != 2 {
		return fmt.Errorf("want a token and its id, not %.40s", b)
	}
	return json.Unmarshal(pair[1], &m.id)
}

// Parse reads a tokenizer.json.
func Parse(text []byte) (*Tokenizer, error) {
	var f file
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	m, n := f.Model, f.Normalizer
	t := &Tokenizer{maxRunes: 100, basic: basic{clean: n.Clean, chinese: n.Chinese, lower: n.Lower, accents: n.Lower}}
	if n.Accents != nil {
		t.basic.accents = *n.Accents
	}
	if m.MaxRunes != nil {
		t.maxRunes = *m.MaxRunes
	}
	prefix := "##"
	if m.Prefix != nil {
		prefix = *m.Prefix
	}
	if err := t.setVocabulary(m.Vocabulary, prefix); err != nil {
		return nil, err
	}
	for _, a := range f.Added {
		if a.ID < 0 || a.ID >= 1<<24 {
			return nil, fmt.Errorf("added token %q has id %d: want 0 to 2^24", a.Content, a.ID)
		}
		if a.Content == "" {
			return nil, fmt.Errorf("added token %d is empty", a.ID)
		}
		t.define(a.Content, a.ID)
		if a.Normalized == nil && !a.Special || a.Normalized != nil && *a.Normalized {
			a.Content = t.basic.normalize(a.Content)
			t.clean.add(a)
		} else {
			t.raw.add(a)
		}
	}
	var ok bool
	if t.unknown, ok = m.Vocabulary[m.Unknown]; !ok {
		return nil, fmt.Errorf("unk_token %q is not in the vocabulary", m.Unknown)
	}
	single, pair, err := f.Surround.parts()
	if err != nil {
		return nil, fmt.Errorf("post_processor: %w", err)
	}
	t.surround(single, pair)
	for _, p := range pair {
		if p.text < 0 && (p.id < 0 || int(p.id) >= t.Len()) {
			return nil, fmt.Errorf("post_processor: id %d is not in the vocabulary", p.id)
		}
	}
	return t, nil
}

// check refuses tokenizers of other kinds.
func (f *file) check() error {
	switch {
	case f.Model.Type != "WordPiece" && f.Model.Type != "":
		return fmt.Errorf("model type %q: want WordPiece", f.Model.Type)
	case f.Normalizer == nil || f.Normalizer.Type != "BertNormalizer":
		return errors.New("normalizer: want BertNormalizer")
	case f.Splitter == nil || f.Splitter.Type != "BertPreTokenizer":
		return errors.New("pre_tokenizer: want BertPreTokenizer")
	case f.Surround == nil:
		return errors.New("post_processor is missing: which special tokens surround a text?")
	case f.Model.MaxRunes != nil && *f.Model.MaxRunes <= 0:
		return fmt.Errorf("max_input_chars_per_word = %d: want a positive number", *f.Model.MaxRunes)
	}
	return nil
}

// parts returns the templates of one text and of a pair.
func (s *surround) parts() (single, pair []part, err error) {
	switch s.Type {
	case "BertProcessing":
		single, pair = bert(s.Begin.id, s.End.id)
		return single, pair, nil
	case "RobertaProcessing":
		single, pair = roberta(s.Begin.id, s.End.id)
		return single, pair, nil
	case "TemplateProcessing":
	default:
		return nil, nil, fmt.Errorf("type %q: want TemplateProcessing, BertProcessing or RobertaProcessing", s.Type)
	}
	if single, err = s.template(s.Single, "A"); err != nil {
		return nil, nil, fmt.Errorf("single: %w", err)
	}
	if pair, err = s.template(s.Pair, "AB"); err != nil {
		return nil, nil, fmt.Errorf("pair: %w", err)
	}
	return single, pair, nil
}

// template reads the steps of a template that names each of the texts once.
func (s *surround) template(items []item, texts string) ([]part, error) {
	var out []part
	seen := map[string]bool{}
	for i, it := range items {
		switch {
		case it.Special != nil:
			def, ok := s.Special[it.Special.ID]
			if !ok || len(def.IDs) == 0 {
				return nil, fmt.Errorf("step %d: special token %q is not defined", i, it.Special.ID)
			}
			for _, id := range def.IDs {
				out = append(out, part{text: -1, id: id, types: it.Special.Type})
			}
		case it.Sequence != nil && (it.Sequence.ID == "A" || it.Sequence.ID == "B") && !seen[it.Sequence.ID]:
			seen[it.Sequence.ID] = true
			out = append(out, part{text: int(it.Sequence.ID[0] - 'A'), types: it.Sequence.Type})
		default:
			return nil, fmt.Errorf("step %d: want a special token, or sequence A or B once", i)
		}
	}
	for _, t := range texts {
		if !seen[string(t)] {
			return nil, fmt.Errorf("sequence %c is missing", t)
		}
	}
	if len(seen) != len(texts) {
		return nil, errors.New("sequence B has no place in it")
	}
	return out, nil
}
