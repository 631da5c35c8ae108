package pieces

import (
	"cmp"
	"container/heap"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Piece is a stretch of a word, text[Begin:End], and the token it is.
type Piece struct {
	ID         int32
	Begin, End int
	Frozen     bool // never merged

	prev, next int
	dead       bool // merged into its left neighbour
}

// Union is what two neighbours become, and when: low ranks first.
type Union struct {
	Rank float64
	ID   int32
}

// Merging is the scratch of one word.
type Merging struct {
	pieces []Piece
	agenda agenda
}

var scratch = sync.Pool{New: func() any { return new(Merging) }}

// Begin returns the scratch of an empty word, for End to take back.
func Begin() *Merging {
	m := scratch.Get().(*Merging)
	m.pieces, m.agenda = m.pieces[:0], m.agenda[:0]
	return m
}

// End gives the scratch back.
func (m *Merging) End() { scratch.Put(m) }

// Add appends a piece to the word.
func (m *Merging) Add(p Piece) {
	p.prev, p.next = len(m.pieces)-1, len(m.pieces)+1
	m.pieces = append(m.pieces, p)
}

// Merge merges, again and again, the neighbours whose union comes first, the leftmost of equals (Sennrich, Haddow
// and Birch, Neural Machine Translation of Rare Words with Subword Units, 2016). union says what two
// pieces become, if anything; met, which may be nil, is told of every union that might come. emit gets
// what is left, in order.
func (m *Merging) Merge(union func(l, r *Piece) (Union, bool), met func(l *Piece, u Union), emit func(p *Piece)) {
	if len(m.pieces) == 0 {
		return
	}
	m.pieces[len(m.pieces)-1].next = -1
	offer := func(left int) {
		if left < 0 || m.pieces[left].next < 0 {
			return
		}
		l := &m.pieces[left]
		r := &m.pieces[l.next]
		if l.Frozen || r.Frozen {
			return
		}
		if u, ok := union(l, r); ok {
			heap.Push(&m.agenda, candidate{u, left})
			if met != nil {
				met(l, u)
			}
		}
	}
	for i := range m.pieces {
		offer(i)
	}
	for len(m.agenda) > 0 {
		c := heap.Pop(&m.agenda).(candidate)
		l := &m.pieces[c.left]
		if l.dead || l.next < 0 {
			continue
		}
		r := &m.pieces[l.next]
		// What the candidate was made of may have changed since; it counts as
		// long as what it would become has not.
		if now, ok := union(l, r); !ok || now.ID != c.ID || r.Frozen {
			continue
		}
		l.ID, l.End, l.next, r.dead = c.ID, r.End, r.next, true
		if l.next >= 0 {
			m.pieces[l.next].prev = c.left
		}
		offer(l.prev)
		offer(c.left)
	}
	for i := 0; i >= 0; i = m.pieces[i].next {
		emit(&m.pieces[i])
	}
}

// candidate is a possible merge of the piece at left with the next one.
type candidate struct {
	Union
	left int
}

type agenda []candidate

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(a[i].Rank, a[j].Rank), cmp.Compare(a[i].left, a[j].left)) < 0
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(candidate)) }
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// The words that are kept at most, before a memo starts anew, and the bytes of each.
const (
	mostWords   = 1 << 15
	longestWord = 48
)

// Words remembers the tokens of words, because words recur. It is safe for
// concurrent use. The zero value is ready for use.
type Words struct {
	mu    sync.RWMutex
	words map[string][]int32
}

// Of returns the tokens of a word, which the caller must not change: those that split says, or has said.
func (w *Words) Of(word string, split func() []int32) []int32 {
	if len(word) > longestWord {
		return split()
	}
	w.mu.RLock()
	ids, ok := w.words[word]
	w.mu.RUnlock()
	if !ok {
		ids = split()
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.words == nil || len(w.words) >= mostWords {
			w.words = map[string][]int32{}
		}
		w.words[strings.Clone(word)] = ids
	}
	return ids
}

// ByteName is how a vocabulary with byte fallback writes a byte: <0xFF>.
func ByteName(b byte) string { return fmt.Sprintf("<0x%02X>", b) }

// ByteOf reads what ByteName writes.
func ByteOf(token string) (byte, bool) {
	if len(token) != 6 || token[:3] != "<0x" || token[5] != '>' {
		return 0, false
	}
	v, err := strconv.ParseUint(token[3:5], 16, 8)
	return byte(v), err == nil
}
