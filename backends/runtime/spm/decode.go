package spm

import (
	"strings"
	"unicode/utf8"

	"infnet/backends/runtime/pieces"
)

// Continue returns the text of ids that continue other text: control pieces vanish, and runs of byte pieces are read as
// UTF-8 with U+FFFD for what is not. Ids out of range are skipped.
func (m *Model) Continue(ids []int32) string {
	var out strings.Builder
	var pending []byte // of byte pieces
	flush := func() {
		for len(pending) > 0 {
			r, n := utf8.DecodeRune(pending)
			out.WriteRune(r)
			pending = pending[n:]
		}
	}
	for _, id := range ids {
		if id < 0 || int(id) >= len(m.pieces) {
			continue
		}
		p := m.pieces[id]
		if p.kind == byteValue {
			b, _ := pieces.ByteOf(p.text)
			pending = append(pending, b)
			continue
		}
		flush()
		text := p.text
		switch p.kind {
		case control:
			text = ""
		case unknown:
			text = m.unkSurface
		default:
			text = strings.ReplaceAll(text, space, " ")
		}
		out.WriteString(text)
	}
	flush()
	return out.String()
}

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
			out[i] = m.Continue(ids[i : i+1])
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
