package wordpiece

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"infnet/backends/runtime/pieces"
)

// The files of a model folder that describe its tokenizer.
const (
	jsonFile   = "tokenizer.json"
	vocabFile  = "vocab.txt"
	configFile = "tokenizer_config.json"
)

// Config is what a vocab.txt does not say; read from tokenizer_config.json.
// The zero value of a field that is a pointer is BERT's default.
type Config struct {
	Lower   *bool  `json:"do_lower_case"`          // default true
	Accents *bool  `json:"strip_accents"`          // default: as Lower
	Chinese *bool  `json:"tokenize_chinese_chars"` // default true
	Basic   *bool  `json:"do_basic_tokenize"`      // must not be false
	Class   string `json:"tokenizer_class"`        // MPNetTokenizer surrounds texts otherwise

	Unknown name `json:"unk_token"`
	Begin   name `json:"cls_token"`
	End     name `json:"sep_token"`
	Pad     name `json:"pad_token"`
	Mask    name `json:"mask_token"`
	First   name `json:"bos_token"`
	Last    name `json:"eos_token"`
}

// name is a token as configurations write it: a string or an object.
type name string

func (n *name) UnmarshalJSON(b []byte) error {
	var s *string
	if json.Unmarshal(b, &s) == nil {
		if s != nil {
			*n = name(*s)
		}
		return nil
	}
	var o struct{ Content string }
	if err := json.Unmarshal(b, &o); err != nil {
		return fmt.Errorf("want a token, not %.40s", b)
	}
	*n = name(o.Content)
	return nil
}

// Open reads the tokenizer of a model folder: tokenizer.json where it is
// there, else vocab.txt with tokenizer_config.json.
func Open(fsys fs.FS) (*Tokenizer, error) {
	var cfg Config
	text, err := fs.ReadFile(fsys, configFile)
	if err == nil {
		if err := json.Unmarshal(text, &cfg); err != nil {
			return nil, fmt.Errorf("%s: %w", configFile, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	text, err = fs.ReadFile(fsys, jsonFile)
	if err == nil {
		t, err := Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", jsonFile, err)
		}
		if cfg.Lower != nil && *cfg.Lower != t.basic.lower {
			return nil, fmt.Errorf("%s says do_lower_case = %v, %s lowercase = %v: which is it?", configFile, *cfg.Lower,
				jsonFile, t.basic.lower)
		}
		return t, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	text, err = fs.ReadFile(fsys, vocabFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no tokenizer: neither %s nor %s is there", jsonFile, vocabFile)
	} else if err != nil {
		return nil, err
	}
	t, err := FromVocabulary(text, cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", vocabFile, err)
	}
	return t, nil
}

// FromVocabulary makes a tokenizer of the text of a vocab.txt, one token per
// line, its id the line's number from 0.
func FromVocabulary(text []byte, cfg Config) (*Tokenizer, error) {
	if cfg.Basic != nil && !*cfg.Basic {
		return nil, errors.New("do_basic_tokenize = false is not supported: WordPiece without words")
	}
	vocabulary := map[string]int32{}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, line := range lines {
		if line = strings.TrimRight(line, "\r"); line != "" {
			vocabulary[line] = int32(i)
		}
	}
	t := &Tokenizer{maxRunes: 100}
	if err := t.setVocabulary(vocabulary, "##"); err != nil {
		return nil, err
	}
	lower := cfg.Lower == nil || *cfg.Lower
	t.basic = basic{clean: true, chinese: cfg.Chinese == nil || *cfg.Chinese, lower: lower, accents: lower}
	if cfg.Accents != nil {
		t.basic.accents = *cfg.Accents
	}
	d := Config{Unknown: "[UNK]", Begin: "[CLS]", End: "[SEP]", Pad: "[PAD]", Mask: "[MASK]"}
	mpnet := strings.HasPrefix(cfg.Class, "MPNet")
	if mpnet {
		d = Config{Unknown: "[UNK]", Begin: "<s>", End: "</s>", Pad: "<pad>", Mask: "<mask>", First: "<s>", Last: "</s>"}
	}
	id := func(given, fallback name) (int32, error) {
		n := string(given)
		if n == "" {
			n = string(fallback)
		}
		v, ok := vocabulary[n]
		if !ok {
			return 0, fmt.Errorf("it has no token %q", n)
		}
		t.raw.Add(pieces.Added{Content: n, ID: v, Left: mpnet && fallback == d.Mask})
		return v, nil
	}
	var err, e error
	if t.unknown, e = id(cfg.Unknown, d.Unknown); e != nil {
		err = e
	}
	begin, e := id(cfg.Begin, d.Begin)
	err = errors.Join(err, e)
	end, e := id(cfg.End, d.End)
	err = errors.Join(err, e)
	for _, s := range [][2]name{{cfg.Pad, d.Pad}, {cfg.Mask, d.Mask}} {
		_, _ = id(s[0], s[1]) // a vocabulary need not have them
	}
	if err != nil {
		return nil, err
	}
	t.before, t.after = []int32{begin}, []int32{end}
	return t, nil
}
