// Package redact removes secrets from servers' replies before they are cut, shown or stored. It
// owns the encodings of a secret that it recognises: verbatim, in any letter case, percent-encoded,
// escaped as in JSON, HTML or mail, in hexadecimal digits, in base64 (as in basic authentication),
// and any nesting of these.
//
// Its opinion: part of a secret is secret too. Eight consecutive characters of it are removed
// wherever they occur, so that truncated text reveals nothing either. A model's answer must not be
// altered silently: Holds reports that it contains a secret, and the caller refuses it. There an
// ordinary word must not count as a secret: servers without keys are given keys such as EMPTY, none
// and sk-no-key-required, and headers hold addresses.
//
// A secret that is used becomes known here (Learn), and what leaves the program passes what is known (Known):
// a line of the store is a Clean, which only this package makes, and the screen and the files of a run are
// written through Sure.
package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// Mark replaces a secret.
const Mark = "[secret]"

const (
	shortest = 4  // characters of a secret; anything shorter looks like a word
	window   = 8  // characters of a secret in a row that are one themselves
	phrase   = 16 // the same in an answer, where they read as words
	single   = 12 // characters of a secret that is one word, in an answer
	layers   = 4  // of escapes within escapes

	// base64Run is how many letters of base64 eight bytes fix at least, wherever
	// they begin: 64 bits hold ten whole letters of six but for the edges.
	base64Run = 9
)

// Redactor knows the secrets of one client. The nil Redactor knows none.
type Redactor struct {
	plain  sizes // letter case aside
	sure   sizes // those of them that an answer does not contain by chance
	whole  sizes // those of them that this program itself does not say by chance
	digits *runs // hexadecimal
	base64 *runs
	begins fours // of any of these runs
}

// New makes a redactor, and its secrets known. Secrets below four characters are left alone.
func New(secrets ...string) *Redactor {
	Learn(secrets...)
	return build(secrets)
}

func build(secrets []string) *Redactor {
	r := &Redactor{digits: newRuns(2 * window), base64: newRuns(base64Run)}
	for _, s := range secrets {
		s = strings.TrimSpace(s)
		if len(s) < shortest {
			continue
		}
		r.plain.sized(min(len(s), window)).add(lower(s))
		r.sure.addSure(s, phrase, window)
		if len(s) < window {
			encoded := hex.EncodeToString([]byte(s))
			r.plain.sized(len(encoded)).add(encoded)
			r.sure.sized(len(encoded)).add(encoded)
			continue
		}
		r.whole.addSure(s, len(s), phrase)
		r.digits.add(hex.EncodeToString([]byte(s)))
		for shift := range 3 {
			whole := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), s...))
			from, to := (shift*8+5)/6, (shift+len(s))*8/6
			r.base64.add(whole[from:to])
		}
	}
	for _, p := range slices.Concat(r.plain, r.sure, r.whole, sizes{r.digits, r.base64}) {
		for run := range p.set {
			r.begins.add(run)
		}
	}
	return r
}

// addSure records what a text cannot hold by chance: the whole secret, unless it is one short word; a part of it that
// does not read as words; as many characters of any as make a phrase.
func (l *sizes) addSure(s string, phrase, part int) {
	if !words(s) || len(s) >= single ||
		len(s) >= window && strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsLetter(c) }) {
		l.sized(min(len(s), phrase)).add(lower(s))
	}
	for i := 0; i+part <= len(s); i++ {
		if run := s[i : i+part]; !words(run) {
			l.sized(part).add(lower(run))
		}
	}
}

// words reports whether a text reads as words: no digits, and capitals only at
// the beginning of a word or throughout it.
func words(s string) bool {
	for word := range strings.FieldsFuncSeq(s, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		_, n := utf8.DecodeRuneInString(word)
		if strings.ContainsFunc(word, unicode.IsDigit) ||
			strings.ToUpper(word) != word && strings.ToLower(word[n:]) != word[n:] {
			return false
		}
	}
	return true
}

type sizes []*runs

func (l *sizes) sized(n int) *runs {
	for _, p := range *l {
		if p.size == n {
			return p
		}
	}
	p := newRuns(n)
	*l = append(*l, p)
	return p
}

type runs struct {
	size  int
	begin [1 << 16]bool // their first two bytes
	set   map[string]struct{}
}

func newRuns(size int) *runs { return &runs{size: size, set: map[string]struct{}{}} }

func (r *runs) add(text string) {
	for i := 0; i+r.size <= len(text); i++ {
		r.set[text[i:i+r.size]] = struct{}{}
		r.begin[int(text[i])<<8|int(text[i+1])] = true
	}
}

// Text returns the text with Mark in place of every secret and part of one.
func (r *Redactor) Text(s string) string {
	if r == nil {
		return s
	}
	return masked(s, r.find(s, r.plain, false))
}

// Sure is Text for what this program says. There a key that is a word (EMPTY) is a word, an address in a header
// counts as a whole alone, and less than 16 characters are no part of a key: millions of digits hold some key's eight.
func (r *Redactor) Sure(s string) string {
	if r == nil {
		return s
	}
	return masked(s, r.find(s, r.whole, false))
}

func masked(s string, marked []bool) string {
	if marked == nil {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if !marked[i] {
			b.WriteByte(s[i])
		} else if i == 0 || !marked[i-1] {
			b.WriteString(Mark)
		}
	}
	return b.String()
}

// Holds reports whether an answer holds a secret or a part of one, words aside
// that it may hold by chance.
func (r *Redactor) Holds(s string) bool { return r != nil && r.find(s, r.sure, true) != nil }

// invisible reports whether whoever shows a character drops it, and joins what is around it.
func invisible(c rune) bool { return !unicode.IsPrint(c) && !unicode.IsSpace(c) }

