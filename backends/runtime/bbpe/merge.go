package bbpe

import (
	"container/heap"
	"strings"
	"unicode/utf8"
)

// couple is two neighbouring tokens.
type couple struct{ left, right int32 }

// merge is what a couple becomes, and when: low ranks first.
type merge struct{ rank, id int32 }

// maxMemoWord bounds the words that are remembered.
const maxMemoWord = 48

func (t *Tokenizer) appendWord(ids []int32, word string) []int32 {
	if t.split == nil || len(word) > maxMemoWord {
		return t.appendMerged(ids, word)
	}
	if known, ok := t.memo.Get(word); ok {
		return append(ids, known...)
	}
	fresh := t.appendMerged(nil, word)
	t.memo.Put(strings.Clone(word), fresh)
	return append(ids, fresh...)
}

// node is a token in the linked list of a word's tokens; dead when it was
// merged into its left neighbour.
type node struct {
	id         int32
	prev, next int
	dead       bool
}

// candidate is a possible merge of the node at left with the next one.
type candidate struct {
	merge
	left int
}

type agenda []candidate

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].rank < a[j].rank || a[i].rank == a[j].rank && a[i].left < a[j].left
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(candidate)) }
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// merging is the scratch of one word.
type merging struct {
	nodes  []node
	agenda agenda
}

// appendMerged appends the ids of one word: it merges, again and again, the
// couple of the lowest rank, the leftmost of equals.
func (t *Tokenizer) appendMerged(ids []int32, word string) []int32 {
	if t.direct {
		if id, ok := t.ids[t.spell(word)]; ok {
			return append(ids, id)
		}
	}
	m := t.scratch.Get().(*merging)
	defer t.scratch.Put(m)
	m.nodes, m.agenda = m.nodes[:0], m.agenda[:0]
	t.start(m, word)
	for i := range len(m.nodes) - 1 {
		t.offer(m, i)
	}
	for len(m.agenda) > 0 {
		c := heap.Pop(&m.agenda).(candidate)
		l := &m.nodes[c.left]
		if l.dead || l.next < 0 {
			continue
		}
		r := &m.nodes[l.next]
		// What the candidate was made of may have changed since; it counts as
		// long as what it would become has not.
		if now, ok := t.merges[couple{l.id, r.id}]; !ok || now.id != c.id {
			continue
		}
		l.id, r.dead, l.next = c.id, true, r.next
		if l.next >= 0 {
			m.nodes[l.next].prev = c.left
		}
		t.offer(m, l.prev)
		t.offer(m, c.left)
	}
	for i := 0; i >= 0 && i < len(m.nodes); i = m.nodes[i].next {
		ids = append(ids, m.nodes[i].id)
	}
	return ids
}

// start fills in the word's smallest tokens.
func (t *Tokenizer) start(m *merging, word string) {
	add := func(id int32) {
		m.nodes = append(m.nodes, node{id: id, prev: len(m.nodes) - 1, next: len(m.nodes) + 1})
	}
	if t.unit == bytesAsRunes {
		for i := range len(word) {
			add(t.symbols[word[i]])
		}
	} else {
		for i, r := range word {
			n := utf8.RuneLen(r)
			if id, ok := t.ids[word[i:i+n]]; ok {
				add(id)
				continue
			}
			for j := range n {
				add(t.symbols[word[i+j]])
			}
		}
	}
	if n := len(m.nodes); n > 0 {
		m.nodes[n-1].next = -1
	}
}

// offer puts a node and its right neighbour on the agenda if they merge.
func (t *Tokenizer) offer(m *merging, left int) {
	if left < 0 || m.nodes[left].next < 0 {
		return
	}
	l := m.nodes[left]
	if found, ok := t.merges[couple{l.id, m.nodes[l.next].id}]; ok {
		heap.Push(&m.agenda, candidate{found, left})
	}
}

// spell writes a word as the vocabulary spells it.
func (t *Tokenizer) spell(word string) string {
	if t.unit != bytesAsRunes {
		return word
	}
	var b strings.Builder
	for i := range len(word) {
		b.WriteRune(runeOf[word[i]])
	}
	return b.String()
}
