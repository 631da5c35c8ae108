package wordpiece

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"infnet/backends/runtime/pieces"
)

// file is tokenizer.json. Its padding and truncation are ignored: the caller says how long an
// encoding may be.
type file struct {
	Added      []pieces.Added `json:"added_tokens"`
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

// surround is the post-processor, of one of three types. Pairs of texts are not read.
type surround struct {
	Type    string                           `json:"type"`
	Single  []item                           `json:"single"`
	Special map[string]struct{ IDs []int32 } `json:"special_tokens"`
	End     marked                           `json:"sep"`
	Begin   marked                           `json:"cls"`
}

// item is a step of a template.
type item struct {
	Special  *struct{ ID string } `json:"SpecialToken"`
	Sequence *struct{ ID string } `json:"Sequence"`
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
			t.clean.Add(a)
		} else {
			t.raw.Add(a)
		}
	}
	var ok bool
	if t.unknown, ok = m.Vocabulary[m.Unknown]; !ok {
		return nil, fmt.Errorf("unk_token %q is not in the vocabulary", m.Unknown)
	}
	if err := t.surround(f.Surround); err != nil {
		return nil, fmt.Errorf("post_processor: %w", err)
	}
	for _, id := range slices.Concat(t.before, t.after) {
		if id < 0 || int(id) >= t.Len() {
			return nil, fmt.Errorf("post_processor: id %d is not in the vocabulary", id)
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

// surround reads the special tokens around a text.
func (t *Tokenizer) surround(s *surround) error {
	switch s.Type {
	case "BertProcessing", "RobertaProcessing":
		t.before, t.after = []int32{s.Begin.id}, []int32{s.End.id}
		return nil
	case "TemplateProcessing":
	default:
		return fmt.Errorf("type %q: want TemplateProcessing, BertProcessing or RobertaProcessing", s.Type)
	}
	seen := false
	for i, it := range s.Single {
		switch {
		case it.Special != nil:
			def, ok := s.Special[it.Special.ID]
			if !ok || len(def.IDs) == 0 {
				return fmt.Errorf("single: step %d: special token %q is not defined", i, it.Special.ID)
			}
			if seen {
				t.after = append(t.after, def.IDs...)
			} else {
				t.before = append(t.before, def.IDs...)
			}
		case it.Sequence != nil && it.Sequence.ID == "A" && !seen:
			seen = true
		default:
			return fmt.Errorf("single: step %d: want a special token, or sequence A once", i)
		}
	}
	if !seen {
		return errors.New("single: sequence A is missing")
	}
	return nil
}
