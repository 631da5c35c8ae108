package bbpe

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// stage is one step of the way from text to ids or back: the union of the keys
// of those this package reads.
type stage struct {
	Type string `json:"type"`

	// Sequence
	Normalizers   []stage `json:"normalizers"`
	PreTokenizers []stage `json:"pretokenizers"`
	Decoders      []stage `json:"decoders"`

	// Split, Replace, Prepend, Strip
	Pattern  *pattern        `json:"pattern"`
	Behavior string          `json:"behavior"`
	Invert   bool            `json:"invert"`
	Content  json.RawMessage `json:"content"`
	Prepend  string          `json:"prepend"`
	Start    int             `json:"start"`
	Stop     int             `json:"stop"`

	// ByteLevel
	AddPrefixSpace bool  `json:"add_prefix_space"`
	UseRegex       *bool `json:"use_regex"`
}

type pattern struct {
	Regex  *string `json:"Regex"`
	String *string `json:"String"`
}

// list returns the steps of a stage: those of a sequence, or itself.
func (s *stage) list(inner []stage) []stage {
	switch {
	case s == nil:
		return nil
	case s.Type == "Sequence":
		return inner
	}
	return []stage{*s}
}

// text is the content of Replace and Strip; other stages use the key otherwise.
func (s *stage) text() (string, error) {
	var v string
	if err := json.Unmarshal(s.Content, &v); err != nil {
		return "", fmt.Errorf("content of %s: want a string, not %q", s.Type, s.Content)
	}
	return v, nil
}

func (t *loading) readNormalizer(f *file) error {
	var inner []stage
	if f.Normalizer != nil {
		inner = f.Normalizer.Normalizers
	}
	for _, s := range f.Normalizer.list(inner) {
		switch s.Type {
		case "NFC":
			t.steps = append(t.steps, compose{})
		case "Prepend":
			t.steps = append(t.steps, prepend{s.Prepend})
		case "Replace":
			r, err := s.replacing()
			if err != nil {
				return fmt.Errorf("normalizer: %w", err)
			}
			t.steps = append(t.steps, r)
		default:
			return fmt.Errorf("normalizer %q is not supported: want NFC, Replace, Prepend or none", s.Type)
		}
	}
	for _, e := range f.AddedTokens {
		if cooked(e) {
			if e.Content = (*Tokenizer)(t).normalize(e.Content); e.Content == "" {
				return fmt.Errorf("added token %q is empty once normalised", t.added[e.ID].Content)
			}
			t.cooked.Add(e)
		}
	}
	return nil
}

func (s *stage) replacing() (replace, error) {
	if s.Pattern == nil || s.Pattern.String == nil || *s.Pattern.String == "" {
		return replace{}, errors.New("the step Replace is only supported for a plain string")
	}
	to, err := s.text()
	return replace{*s.Pattern.String, to}, err
}

func (t *loading) readPreTokenizer(f *file) error {
	var inner []stage
	if f.PreTokenizer != nil {
		inner = f.PreTokenizer.PreTokenizers
	}
	byteLevel := false
	for _, s := range f.PreTokenizer.list(inner) {
		switch {
		case byteLevel:
			return fmt.Errorf("pre_tokenizer %q after ByteLevel is not supported", s.Type)
		case s.Type == "Split" && t.unit == bytesAsRunes && t.split == nil && s.isolates() && s.Pattern != nil &&
			s.Pattern.Regex != nil:
			known, err := knownPattern(*s.Pattern.Regex)
			if err != nil {
				return fmt.Errorf("pre_tokenizer: %w", err)
			}
			t.split = known
		case s.Type == "Split" && t.unit == runesOrBytes && s.Pattern != nil && s.Pattern.String != nil &&
			*s.Pattern.String == " " && replacesBlanks(f.Normalizer):
			// cuts at blanks, of which the normaliser leaves none
		case s.Type == "ByteLevel" && t.unit == bytesAsRunes:
			byteLevel = true
			if s.UseRegex == nil || *s.UseRegex {
				if t.split != nil {
					return errors.New("pre_tokenizer: ByteLevel with use_regex after Split is not supported")
				}
				t.split = &gpt2
			} else if s.AddPrefixSpace && t.split != nil {
				return errors.New("pre_tokenizer: ByteLevel with add_prefix_space after Split is not supported")
			}
			t.blank = s.AddPrefixSpace
		default:
			return fmt.Errorf("pre_tokenizer %q is not supported in this form: want ByteLevel, with or without a Split "+
				"that isolates the matches of a known pattern, or none with byte_fallback", s.Type)
		}
	}
	if t.unit == bytesAsRunes && !byteLevel {
		return errors.New("pre_tokenizer: there is no ByteLevel, and model.byte_fallback is not set: want one of them")
	}
	return nil
}

// isolates reports whether a Split keeps all text, each match by itself. The
// known patterns match everything, so that removing the rest removes nothing.
func (s *stage) isolates() bool {
	return s.Behavior == "Isolated" && !s.Invert || s.Behavior == "Removed" && s.Invert
}

func replacesBlanks(n *stage) bool {
	if n == nil {
		return false
	}
	return slices.ContainsFunc(n.list(n.Normalizers), func(s stage) bool {
		r, err := s.replacing()
		return s.Type == "Replace" && err == nil && r.from == " " && !strings.Contains(r.to, " ")
	})
}

func (t *loading) readDecoder(f *file) error {
	if f.Decoder == nil {
		return errors.New("decoder is missing")
	}
	bytes := false
	for _, s := range f.Decoder.list(f.Decoder.Decoders) {
		switch {
		case s.Type == "ByteLevel" && t.unit == bytesAsRunes:
			bytes = true
		case t.unit == runesOrBytes && s.Type == "ByteFallback":
			bytes = true
		case t.unit == runesOrBytes && s.Type == "Fuse":
		case t.unit == runesOrBytes && s.Type == "Replace" && !bytes:
			r, err := s.replacing()
			if err != nil {
				return fmt.Errorf("decoder: %w", err)
			}
			t.decoder.replace = append(t.decoder.replace, r)
		case t.unit == runesOrBytes && s.Type == "Strip":
			if what, err := s.text(); err != nil || what != " " || s.Start != 1 || s.Stop != 0 {
				return errors.New("decoder: Strip is only supported for one blank at the start")
			}
			t.decoder.strip = true
		default:
			return fmt.Errorf("decoder %q is not supported in this form: want ByteLevel, or Replace, ByteFallback, Fuse "+
				"and Strip with model.byte_fallback", s.Type)
		}
	}
	if !bytes {
		return errors.New("decoder: neither ByteLevel nor ByteFallback is there")
	}
	return nil
}
