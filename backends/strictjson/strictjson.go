// Package strictjson decodes JSON that must be unambiguous. It refuses what encoding/json silently
// accepts: repeated members (the last wins), member names in another letter case, invalid UTF-8 and
// lone surrogates (both are replaced). It owns these checks, for the members that the target reads,
// at every level, and for no others.
//
// Its opinion: an ambiguous reply is refused, because readers would disagree about it without
// noticing.
package strictjson

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"
)

// Unmarshal is json.Unmarshal, but it refuses ambiguous input.
func Unmarshal(data []byte, v any) error {
	if !utf8.Valid(data) {
		return errors.New("it is no valid UTF-8")
	}
	if err := json.Unmarshal(data, v); err != nil {
		return err
	}
	w := walk{data: data}
	w.value(shapeOf(reflect.TypeOf(v)))
	return w.err
}

// shape is what of a JSON value the target reads.
type shape struct {
	members map[string]*shape // of an object read into a struct
	names   []string          // of members
	each    *shape            // of a list's elements, or of an object's values where it is read into a map
	table   bool              // an object read into a map
	text    bool              // a text
}

var (
	shapes   = map[reflect.Type]*shape{}
	shapesMu sync.Mutex

	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func shapeOf(t reflect.Type) *shape {
	shapesMu.Lock()
	defer shapesMu.Unlock()
	return build(t)
}

// build makes a type's shape once; types may hold themselves.
func build(t reflect.Type) *shape {
	for t.Kind() == reflect.Pointer && !t.Implements(unmarshaler) {
		t = t.Elem()
	}
	if s, ok := shapes[t]; ok {
		return s
	}
	s := &shape{}
	shapes[t] = s
	if p := reflect.PointerTo(t); p.Implements(unmarshaler) || p.Implements(textUnmarshaler) {
		return s
	}
	switch t.Kind() {
	case reflect.String:
		s.text = true
	case reflect.Slice, reflect.Array:
		s.each = build(t.Elem())
	case reflect.Map:
		s.each, s.table = build(t.Elem()), true
	case reflect.Struct:
		s.members = map[string]*shape{}
		s.add(t)
	}
	return s
}

// add adds a struct's fields, those of embedded structs included.
func (s *shape) add(t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			s.add(f.Type)
		case f.IsExported() && name != "-":
			if name == "" {
				name = f.Name
			}
			s.members[name] = build(f.Type)
			s.names = append(s.names, name)
		}
	}
}

// walk goes over JSON that json.Unmarshal has read, so its syntax is right.
type walk struct {
	data []byte
	at   int
	err  error // the first thing that can be read in two ways
}

func (w *walk) refuse(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

func (w *walk) blanks() {
	for w.at < len(w.data) {
		switch w.data[w.at] {
		case ' ', '\t', '\r', '\n':
			w.at++
		default:
			return
		}
	}
}

// value goes over one value; s is nil where nothing of it is read.
func (w *walk) value(s *shape) {
	w.blanks()
	if w.at >= len(w.data) || w.err != nil {
		return
	}
	if s == nil || s.members == nil && s.each == nil && !s.text {
		w.skip()
		return
	}
	switch w.data[w.at] {
	case '{':
		w.object(s)
	case '[':
		w.list(s)
	case '"':
		raw := w.quoted()
		if s.text {
			w.lone(raw)
		}
	default:
		w.skip()
	}
}

func (w *walk) list(s *shape) {
	w.at++
	for w.blanks(); w.err == nil && w.data[w.at] != ']'; w.blanks() {
		if w.data[w.at] == ',' {
			w.at++
		}
		w.value(s.each)
	}
	w.at++
}

// object looks at the names of one object's members.
func (w *walk) object(s *shape) {
	w.at++
	var seen []string
	var set map[string]bool // of seen, where there are many
	for w.blanks(); w.err == nil && w.data[w.at] != '}'; w.blanks() {
		if w.data[w.at] == ',' {
			w.at++
			w.blanks()
		}
		name := w.name()
		w.blanks()
		w.at++ // the colon
		read, known := s.each, s.table
		if s.members != nil {
			if read, known = s.members[name]; !known {
				w.folded(s, name)
			}
		}
		if known {
			if twice(seen, set, name) {
				w.refuse("member %.80q is repeated", name)
			}
			seen = append(seen, name)
			if set != nil {
				set[name] = true
			} else if len(seen) > 32 {
				set = map[string]bool{}
				for _, n := range seen {
					set[n] = true
				}
			}
		}
		w.value(read)
	}
	w.at++
}

func twice(seen []string, set map[string]bool, name string) bool {
	if set != nil {
		return set[name]
	}
	for _, n := range seen {
		if n == name {
			return true
		}
	}
	return false
}

// folded refuses a name that encoding/json would take for a member's.
func (w *walk) folded(s *shape, name string) {
	for _, n := range s.names {
		if strings.EqualFold(n, name) {
			w.refuse("member %.80q is %q in other letters", name, n)
		}
	}
}

// name is a member's name.
func (w *walk) name() string {
	raw := w.quoted()
	for _, c := range raw {
		if c == '\\' {
			w.lone(raw)
			var s string
			_ = json.Unmarshal(raw, &s)
			return s
		}
	}
	return string(raw[1 : len(raw)-1])
}

// quoted goes over a text and returns it, quotes included.
func (w *walk) quoted() []byte {
	from := w.at
	for w.at++; w.at < len(w.data) && w.data[w.at] != '"'; w.at++ {
		if w.data[w.at] == '\\' {
			w.at++
		}
	}
	w.at++
	return w.data[from:min(w.at, len(w.data))]
}

// lone refuses half of a surrogate pair, which is no character.
func (w *walk) lone(raw []byte) {
	for i := 0; i+5 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if raw[i+1] != 'u' {
			i++
			continue
		}
		r := hex4(raw[i+2:])
		switch {
		case r >= 0xD800 && r < 0xDC00 && i+11 < len(raw) && raw[i+6] == '\\' && raw[i+7] == 'u' &&
			hex4(raw[i+8:]) >= 0xDC00 && hex4(raw[i+8:]) < 0xE000:
			i += 11
		case r >= 0xD800 && r < 0xE000:
			w.refuse("a text holds half a surrogate pair (\\u%04x)", r)
			return
		default:
			i += 5
		}
	}
}

func hex4(b []byte) (r int) {
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		default:
			c -= 'A' - 10
		}
		r = r<<4 | int(c)
	}
	return r
}

// skip goes over a value of which nothing is read.
func (w *walk) skip() {
	for depth := 0; w.at < len(w.data); {
		switch w.data[w.at] {
		case '{', '[':
			depth++
			w.at++
		case '}', ']':
			if depth == 0 {
				return
			}
			if depth--; depth == 0 {
				w.at++
				return
			}
			w.at++
		case '"':
			w.quoted()
			if depth == 0 {
				return
			}
		case ',':
			if depth == 0 {
				return
			}
			w.at++
		default:
			w.at++
		}
	}
}
