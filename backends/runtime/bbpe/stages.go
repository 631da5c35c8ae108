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
func (s *stage) list() []stage {
	switch {
	case s == nil:
		return nil
	case s.Type == "Sequence":
		return slices.Concat(s.Normalizers, s.PreTokenizers, s.Decoders)
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

func (t *Tokenizer) readNormalizer(f *file) error {
	for _, s := range f.Normalizer.list() {
		switch s.Type {
		case "NFC":
			t.steps = append(t.steps, compose)
		case "Prepend":
			t.steps = append(t.steps, func(text string) string {
				if text == "" {
					return ""
				}
				return s.Prepend + text
			})
		case "Replace":
			from, to, err := s.replaces()
			if err != nil {
				return fmt.Errorf("normalizer: %w", err)
			}
			t.steps = append(t.steps, replacing(from, to))
		default:
			return fmt.Errorf("normalizer %q is not supported: want NFC, Replace, Prepend or none", s.Type)
		}
	}
	return nil
}

func (s *stage) replaces() (from, to string, err error) {
	if s.Pattern == nil || s.Pattern.String == nil || *s.Pattern.String == "" {
		return "", "", errors.New("the step Replace is only supported for a plain string")
	}
	to, err = s.text()
	return *s.Pattern.String, to, err
}

func (t *Tokenizer) readPreTokenizer(f *file) error {
	byteLevel := false
	for _, s := range f.PreTokenizer.list() {
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
				t.split = wordOf(gpt2)
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
	return slices.ContainsFunc(n.list(), func(s stage) bool {
		from, to, err := s.replaces()
		return s.Type == "Replace" && err == nil && from == " " && !strings.Contains(to, " ")
	})
}

func (t *Tokenizer) readDecoder(f *file) error {
	if f.Decoder == nil {
		return errors.New("decoder is missing")
	}
	bytes := false
	for _, s := range f.Decoder.list() {
		switch {
		case s.Type == "ByteLevel" && t.unit == bytesAsRunes:
			bytes = true
		case t.unit == runesOrBytes && s.Type == "ByteFallback":
			bytes = true
		case t.unit == runesOrBytes && s.Type == "Fuse":
		case t.unit == runesOrBytes && s.Type == "Replace" && !bytes:
			from, to, err := s.replaces()
			if err != nil {
				return fmt.Errorf("decoder: %w", err)
			}
			t.unescape = append(t.unescape, replacing(from, to))
		case t.unit == runesOrBytes && s.Type == "Strip": // of a whole text, and no text here is whole
			if what, err := s.text(); err != nil || what != " " || s.Start != 1 || s.Stop != 0 {
				return errors.New("decoder: Strip is only supported for one blank at the start")
			}
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
