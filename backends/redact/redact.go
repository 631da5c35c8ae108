// Package redact removes secrets from servers' replies before they are cut, shown or stored. It
// owns the encodings of a secret that it recognises: verbatim, in any letter case; escaped as in URLs and JSON; and
// in base64, as in basic authentication.
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
	"encoding/json"
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

	// base64Run is how many letters of base64 eight bytes fix at least, wherever
	// they begin: 64 bits hold ten whole letters of six but for the edges.
	base64Run = 9
)

// Redactor knows the secrets of one client. The nil Redactor knows none.
type Redactor struct {
	plain  sizes // letter case aside
	sure   sizes // those of them that an answer does not contain by chance
	whole  sizes // those of them that this program itself does not say by chance
	base64 *runs
	begins fours // of any of these runs, letter case aside
}

// New makes a redactor, and its secrets known. Secrets below four characters are left alone.
func New(secrets ...string) *Redactor {
	Learn(secrets...)
	return build(secrets)
}

func build(secrets []string) *Redactor {
	r := &Redactor{base64: newRuns(base64Run)}
	for _, s := range secrets {
		s = strings.TrimSpace(s)
		if len(s) < shortest {
			continue
		}
		r.plain.sized(min(len(s), window)).add(lower(s))
		r.sure.addSure(s, phrase, window)
		if len(s) < window {
			continue
		}
		r.whole.addSure(s, len(s), phrase)
		for shift := range 3 {
			whole := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), s...))
			from, to := (shift*8+5)/6, (shift+len(s))*8/6
			r.base64.add(whole[from:to])
			r.base64.add(strings.NewReplacer("+", "-", "/", "_").Replace(whole[from:to])) // as in URLs
		}
	}
	for _, p := range slices.Concat(r.plain, r.sure, r.whole, sizes{r.base64}) {
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
	size int
	set  map[string]struct{}
}

func newRuns(size int) *runs { return &runs{size: size, set: map[string]struct{}{}} }

func (r *runs) add(text string) {
	for i := 0; i+r.size <= len(text); i++ {
		r.set[text[i:i+r.size]] = struct{}{}
	}
}

// Text returns the text with Mark in place of every secret and part of one.
func (r *Redactor) Text(s string) string {
	if r == nil {
		return s
	}
	return masked(s, r.find(s, r.plain))
}

// Sure is Text for what this program says. There a key that is a word (EMPTY) is a word, an address in a header
// counts as a whole alone, and less than 16 characters are no part of a key: millions of digits hold some key's eight.
func (r *Redactor) Sure(s string) string {
	if r == nil {
		return s
	}
	return masked(s, r.find(s, r.whole))
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
func (r *Redactor) Holds(s string) bool { return r != nil && r.find(s, r.sure) != nil }

// find marks the bytes of a text that spell one of these runs, or encode a secret; nil = none.
func (r *Redactor) find(s string, plain sizes) []bool {
	if len(r.plain) == 0 || len(s) < shortest {
		return nil
	}
	marked := r.mark(s, nil, nil, len(s), plain)
	if strings.ContainsAny(s, `\%`) {
		text, from := unescaped(s)
		marked = r.mark(text, from, marked, len(s), plain)
	}
	return marked
}

// mark marks what is found in a text, whose bytes begin at from in another one of a size; nil = where they are.
func (r *Redactor) mark(text string, from []int, marked []bool, size int, plain sizes) []bool {
	look := func(p *runs, at int, as func(string) string) {
		if at+p.size > len(text) {
			return
		}
		if _, ok := p.set[as(text[at:at+p.size])]; !ok {
			return
		}
		if marked == nil {
			marked = make([]bool, size)
		}
		first, last := at, at+p.size
		if from != nil {
			first, last = from[first], from[last]
		}
		for k := first; k < last; k++ {
			marked[k] = true
		}
	}
	var w uint32
	for i := range len(text) {
		w = four(w, text[i])
		word, bit := r.begins.at(w)
		if i+1 < shortest || *word&bit == 0 {
			continue
		}
		at := i + 1 - shortest
		for _, p := range plain {
			look(p, at, lower)
		}
		look(r.base64, at, func(s string) string { return s })
	}
	return marked
}

// fours is a set of four bytes in a row, letter case aside. Others may seem to be in it.
type fours [1 << 10]uint64

// four puts the next byte behind three.
func four(before uint32, c byte) uint32 { return before>>8 | uint32(lowerByte(c))<<24 }

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

// unescaped reads the escapes of URLs and JSON in a text. from says where each byte begins in it, and where it ends.
func unescaped(s string) (text string, from []int) {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		said, n := s[i:i+1], 1
		switch rest := s[i:]; {
		case len(rest) >= 3 && rest[0] == '%':
			if v, err := strconv.ParseUint(rest[1:3], 16, 8); err == nil {
				said, n = string([]byte{byte(v)}), 3
			}
		case len(rest) >= 6 && rest[0] == '\\' && rest[1] == 'u':
			if v, err := strconv.ParseUint(rest[2:6], 16, 16); err == nil {
				said, n = string(rune(v)), 6
			}
		case len(rest) >= 2 && rest[0] == '\\' && strings.IndexByte(`/\"`, rest[1]) >= 0:
			said, n = rest[1:2], 2
		}
		for k := range len(said) {
			out, from = append(out, said[k]), append(from, i)
		}
		i += n
	}
	return string(out), append(from, len(s))
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
