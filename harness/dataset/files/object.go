package files

import (
	"encoding/json"
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// object reads one line of JSON that holds an object, in one pass and without reflection. It knows
// the plain case alone: where ok is false, the line is wrong or odd, and the caller looks closer
// with encoding/json, whose values it gives wherever ok is true.
type object struct {
	in   []byte
	at   int
	keys *keys
}

// keys are the texts of keys that were read before: rows of a file have the same.
type keys struct{ known map[string]string }

// mostKeys bounds what is remembered of a file whose rows all have other keys.
const mostKeys = 1000

func (k *keys) text(b []byte) string {
	if s, ok := k.known[string(b)]; ok {
		return s
	}
	s := string(b)
	if k.known == nil {
		k.known = map[string]string{}
	}
	if len(k.known) < mostKeys && len(s) < 200 {
		k.known[s] = s
	}
	return s
}

// deepest is how far values nest in a plain line.
const deepest = 64

// readObject reads a line, whose values are string, bool, nil, json.Number, []any and
// map[string]any.
func readObject(line []byte, k *keys) (values map[string]any, ok bool) {
	if !utf8.Valid(line) {
		return nil, false
	}
	o := object{in: line, keys: k}
	if o.space() != '{' {
		return nil, false
	}
	if values, ok = o.object(0); !ok {
		return nil, false
	}
	o.space()
	return values, o.at == len(line)
}

// space skips white space and returns the byte after it; 0 at the end.
func (o *object) space() byte {
	for o.at < len(o.in) {
		switch c := o.in[o.at]; c {
		case ' ', '\t', '\r', '\n':
			o.at++
		default:
			return c
		}
	}
	return 0
}

// object reads an object at its brace.
func (o *object) object(depth int) (map[string]any, bool) {
	o.at++
	out := map[string]any{}
	if o.space() == '}' {
		o.at++
		return out, true
	}
	for {
		if o.space() != '"' {
			return nil, false
		}
		key, ok := o.text(o.keys)
		if !ok || o.space() != ':' {
			return nil, false
		}
		o.at++
		before := len(out)
		if out[key], ok = o.value(depth + 1); !ok || len(out) == before { // a key twice
			return nil, false
		}
		switch o.space() {
		case ',':
			o.at++
		case '}':
			o.at++
			return out, true
		default:
			return nil, false
		}
	}
}

// list reads a list at its bracket.
func (o *object) list(depth int) ([]any, bool) {
	o.at++
	out := []any{}
	if o.space() == ']' {
		o.at++
		return out, true
	}
	for {
		v, ok := o.value(depth + 1)
		if !ok {
			return nil, false
		}
		out = append(out, v)
		switch o.space() {
		case ',':
			o.at++
		case ']':
			o.at++
			return out, true
		default:
			return nil, false
		}
	}
}

func (o *object) value(depth int) (any, bool) {
	if depth > deepest {
		return nil, false
	}
	switch c := o.space(); c {
	case '"':
		s, ok := o.text(nil)
		return s, ok
	case '{':
		return o.object(depth)
	case '[':
		return o.list(depth)
	case 't':
		return true, o.word("true")
	case 'f':
		return false, o.word("false")
	case 'n':
		return nil, o.word("null")
	}
	number, ok := o.number()
	return json.Number(number), ok
}

func (o *object) word(w string) bool {
	if !strings.HasPrefix(string(o.in[o.at:min(len(o.in), o.at+len(w))]), w) {
		return false
	}
	o.at += len(w)
	return true
}

// number reads -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
func (o *object) number() ([]byte, bool) {
	from := o.at
	digits := func() bool {
		start := o.at
		for o.at < len(o.in) && o.in[o.at]-'0' < 10 {
			o.at++
		}
		return o.at > start
	}
	is := func(c byte) bool {
		if o.at < len(o.in) && o.in[o.at] == c {
			o.at++
			return true
		}
		return false
	}
	is('-')
	if !is('0') && !digits() {
		return nil, false
	}
	if is('.') && !digits() {
		return nil, false
	}
	if is('e') || is('E') {
		if !is('+') {
			is('-')
		}
		if !digits() {
			return nil, false
		}
	}
	return o.in[from:o.at], true
}

// text reads a text at its quote. k remembers it where it is a key; nil = it is none.
func (o *object) text(k *keys) (string, bool) {
	from := o.at + 1
	end := from + plain(o.in[from:])
	if end >= len(o.in) {
		return "", false
	}
	if o.in[end] == '"' {
		o.at = end + 1
		if k != nil {
			return k.text(o.in[from:end]), true
		}
		return string(o.in[from:end]), true
	}
	return o.escaped(from, end)
}

// plain returns how many bytes there are before a quote, a backslash or a control character.
func plain(b []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(b); n += 8 {
		w := uint64(b[n]) | uint64(b[n+1])<<8 | uint64(b[n+2])<<16 | uint64(b[n+3])<<24 |
			uint64(b[n+4])<<32 | uint64(b[n+5])<<40 | uint64(b[n+6])<<48 | uint64(b[n+7])<<56
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		// a byte that is 0 in x sets its high bit in (x−ones)&^x; one below 0x20 does in (w−0x20…)&^w
		if hit := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*0x20)&^w) & highs; hit != 0 {
			return n + bits.TrailingZeros64(hit)/8
		}
	}
	for ; n < len(b); n++ {
		if c := b[n]; c == '"' || c == '\\' || c < 0x20 {
			return n
		}
	}
	return n
}

// escaped reads the rest of a text with escapes, whose first is at end.
func (o *object) escaped(from, end int) (string, bool) {
	out := append(make([]byte, 0, 2*(end-from)+32), o.in[from:end]...)
	for {
		if end >= len(o.in) || o.in[end] < 0x20 {
			return "", false
		}
		if o.in[end] == '"' {
			o.at = end + 1
			return string(out), true
		}
		size, ok := 2, false
		if out, size, ok = unescape(out, o.in[end:]); !ok {
			return "", false
		}
		end += size
		more := plain(o.in[end:])
		out = append(out, o.in[end:end+more]...)
		end += more
	}
}

// unescape appends the character of the escape that b begins with, and returns its length.
func unescape(out, b []byte) (appended []byte, size int, ok bool) {
	if len(b) < 2 {
		return out, 0, false
	}
	switch b[1] {
	case '"', '\\', '/':
		return append(out, b[1]), 2, true
	case 'b':
		return append(out, '\b'), 2, true
	case 'f':
		return append(out, '\f'), 2, true
	case 'n':
		return append(out, '\n'), 2, true
	case 'r':
		return append(out, '\r'), 2, true
	case 't':
		return append(out, '\t'), 2, true
	}
	r, ok := escape(b)
	if !ok {
		return out, 0, false
	}
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(out, r), 6, true
	}
	low, ok := escape(b[6:])
	if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
		return out, 0, false // half of a pair
	}
	return utf8.AppendRune(out, r), 12, true
}
