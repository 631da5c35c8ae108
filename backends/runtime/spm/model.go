// Package spm encodes text as the SentencePiece library does with a
// byte-pair-encoding model, and decodes it again. It reads the library's own
// model files (tokenizer.model), needs nothing but them, and is tested to give
// the library's ids.
//
// It refuses what it would get wrong: unigram, word and char models, and
// normalisations other than the identity.
//
// Kudo and Richardson, SentencePiece: A simple and language independent subword
// tokenizer and detokenizer for Neural Text Processing, 2018.
package spm

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"infnet/backends/runtime/pieces"
)

type kind int

const (
	normal      kind = 1
	unknown     kind = 2
	control     kind = 3
	userDefined kind = 4
	unused      kind = 5
	byteValue   kind = 6
)

// space is how pieces write a blank: U+2581.
const space = "\u2581"

type piece struct {
	text  string
	score float32
	kind  kind
}

// Model is a tokenizer. It is safe for concurrent use.
type Model struct {
	pieces   []piece
	match    map[string]int32 // normal, user-defined and unused pieces
	reserved map[string]int32 // control, unknown and byte pieces
	bytes    [256]int32       // ids of the byte pieces, where fallback is on
	unknown  int32
	user     symbols // user-defined pieces

	fallback    bool // bytes for what no piece covers
	dummyPrefix bool
	trimSpaces  bool
	escape      bool
	unkSurface  string
	splits      bool // no piece reaches over the start of a word

	memo pieces.Words
}

// Parse reads a tokenizer.model file.
func Parse(file []byte) (*Model, error) {
	m := &Model{dummyPrefix: true, trimSpaces: true, escape: true, unkSurface: " \u2047 ", unknown: -1}
	modelType := uint64(1) // the format's default: unigram
	err := fields(file, func(n protowire.Number, v uint64, b []byte) error {
		switch n {
		case 1:
			return m.addPiece(b)
		case 2:
			return m.readTrainer(b, &modelType)
		case 3:
			return m.readNormalizer(b)
		case 5:
			return fields(b, func(n protowire.Number, _ uint64, b []byte) error {
				if n == 2 && len(b) > 0 {
					return errors.New("it rewrites text when decoding (denormalizer_spec), which is not supported")
				}
				return nil
			})
		}
		return nil
	})
	if err == nil && modelType != 2 {
		err = fmt.Errorf("model type %d: only byte-pair encoding (2) is supported", modelType)
	}
	if err == nil {
		err = m.index()
	}
	if err != nil {
		return nil, fmt.Errorf("sentencepiece model: %w", err)
	}
	return m, nil
}

