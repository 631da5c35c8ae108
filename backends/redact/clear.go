package redact

import (
	"strings"
	"unicode/utf8"
)

// fours is a set of four bytes in a row, in the letters that every run is looked for in. Others may seem to be in it.
type fours [1 << 10]uint64

// four puts the next byte behind three.
func four(before uint32, c byte) uint32 { return before>>8 | uint32(letter64(lowerByte(c)))<<24 }

func (f *fours) at(w uint32) (word *uint64, bit uint64) {
	h := w * 0x9E3779B1 >> 16 // Fibonacci hashing
	return &f[h>>6], 1 << (h & 63)
}

// add adds the first four bytes of a run; none is shorter.
func (f *fours) add(run string) {
	var w uint32
	for i := range shortest {
		w = four(w, run[i])
	}
	word, bit := f.at(w)
	*word |= bit
}

// clear reports, at a glance, that a text holds none of these runs: it holds no escape and nothing that does not show,
// so that it is its only layer, and no run is in it. Of a text that may hold some it says nothing.
func (r *Redactor) clear(s string, plain sizes) bool {
	var w uint32
	for i := range len(s) {
		if c := s[i]; !ordinary[c] && odd(s[i:]) {
			return false
		}
		w = four(w, s[i])
		if word, bit := r.begins.at(w); *word&bit != 0 && i+1 >= shortest && r.mayHold(s[i+1-shortest:], plain) {
			return false
		}
	}
	return true
}

// ordinary are the bytes that are a character which shows, and begin no escape.
var ordinary = func() (out [256]bool) {
	for c := byte(' '); c < 0x7f; c++ {
		out[c] = !strings.ContainsRune(`\%=&`, rune(c))
	}
	return out
}()

// odd reports whether a text begins with an escape, perhaps, or with what does not show.
func odd(s string) bool {
	next := byte(0)
	if len(s) > 1 {
		next = s[1]
	}
	switch c := s[0]; {
	case c >= utf8.RuneSelf:
		r, _ := utf8.DecodeRuneInString(s)
		return utf8.RuneStart(c) && (r == utf8.RuneError || invisible(r)) // the others with their first byte
	case c == '\\':
		return !strings.ContainsRune("nrtbf", rune(next))
	case c == '%' || c == '=':
		return isHex(next)
	case c == '&':
		return next != ' '
	default:
		return invisible(rune(c))
	}
}

func isHex(b byte) bool { return b >= '0' && b <= '9' || lowerByte(b) >= 'a' && lowerByte(b) <= 'f' }

// mayHold reports whether a text of four bytes or more begins with a run.
func (r *Redactor) mayHold(s string, plain sizes) bool {
	for _, p := range plain {
		if p.starts(s, lowerByte) {
			return true
		}
	}
	return r.digits.starts(s, lowerByte) || r.base64.starts(s, letter64)
}

// starts reports whether a text begins with one of the runs, in other letters, or perhaps with one of many.
func (r *runs) starts(s string, as func(byte) byte) bool {
	if r.size > len(s) || !r.begin[int(as(s[0]))<<8|int(as(s[1]))] {
		return false
	}
	var room [64]byte
	if r.size > len(room) {
		return true
	}
	for i := range r.size {
		room[i] = as(s[i])
	}
	_, ok := r.set[string(room[:r.size])]
	return ok
}

// letter64 is a letter of base64 in its usual alphabet.
func letter64(b byte) byte {
	switch b {
	case '-':
		return '+'
	case '_':
		return '/'
	}
	return b
}
