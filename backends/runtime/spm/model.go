// Package spm encodes text as the SentencePiece library does with a
// byte-pair-encoding model, and decodes it again. It reads the library's own
// model files (tokenizer.model), needs nothing but them, and is tested to give
// the library's ids.
//
// It refuses what it would get wrong: unigram, word and char models, models without byte fallback, and those that
// change a text before it is split. Gemma's and the built-in models' are none of these.
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
	bytes    [256]int32       // ids of the byte pieces
	unknown  int32
	user     symbols // user-defined pieces

	splits bool // no piece reaches over the start of a word

	memo pieces.Words
}

// Parse reads a tokenizer.model file.
func Parse(file []byte) (*Model, error) {
	m := &Model{unknown: -1}
	modelType, fallback := uint64(1), uint64(0)                                // the format's defaults: unigram, and
	changes := map[protowire.Number]bool{dummyPrefix: true, trimsBlanks: true} // these
	err := fields(file, func(n protowire.Number, v uint64, b []byte) error {
		switch n {
		case 1:
			return m.addPiece(b)
		case 2:
			return fields(b, func(n protowire.Number, v uint64, _ []byte) error {
				switch n {
				case 3:
					modelType = v
				case 24: // blanks as suffixes
					changes[n] = v != 0
				case 35:
					fallback = v
				}
				return nil
			})
		case 3, 5: // what is done to a text before it is split, and to one that is decoded
			return fields(b, func(k protowire.Number, v uint64, b []byte) error {
				switch {
				case k == charsmap:
					changes[k] = changes[k] || len(b) > 0
				case n == 3 && (k == dummyPrefix || k == trimsBlanks):
					changes[k] = v != 0
				case n == 3 && k == escapes:
					changes[k] = v == 0
				}
				return nil
			})
		}
		return nil
	})
	if err == nil && (modelType != 2 || fallback == 0) {
		err = fmt.Errorf("model type %d, byte fallback %d: only byte-pair encoding (2) with byte fallback is supported",
			modelType, fallback)
	}
	for _, n := range []protowire.Number{charsmap, dummyPrefix, trimsBlanks, escapes, 24} {
		if err == nil && changes[n] {
			err = fmt.Errorf("it rewrites text (field %d of its normalisation), and only the identity is supported", n)
		}
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

// The fields of a normaliser: what it rewrites, whether it puts a blank in front, drops blanks, writes them as space.
const charsmap, dummyPrefix, trimsBlanks, escapes = 2, 3, 4, 5

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
	if found != 256 {
		return fmt.Errorf("it has %d byte pieces: want 256", found)
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
