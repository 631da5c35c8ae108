package wordpiece

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

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
	Surround *pieces.Surround `json:"post_processor"`
	Model    struct {
		Type       string           `json:"type"`
		Unknown    string           `json:"unk_token"`
		Prefix     *string          `json:"continuing_subword_prefix"`
		MaxRunes   *int             `json:"max_input_chars_per_word"`
		Vocabulary map[string]int32 `json:"vocab"`
	} `json:"model"`
}

const jsonFile = "tokenizer.json"

// Open reads the tokenizer of a model folder, tokenizer.json.
func Open(fsys fs.FS) (*Tokenizer, error) {
	text, err := fs.ReadFile(fsys, jsonFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no tokenizer: %s is not there (transformers writes it: "+
			"AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER))", jsonFile)
	} else if err != nil {
		return nil, err
	}
	t, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", jsonFile, err)
	}
	return t, nil
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
	if len(m.Vocabulary) == 0 {
		return nil, errors.New("the vocabulary is empty")
	}
	t.words, t.inner = m.Vocabulary, map[string]int32{}
	for token, id := range m.Vocabulary {
		if err := t.Place(id, token); err != nil {
			return nil, err
		}
		if rest, ok := strings.CutPrefix(token, prefix); ok && rest != "" {
			t.inner[rest] = id
		}
		t.maxBytes = max(t.maxBytes, len(token))
	}
	var ok bool
	if t.unknown, ok = m.Vocabulary[m.Unknown]; !ok {
		return nil, fmt.Errorf("unk_token %q is not in the vocabulary", m.Unknown)
	}
	if err := t.Add(f.Added, m.Vocabulary, t.basic.normalize, f.Surround); err != nil {
		return nil, err
	}
	if len(t.Before)+len(t.After) == 0 {
		return nil, errors.New("post_processor: it puts no special tokens around a text, as these networks expect")
	}
	return t, nil
}

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