type unit struct {
	b        byte
	from, to int
}

// find marks the bytes of a text that spell one of these runs, or encode a secret; nil = none. With first it ends
// with the first layer that has any.
func (r *Redactor) find(s string, plain sizes, first bool) []bool {
	if len(r.plain) == 0 || len(s) < shortest {
		return nil
	}
	if r.clear(s, plain) {
		return nil
	}
	return r.layered(s, plain, first)
}

// layered is find without a glance first.
func (r *Redactor) layered(s string, plain sizes, first bool) []bool {
	units := make([]unit, 0, len(s))
	for i, c := range s {
		n := utf8.RuneLen(c)
		if c == utf8.RuneError {
			_, n = utf8.DecodeRuneInString(s[i:])
		} else if invisible(c) {
			continue
		}
		for k := range n {
			units = append(units, unit{s[i+k], i + k, i + k + 1})
		}
	}
	var marked []bool
	for range layers {
		if marked = r.mark(units, marked, len(s), plain); first && marked != nil {
			return marked
		}
		next, changed := unescaped(units)
		if !changed {
			break
		}
		units = next
	}
	return marked
}

func (r *Redactor) mark(units []unit, marked []bool, size int, plain sizes) []bool {
	text := make([]byte, len(units))
	for i, u := range units {
		text[i] = u.b
	}
	look := func(p *runs, text []byte) {
		if len(p.set) == 0 {
			return
		}
		for i := 0; i+p.size <= len(text); i++ {
			if !p.begin[int(text[i])<<8|int(text[i+1])] {
				continue
			}
			if _, ok := p.set[string(text[i:i+p.size])]; !ok {
				continue
			}
			if marked == nil {
				marked = make([]bool, size)
			}
			for k := units[i].from; k < units[i+p.size-1].to; k++ {
				marked[k] = true
			}
		}
	}
	for i, b := range text {
		switch b {
		case '-':
			text[i] = '+'
		case '_':
			text[i] = '/'
		}
	}
	look(r.base64, text)
	for i, u := range units {
		text[i] = lowerByte(u.b)
	}
	look(r.digits, text)
	for _, p := range plain {
		look(p, text)
	}
	return marked
}

func lower(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = lowerByte(b[i])
	}
	return string(b)
}

func lowerByte(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

func unescaped(units []unit) (out []unit, changed bool) {
	out = make([]unit, 0, len(units))
	for i := 0; i < len(units); {
		text, n := escape(units[i:])
		if n == 0 {
			out = append(out, units[i])
			i++
			continue
		}
		changed = true
		if c, n := utf8.DecodeRuneInString(text); n == len(text) && c != utf8.RuneError && invisible(c) {
			text = ""
		}
		for k := range len(text) {
			out = append(out, unit{text[k], units[i].from, units[i+n-1].to})
		}
		i += n
	}
	return out, changed
}

// longestEntity is the most characters of an HTML entity that is looked at.
const longestEntity = 34

// escape reads the escape at the beginning of some characters: what it stands
// for, and how many it takes; 0 = it is none.
func escape(u []unit) (text string, n int) {
	number := func(from, digits, base int) (uint64, bool) {
		if len(u) < from+digits {
			return 0, false
		}
		s := make([]byte, digits)
		for i := range s {
			s[i] = u[from+i].b
		}
		v, err := strconv.ParseUint(string(s), base, 32)
		return v, err == nil
	}
	switch u[0].b {
	case '%', '=':
		if v, ok := number(1, 2, 16); ok {
			return string([]byte{byte(v)}), 3
		}
	case '\\':
		if len(u) < 2 {
			return "", 0
		}
		switch c := u[1].b; c {
		case 'u', 'U':
			digits := 4
			if c == 'U' {
				digits = 8
			}
			if v, ok := number(2, digits, 16); ok {
				return string(rune(v)), 2 + digits
			}
		case 'x':
			if v, ok := number(2, 2, 16); ok {
				return string([]byte{byte(v)}), 4
			}
		case '/', '\\', '"', '\'', '-', '_', '.', '+':
			return string([]byte{c}), 2
		}
	case '&':
		var s []byte
		for i := 0; i < len(u) && i < longestEntity; i++ {
			s = append(s, u[i].b)
			if u[i].b == ';' {
				if t := html.UnescapeString(string(s)); t != string(s) {
					return t, len(s)
				}
				break
			}
		}
	}
	return "", 0
}

// The secrets that this process has used. They belong to the process and not to a client: a server may repeat
// the key of another one, and what is printed has forgotten where it came from.
var (
	learning sync.Mutex
	learned  []string
	known    atomic.Pointer[Redactor]
)

// Learn makes secrets known. Whatever hands out the text of one calls it first.
func Learn(secrets ...string) {
	learning.Lock()
	defer learning.Unlock()
	before := len(learned)
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) >= shortest && !slices.Contains(learned, s) {
			learned = append(learned, s)
		}
	}
	if len(learned) > before {
		known.Store(build(learned))
	}
}

// Known is the redactor of all secrets that were learned; nil = none were.
func Known() *Redactor { return known.Load() }

// Clean is a line of JSON in which no known secret is left. Only Line makes one.
type Clean struct{ line []byte }

// Line takes the known secrets out of a line of JSON. altered says that it held one. A secret that cannot be
// taken out, since no JSON is left without it, empties the line.
func Line(line []byte) (c Clean, altered bool) {
	r := Known()
	clean := r.Sure(string(line))
	if clean == string(line) {
		return Clean{line}, false
	}
	if !json.Valid([]byte(clean)) {
		clean = ""
	}
	return Clean{[]byte(clean)}, true
}

// Bytes returns the line.
func (c Clean) Bytes() []byte { return c.line }
