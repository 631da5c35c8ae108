package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"infnet/backends/runtime/bbpe"
	"infnet/backends/runtime/spm"
)

type tokenizer interface {
	// Encode returns the ids of a text, without special tokens around it.
	Encode(text string) []int32
	// Continue returns the text of ids that continue other text.
	Continue(ids []int32) string
	// Pieces returns what each id adds to the text.
	Pieces(ids []int32) []string
	// Text returns the text of one id, for people.
	Text(id int32) string
	// Special returns the id of a token with a meaning of its own.
	Special(text string) (int, bool)
	// Len is one more than the highest id.
	Len() int
}

var (
	_ tokenizer = (*spm.Model)(nil)
	_ tokenizer = (*bbpe.Tokenizer)(nil)
)

var errNoTokenizer = errors.New("no tokenizer: neither " + sentencePieces + " nor " + tokenizerJSON + " is there")

// vocabulary is a tokenizer and what prompts begin with.
type vocabulary struct {
	tokenizer
	before []int32
}

// readTokens reads tokenizer.model, or tokenizer.json where there is none.
func readTokens(fsys fs.FS, s *setup) (*vocabulary, error) {
	v := &vocabulary{}
	name := sentencePieces
	file, err := fs.ReadFile(fsys, name)
	switch {
	case err == nil:
		if v.tokenizer, err = spm.Parse(file); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if s.bos >= 0 && (s.addBOS == nil || *s.addBOS) {
			v.before = []int32{int32(s.bos)}
		}
	case errors.Is(err, fs.ErrNotExist):
		name = tokenizerJSON
		if file, err = fs.ReadFile(fsys, name); errors.Is(err, fs.ErrNotExist) {
			return nil, errNoTokenizer
		} else if err != nil {
			return nil, err
		}
		if err := v.readJSON(file, s); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	default:
		return nil, err
	}
	if n := s.plan.Shape.Vocabulary; v.Len() > n {
		return nil, fmt.Errorf("%s has %d pieces, but vocab_size in %s is %d: are they of one model?", name, v.Len(),
			configFile, n)
	}
	return v, nil
}

// readJSON takes what prompts begin with from the file's template, unless
// tokenizer_config.json says otherwise, which the transformers library lets win.
func (v *vocabulary) readJSON(file []byte, s *setup) error {
	t, err := bbpe.Parse(file)
	if err != nil {
		return err
	}
	if len(t.After) > 0 {
		return errors.New("its template puts tokens after the text, which a model that goes on from it cannot use")
	}
	v.tokenizer, v.before = t, t.Before
	switch {
	case s.addBOS == nil:
	case !*s.addBOS:
		v.before = nil
	case len(t.Before) == 0:
		v.before = []int32{int32(s.bos)}
	}
	return nil
}

// thinks reports whether the chat template can leave reasoning out (Qwen 3's
// enable_thinking). The template is in a file of its own or in
// tokenizer_config.json.
func thinks(fsys fs.FS, inConfig json.RawMessage) (bool, error) {
	text, err := fs.ReadFile(fsys, templateFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return strings.Contains(string(text), "enable_thinking") || strings.Contains(string(inConfig), "enable_thinking"), nil
}
