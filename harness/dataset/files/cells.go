package files

import (
	"slices"
	"strings"
)

// Cells are the cells of one column as text. Columns of few different texts hold each of them once.
//
// The rows are cut into blocks. A block holds a number for every cell, which says
// where in words its text is, or the texts one after another.
type Cells struct {
	Name  string
	words []string // by number
	index map[string]uint16
	full  []block
	open  block
	buf   []byte // texts of the open block
	n     int
}

const (
	blockRows  = 1 << 12
	fewWords   = 1 << 12 // a block begun with as many words has the texts themselves
	textsAhead = 64 << 10
)

// The first numbers are not those of texts.
const (
	absent  = iota // the row has no such column
	null           // the row says that there is no value
	nested         // a list or an object, which the table holds apart
	kinds          // how many there are
	written = kinds
)

// block holds up to blockRows cells.
type block struct {
	numbers []uint16 // of every cell; nil = texts
	text    string   // the cells' texts
	ends    []uint32 // where each of them ends
	marks   []uint8  // absent, null, nested or written, by cell; nil = written all
}

func newCells(name string) *Cells {
	c := &Cells{Name: name, words: make([]string, kinds), index: map[string]uint16{}}
	c.begin()
	return c
}

// begin opens a block.
func (c *Cells) begin() {
	if len(c.words) < fewWords {
		c.open = block{numbers: make([]uint16, 0, blockRows)}
		return
	}
	c.open = block{ends: make([]uint32, 0, blockRows)}
	if c.buf == nil {
		c.buf = make([]byte, 0, textsAhead)
	}
}

// seal closes a block that is full.
func (c *Cells) seal() {
	if c.n%blockRows != 0 {
		return
	}
	c.close()
	c.begin()
}

// close adds the open block to the others.
func (c *Cells) close() {
	c.open.text = string(c.buf)
	c.buf = c.buf[:0]
	c.full = append(c.full, c.open)
	c.open = block{}
}

// done ends the column.
func (c *Cells) done() {
	c.close()
	c.index, c.buf = nil, nil
}

// add adds a text.
func (c *Cells) add(text string) {
	if c.open.numbers != nil {
		c.open.numbers = append(c.open.numbers, c.number(text))
	} else {
		c.buf = append(c.buf, text...)
		c.open.ends = append(c.open.ends, uint32(len(c.buf)))
		if c.open.marks != nil {
			c.open.marks = append(c.open.marks, written)
		}
	}
	c.n++
	c.seal()
}

// number is that of a word.
func (c *Cells) number(text string) uint16 {
	k, ok := c.index[text]
	if !ok {
		k = uint16(len(c.words))
		c.words = append(c.words, strings.Clone(text)) // and not all of the row that it was read with
		c.index[c.words[k]] = k
	}
	return k
}

// mark adds a cell that is no text.
func (c *Cells) mark(kind uint8) {
	if c.open.numbers != nil {
		c.open.numbers = append(c.open.numbers, uint16(kind))
	} else {
		if c.open.marks == nil {
			c.open.marks = slices.Grow(slices.Repeat([]uint8{written}, len(c.open.ends)), blockRows-len(c.open.ends))
		}
		c.open.marks = append(c.open.marks, kind)
		c.open.ends = append(c.open.ends, uint32(len(c.buf)))
	}
	c.n++
	c.seal()
}

// pad adds rows without the column until there are n.
func (c *Cells) pad(n int) {
	for c.n < n {
		c.mark(absent)
	}
}

// at returns the text of a row, or that it has none.
func (c *Cells) at(i int) (text string, kind uint8) {
	b := &c.full[i/blockRows]
	i %= blockRows
	if b.numbers != nil {
		k := b.numbers[i]
		return c.words[k], uint8(min(k, written))
	}
	if b.marks != nil && b.marks[i] != written {
		return "", b.marks[i]
	}
	from := uint32(0)
	if i > 0 {
		from = b.ends[i-1]
	}
	return b.text[from:b.ends[i]], written
}

// Text returns the text of a row; ok is false where the row has none.
func (c *Cells) Text(i int) (text string, ok bool) {
	text, kind := c.at(i)
	return text, kind == written
}

// Convert turns the texts of a column into values. other gives the text of rows that hold none; its error, or that
// of value, ends the reading: bad is the row, and all before it are converted. The same text is converted
// once where the column holds it once.
func Convert[T any](c *Cells, other func(row int) (string, error), value func(text string) (T, error)) (out []T,
	bad int, err error) {
	out = make([]T, 0, c.n)
	known, values := make([]bool, len(c.words)), make([]T, len(c.words))
	for i := range c.n {
		var k uint16
		if b := &c.full[i/blockRows]; b.numbers != nil {
			if k = b.numbers[i%blockRows]; known[k] {
				out = append(out, values[k])
				continue
			}
		}
		text, kind := c.at(i)
		if kind != written {
			if text, err = other(i); err != nil {
				return out, i, err
			}
		}
		v, err := value(text)
		if err != nil {
			return out, i, err
		}
		if k >= kinds {
			known[k], values[k] = true, v
		}
		out = append(out, v)
	}
	return out, -1, nil
}

// distinct notes the different texts as Peek does; beyond fewWords there may be more. Empty ones count where empty
// is set.
func (c *Cells) distinct(seen map[string]bool, empty bool) {
	for _, w := range c.words[kinds:] {
		s, fault := text(path{}, w)
		if fault != nil {
			s = "(" + fault.reason + ")"
		}
		if s != "" || empty {
			seen[s] = true
		}
	}
}
