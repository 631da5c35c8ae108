package files

import "strings"

// Cells are the cells of one column as text. Of the first few different texts each is held once.
type Cells struct {
	Name  string
	texts []string
	kinds []uint8           // absent, null, nested or written, by cell
	words map[string]string // the different texts, while they are few
}

// fewWords is how many different texts of a column are held once.
const fewWords = 1 << 12

// What a cell is.
const (
	absent  = iota // the row has no such column
	null           // the row says that there is no value
	nested         // a list or an object, which the table holds apart
	written        // a text
)

// add adds a text.
func (c *Cells) add(text string) {
	held, ok := "", false
	if c.few() {
		held, ok = c.words[text]
	}
	if !ok {
		held = strings.Clone(text) // and not all of the row that it was read with
		if c.few() {
			c.words[held] = held
		}
	}
	c.texts, c.kinds = append(c.texts, held), append(c.kinds, written)
}

// few reports whether the column has few different texts.
func (c *Cells) few() bool { return len(c.words) < fewWords }

// mark adds a cell that is no text.
func (c *Cells) mark(kind uint8) { c.texts, c.kinds = append(c.texts, ""), append(c.kinds, kind) }

// pad adds rows without the column until there are n.
func (c *Cells) pad(n int) {
	for len(c.kinds) < n {
		c.mark(absent)
	}
}

// Text returns the text of a row; ok is false where the row has none.
func (c *Cells) Text(i int) (text string, ok bool) { return c.texts[i], c.kinds[i] == written }

// Convert turns the texts of a column into values. other gives the text of rows that hold none; its error, or that
// of value, ends the reading: bad is the row, and all before it are converted. The same text is converted
// once where the column holds it once.
func Convert[T any](c *Cells, other func(row int) (string, error), value func(text string) (T, error)) (out []T,
	bad int, err error) {
	out = make([]T, 0, len(c.texts))
	known := map[string]T{}
	for i, text := range c.texts {
		if c.kinds[i] != written {
			if text, err = other(i); err != nil {
				return out, i, err
			}
		}
		v, ok := known[text]
		if !ok {
			if v, err = value(text); err != nil {
				return out, i, err
			}
		}
		if !ok && c.few() {
			known[text] = v
		}
		out = append(out, v)
	}
	return out, -1, nil
}

// distinct notes the different texts as Peek does; beyond fewWords there may be more. Empty ones count where empty
// is set.
func (c *Cells) distinct(seen map[string]bool, empty bool) {
	for w := range c.words {
		s, fault := text(path{}, w)
		if fault != nil {
			s = "(" + fault.reason + ")"
		}
		if s != "" || empty {
			seen[s] = true
		}
	}
}