func (m *Model) addPiece(b []byte) error {
	p := piece{kind: normal}
	err := fields(b, func(n protowire.Number, v uint64, b []byte) error {
		switch n {
		case 1:
			p.text = string(b)
		case 2:
			p.score = math.Float32frombits(uint32(v))
		case 3:
			p.kind = kind(v)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("piece %d: %w", len(m.pieces), err)
	}
	if p.text == "" {
		return fmt.Errorf("piece %d is empty", len(m.pieces))
	}
	m.pieces = append(m.pieces, p)
	return nil
}

func (m *Model) readTrainer(b []byte, modelType *uint64) error {
	return fields(b, func(n protowire.Number, v uint64, b []byte) error {
		switch n {
		case 3:
			*modelType = v
		case 24:
			if v != 0 {
				return errors.New("it treats blanks as suffixes, which is not supported")
			}
		case 35:
			m.fallback = v != 0
		case 44:
			m.unkSurface = string(b)
		}
		return nil
	})
}

func (m *Model) readNormalizer(b []byte) error {
	name, charsmap := "", 0
	err := fields(b, func(n protowire.Number, v uint64, b []byte) error {
		switch n {
		case 1:
			name = string(b)
		case 2:
			charsmap = len(b)
		case 3:
			m.dummyPrefix = v != 0
		case 4:
			m.trimSpaces = v != 0
		case 5:
			m.escape = v != 0
		}
		return nil
	})
	if err == nil && charsmap > 0 {
		err = fmt.Errorf("normalisation %q rewrites characters: only the identity is supported (train with "+
			"--normalization_rule_name=identity)", name)
	}
	return err
}

func (m *Model) index() error {
	m.match, m.reserved = map[string]int32{}, map[string]int32{}
	m.splits = true
	found := 0
	for i, p := range m.pieces {
		id, into := int32(i), m.reserved
		switch p.kind {
		case normal, userDefined, unused:
			into = m.match
			m.splits = m.splits && wordStart(p.text, 1) < 0
		case unknown:
			if m.unknown >= 0 {
				return fmt.Errorf("pieces %d and %d are both the unknown piece", m.unknown, id)
			}
			m.unknown = id
		case byteValue:
			v, ok := pieces.ByteOf(p.text)
			if !ok {
				return fmt.Errorf("byte piece %d is %q, not of the form <0xFF>", i, p.text)
			}
			m.bytes[v] = id
			found++
		case control:
		default:
			return fmt.Errorf("piece %d (%q) is of unknown type %d", i, p.text, p.kind)
		}
		if _, ok := into[p.text]; ok {
			return fmt.Errorf("piece %q is listed twice", p.text)
		}
		into[p.text] = id
		if p.kind == userDefined {
			m.user.add(p.text)
		}
	}
	if m.unknown < 0 {
		return errors.New("it has no unknown piece")
	}
	if m.fallback && found != 256 {
		return fmt.Errorf("byte fallback is on, but it has %d byte pieces: want 256", found)
	}
	return nil
}

func (m *Model) Len() int { return len(m.pieces) }

// Special returns the id of a control or user-defined piece, such as "<bos>".
func (m *Model) Special(text string) (int, bool) {
	if id, ok := m.reserved[text]; ok && m.pieces[id].kind == control {
		return int(id), true
	}
	if id, ok := m.match[text]; ok && m.pieces[id].kind == userDefined {
		return int(id), true
	}
	return 0, false
}

// fields calls f for every field of a protocol buffer message: v holds
// numbers, b strings and messages.
func fields(msg []byte, f func(n protowire.Number, v uint64, b []byte) error) error {
	for len(msg) > 0 {
		n, t, size := protowire.ConsumeTag(msg)
		if size < 0 {
			return fmt.Errorf("corrupt file: %w", protowire.ParseError(size))
		}
		msg = msg[size:]
		var v uint64
		var b []byte
		switch t {
		case protowire.VarintType:
			v, size = protowire.ConsumeVarint(msg)
		case protowire.Fixed32Type:
			var w uint32
			w, size = protowire.ConsumeFixed32(msg)
			v = uint64(w)
		case protowire.Fixed64Type:
			v, size = protowire.ConsumeFixed64(msg)
		case protowire.BytesType:
			b, size = protowire.ConsumeBytes(msg)
		default:
			size = protowire.ConsumeFieldValue(n, t, msg)
		}
		if size < 0 {
			return fmt.Errorf("corrupt file: %w", protowire.ParseError(size))
		}
		msg = msg[size:]
		if err := f(n, v, b); err != nil {
			return err
		}
	}
	return nil
}

// symbols finds the longest user-defined piece at the start of a text.
type symbols struct {
	set     map[string]bool
	longest [256]int // by first byte
}

func (s *symbols) add(text string) {
	if s.set == nil {
		s.set = map[string]bool{}
	}
	s.set[text] = true
	s.longest[text[0]] = max(s.longest[text[0]], len(text))
}

// prefix returns the length of the longest symbol text starts with, or 0.
func (s *symbols) prefix(text string) int {
	if text == "" {
		return 0
	}
	for n := min(s.longest[text[0]], len(text)); n > 0; n-- {
		if s.set[text[:n]] {
			return n
		}
	}
	return 0
}

// wordStart returns the first position from on where a blank follows
// something that is no blank, or -1.
func wordStart(text string, from int) int {
	for i := from; i < len(text); i++ {
		j := strings.Index(text[i:], space)
		if j < 0 {
			return -1
		}
		i += j
		if i > 0 && !strings.HasSuffix(text[:i], space) {
			return i
		}
		i += len(space) - 1
	}
	return -1
}
