package bbpe

import (
	"strings"
	"unicode/utf8"

	"infnet/backends/runtime/pieces"
)

// runeOf is how a byte is written in a byte-level vocabulary: as itself where
// that is a visible character of Latin-1, else as the next character from
// U+0100 on. byteOf is the way back.
var runeOf, byteOf = func() (to [256]rune, from map[rune]byte) {
	from = map[rune]byte{}
	next := rune(0x100)
	for b := range 256 {
		r := rune(b)
		if !('!' <= r && r <= '~' || '¡' <= r && r <= '¬' || '®' <= r && r <= 'ÿ') {
			r = next
			next++
		}
		to[b], from[r] = r, byte(b)
	}
	return to, from
}()

// Continue returns the text of ids that continue other text, as the library does with special tokens skipped: bytes
// that are no UTF-8 become U+FFFD, and a blank in front is kept. Ids out of range are skipped.
func (t *Tokenizer) Continue(ids []int32) string { return strings.Join(t.Pieces(ids), "") }

// Pieces returns what each id adds to the text; joined they are Continue(ids).
// A character of several tokens belongs to the last of them. What can be no
// character is one U+FFFD for as long as it might have become one (Unicode
// Standard, section 3.9: substitution of maximal subparts).
func (t *Tokenizer) Pieces(ids []int32) []string {
	out := make([]string, len(ids))
	var pending []byte
	last := 0
	for i, id := range ids {
		if !t.shown(id) {
			continue
		}
		pending, last = append(pending, t.bytesOf(t.ByID[id])...), i
		for len(pending) > 0 {
			r, n, open := decodeRune(pending)
			if open {
				break
			}
			out[i] += string(r)
			pending = pending[n:]
		}
	}
	if len(pending) > 0 {
		out[last] += "\uFFFD"
	}
	return out
}

// bytesOf returns the bytes of a byte-level token; a token that is not written in the byte alphabet
// is returned as it is.
func (t *Tokenizer) bytesOf(token string) []byte {
	b := make([]byte, 0, len(token))
	for _, r := range token {
		v, ok := byteOf[r]
		if !ok {
			return []byte(token)
		}
		b = append(b, v)
	}
	return b
}

// decodeRune decodes the first character; what is none counts as U+FFFD, with
// the length of the longest part that begins one. open says that b may still
// become a character.
func decodeRune(b []byte) (r rune, n int, open bool) {
	if !utf8.FullRune(b) {
		return 0, 0, true
	}
	if r, n = utf8.DecodeRune(b); r != utf8.RuneError || n != 1 {
		return r, n, false
	}
	for n = 1; n < len(b) && !utf8.FullRune(b[:n]); n++ {
	}
	return utf8.RuneError, max(1, n-1), false
}

func (t *Tokenizer) shown(id int32) bool {
	if id < 0 || int(id) >= len(t.ByID) {
		return false
	}
	return !t.Added[id].Special
}

// Text returns a readable form of one token: its text if it is whole characters; special tokens and
// lone bytes by name.
func (t *Tokenizer) Text(id int32) string {
	if id < 0 || int(id) >= len(t.ByID) {
		return ""
	}
	token := t.ByID[id]
	if _, ok := t.Added[id]; ok {
		return token
	}
	b := t.bytesOf(token)
	if utf8.Valid(b) {
		return string(b)
	}
	var names strings.Builder
	for _, v := range b {
		names.WriteString(pieces.ByteName(v))
	}
	return names.String()
}
