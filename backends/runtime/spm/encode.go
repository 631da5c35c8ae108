package spm

import (
	"container/heap"
	"strings"
	"unicode/utf8"
)

// Encode returns the ids of a text, without beginning- or end-of-sequence
// pieces. Control pieces spelled out in the text are text. A byte that is not
// valid UTF-8 counts as U+FFFD, as in the library.
func (m *Model) Encode(text string) []int32 {
	norm := m.normalize(text)
	if norm == "" {
		return nil
	}
	ids := make([]int32, 0, len(norm)/3+4)
	for norm != "" {
		end := len(norm)
		if m.splits {
			if i := wordStart(norm, 1); i > 0 {
				end = i
			}
		}
		ids = m.appendWord(ids, norm[:end])
		norm = norm[end:]
	}
	return ids
}

// normalize escapes blanks and applies what the model file says about them. User-defined symbols
// are kept unchanged.
func (m *Model) normalize(text string) string {
	if text == "" {
		return ""
	}
	blank := " "
	if m.escape {
		blank = space
	}
	if m.trimSpaces {
		for text != "" && text[0] == ' ' && m.user.prefix(text) <= 1 {
			text = text[1:]
		}
		if text == "" {
			return ""
		}
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/2)
	if m.dummyPrefix {
		b.WriteString(blank)
	}
	after := m.trimSpaces // a blank here is dropped
	for text != "" {
		n := m.user.prefix(text)
		part := text[:n]
		if n == 0 {
			var r rune
			r, n = utf8.DecodeRuneInString(text)
			part = text[:n]
			if r == utf8.RuneError && n == 1 {
				part = "\uFFFD"
			}
		}
		text = text[n:]
		if after {
			part = strings.TrimLeft(part, " ")
		}
		if part == "" {
			continue
		}
		for i := range len(part) {
			if part[i] == ' ' {
				b.WriteString(blank)
			} else {
				b.WriteByte(part[i])
			}
		}
		after = m.trimSpaces && part[len(part)-1] == ' '
	}
	out := b.String()
	if m.trimSpaces {
		for strings.HasSuffix(out, blank) {
			out = out[:len(out)-len(blank)]
		}
	}
	return out
}

// appendWord appends the ids of a stretch of normalised text that no piece
// reaches into or out of.
func (m *Model) appendWord(ids []int32, word string) []int32 {
	if !m.splits || len(word) > maxMemoWord {
		return m.merge(ids, word)
	}
	if known, ok := m.memo.Get(word); ok {
		return m.join(ids, known)
	}
	fresh := m.merge(nil, word)
	m.memo.Put(strings.Clone(word), fresh)
	return m.join(ids, fresh)
}

// join appends ids to ids; without byte fallback a run of unknown pieces is
// one piece, also where two words meet.
func (m *Model) join(ids, more []int32) []int32 {
	if !m.fallback && len(ids) > 0 && len(more) > 0 && ids[len(ids)-1] == m.unknown && more[0] == m.unknown {
		more = more[1:]
	}
	return append(ids, more...)
}

// symbol is a stretch of text in the linked list of symbols; empty when it
// was merged into its left neighbour.
type symbol struct {
	begin, end int
	prev, next int
	frozen     bool // user-defined: never merged
}

// pair is a candidate: two neighbours whose union is a piece.
type pair struct {
	left, right int
	score       float32
	size        int // of the union in bytes, to tell pairs that are out of date
}

// agenda orders candidates: best score first, then leftmost.
type agenda []pair

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].score > a[j].score || a[i].score == a[j].score && a[i].left < a[j].left
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(pair)) }
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// maxMemoWord bounds the words that are remembered, in bytes.
const maxMemoWord = 48

// encoder is the scratch of one encoding.
type encoder struct {
	model   *Model
	text    string
	symbols []symbol
	agenda  agenda
	parts   map[string]int // of unused pieces met: length of their left half
}

// merge appends the ids of text: it merges, again and again, the neighbours
// whose union is the piece of the best score (Sennrich et al., Neural Machine
// Translation of Rare Words with Subword Units, 2016, with scores for ranks).
func (m *Model) merge(ids []int32, text string) []int32 {
	e := m.pools.Get().(*encoder)
	defer m.pools.Put(e)
	e.model, e.text = m, text
	e.symbols, e.agenda, e.parts = e.symbols[:0], e.agenda[:0], nil
	for i := 0; i < len(text); {
		n := m.user.prefix(text[i:])
		frozen := n > 0
		if n == 0 {
			_, n = utf8.DecodeRuneInString(text[i:])
		}
		e.symbols = append(e.symbols, symbol{begin: i, end: i + n, prev: len(e.symbols) - 1, next: len(e.symbols) + 1,
			frozen: frozen})
		i += n
	}
	e.symbols[len(e.symbols)-1].next = -1
	for i := range len(e.symbols) - 1 {
		e.offer(i, i+1)
	}
	for len(e.agenda) > 0 {
		top := heap.Pop(&e.agenda).(pair)
		l, r := &e.symbols[top.left], &e.symbols[top.right]
		if l.end == l.begin || r.end == r.begin || r.end-l.begin != top.size {
			continue
		}
		l.end, l.next = r.end, r.next
		r.begin = r.end
		if l.next >= 0 {
			e.symbols[l.next].prev = top.left
		}
		e.offer(l.prev, top.left)
		e.offer(top.left, l.next)
	}
	for i := 0; i >= 0; i = e.symbols[i].next {
		ids = e.emit(ids, text[e.symbols[i].begin:e.symbols[i].end])
	}
	return ids
}

// offer puts two neighbours on the agenda if their union is a piece.
func (e *encoder) offer(left, right int) {
	if left < 0 || right < 0 || e.symbols[left].frozen || e.symbols[right].frozen {
		return
	}
	l, r := e.symbols[left], e.symbols[right]
	union := e.text[l.begin:r.end]
	id, ok := e.model.match[union]
	if !ok {
		return
	}
	p := e.model.pieces[id]
	heap.Push(&e.agenda, pair{left, right, p.score, len(union)})
	if p.kind == unused {
		if e.parts == nil {
			e.parts = map[string]int{}
		}
		e.parts[union] = l.end - l.begin
	}
}

// emit appends the ids of one final symbol: its piece, the halves of an
// unused piece, or bytes.
func (e *encoder) emit(ids []int32, text string) []int32 {
	m := e.model
	id, ok := m.reserved[text]
	if !ok {
		id, ok = m.match[text]
	}
	if !ok {
		id = m.unknown
	}
	if half, split := e.parts[text]; split && m.pieces[id].kind == unused {
		return e.emit(e.emit(ids, text[:half]), text[half:])
	}
	if id != m.unknown {
		return append(ids, id)
	}
	if m.fallback {
		for i := range len(text) {
			ids = append(ids, m.bytes[text[i]])
		}
		return ids
	}
	return m.join(ids, []int32{id})
}
