package bbpe

import (
	"strings"
	"unicode/utf8"

	"infnet/backends/runtime/pieces"
)

type couple struct{ left, right int32 }

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

// appendMerged appends the ids of one word: it merges the couples of the lowest rank first.
func (t *Tokenizer) appendMerged(ids []int32, word string) []int32 {
	if t.direct {
		if id, ok := t.ids[t.spell(word)]; ok {
			return append(ids, id)
		}
	}
	m := t.scratch.Get().(*pieces.Merging)
	defer t.scratch.Put(m)
	m.Begin()
	t.start(m, word)
	m.Merge(func(l, r *pieces.Piece) (pieces.Union, bool) {
		u, ok := t.merges[couple{l.ID, r.ID}]
		return u, ok
	}, nil, func(p *pieces.Piece) { ids = append(ids, p.ID) })
	return ids
}

func (t *Tokenizer) start(m *pieces.Merging, word string) {
	add := func(id int32) { m.Add(pieces.Piece{ID: id}) }
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
}

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
