package spm

import (
	"strings"
	"unicode/utf8"

	"infnet/backends/runtime/pieces"
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

// normalize escapes blanks. User-defined symbols are kept unchanged.
func (m *Model) normalize(text string) string {
	return strings.ReplaceAll(pieces.ValidUTF8(text), " ", space)
}

// appendWord appends the ids of a stretch of normalised text that no piece
// reaches into or out of.
func (m *Model) appendWord(ids []int32, word string) []int32 {
	if !m.splits {
		return m.merge(ids, word)
	}
	return append(ids, m.memo.Of(word, func() []int32 { return m.merge(nil, word) })...)
}

// merge appends the ids of text: it merges the neighbours whose union is the piece of the best score first.
func (m *Model) merge(ids []int32, text string) []int32 {
	w := pieces.Begin()
	defer w.End()
	for i := 0; i < len(text); {
		n := m.user.prefix(text[i:])
		frozen := n > 0
		if n == 0 {
			_, n = utf8.DecodeRuneInString(text[i:])
		}
		w.Add(pieces.Piece{Begin: i, End: i + n, Frozen: frozen})
		i += n
	}
	var parts map[string]int // of unused pieces met: length of their left half
	w.Merge(func(l, r *pieces.Piece) (pieces.Union, bool) {
		id, ok := m.match[text[l.Begin:r.End]]
		if !ok {
			return pieces.Union{}, false
		}
		return pieces.Union{Rank: -float64(m.pieces[id].score), ID: id}, true
	}, func(l *pieces.Piece, u pieces.Union) {
		if p := m.pieces[u.ID]; p.kind == unused {
			if parts == nil {
				parts = map[string]int{}
			}
			parts[p.text] = l.End - l.Begin
		}
	}, func(p *pieces.Piece) { ids = m.emit(ids, text[p.Begin:p.End], parts) })
	return ids
}

// emit appends the ids of one final symbol: its piece, the halves of an
// unused piece, or bytes.
func (m *Model) emit(ids []int32, text string, parts map[string]int) []int32 {
	id, ok := m.reserved[text]
	if !ok {
		id, ok = m.match[text]
	}
	if !ok {
		id = m.unknown
	}
	if half, split := parts[text]; split && m.pieces[id].kind == unused {
		return m.emit(m.emit(ids, text[:half], parts), text[half:], parts)
	}
	if id != m.unknown {
		return append(ids, id)
	}
	for i := range len(text) {
		ids = append(ids, m.bytes[text[i]])
	}
	return ids
}

// Continue returns the text of ids that continue other text: control pieces vanish, and runs of byte pieces are read as
// UTF-8 with U+FFFD for what is not. Ids out of range are skipped.
func (m *Model) Continue(ids []int32) string { return strings.Join(m.Pieces(ids), "") }

// Pieces returns what each id adds to the text; joined they are Continue(ids).
// A character of several byte pieces belongs to the last of them.
func (m *Model) Pieces(ids []int32) []string {
	out := make([]string, len(ids))
	var pending []byte
	last := 0 // the latest byte piece
	for i, id := range ids {
		if id < 0 || int(id) >= len(m.pieces) {
			continue
		}
		p := m.pieces[id]
		if p.kind != byteValue {
			out[last] += strings.Repeat("\uFFFD", len(pending)) // incomplete: one per byte
			pending = pending[:0]
			switch p.kind {
			case control:
			case unknown:
				out[i] = " \u2047 "
			default:
				out[i] = strings.ReplaceAll(p.text, space, " ")
			}
			continue
		}
		b, _ := pieces.ByteOf(p.text)
		pending, last = append(pending, b), i
		for len(pending) > 0 && utf8.FullRune(pending) {
			r, n := utf8.DecodeRune(pending)
			out[i] += string(r)
			pending = pending[n:]
		}
	}
	if len(ids) > 0 {
		out[last] += strings.Repeat("\uFFFD", len(pending))
	}
	return out
}

// Text returns a readable form of one piece: blanks as blanks, control and byte pieces by name.
func (m *Model) Text(id int32) string {
	if id < 0 || int(id) >= len(m.pieces) {
		return ""
	}
	return strings.ReplaceAll(m.pieces[id].text, space, " ")
}
