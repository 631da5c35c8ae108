package files

import (
	"errors"
	"io"
	"slices"
	"unicode/utf8"

	"infnet/harness/dataset"
)

// readJSONL reads lines of objects. Objects of known columns without nesting are cut here, all others are read as
// everywhere else.
func (t *Table) readJSONL(src *jsonl) error {
	c := jsonCutter{t: t}
	for {
		line, err := src.line()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if c.cut(line) {
			c.add()
			continue
		}
		values, fault := parseObject(line, &src.keys)
		if fault != nil {
			return &dataset.RowError{File: src.path, Row: src.n, Line: src.in.n, Reason: fault.reason, Fix: fault.fix}
		}
		t.addRow(row{values: values})
	}
}

// jsonCutter cuts objects into cells.
type jsonCutter struct {
	t       *Table
	members []jsonMember
	before  []*Cells // columns of the members of the row before
}

// jsonMember is a member of an object: a column and its text, or that it is null.
type jsonMember struct {
	column *Cells
	text   []byte
	null   bool
}

// add adds the members as a row.
func (c *jsonCutter) add() {
	c.before = c.before[:0]
	for _, m := range c.members {
		c.before = append(c.before, m.column)
		if m.null {
			m.column.mark(null)
		} else {
			m.column.add(m.text)
		}
	}
	c.t.end()
}

// cut finds the members of an object. It is false for what it does not know, which need not be wrong.
func (c *jsonCutter) cut(line []byte) bool {
	c.members = c.members[:0]
	o := object{in: line}
	if !utf8.Valid(line) || o.space() != '{' {
		return false
	}
	o.at++
	if o.space() == '}' {
		o.at++
		return o.space() == 0 && o.at == len(line)
	}
	for {
		key, ok := jsonText(&o)
		if !ok || o.space() != ':' {
			return false
		}
		o.at++
		m := jsonMember{column: c.known(key)}
		if m.column == nil || slices.ContainsFunc(c.members, func(x jsonMember) bool { return x.column == m.column }) {
			return false
		}
		if m.text, m.null, ok = jsonScalar(&o); !ok {
			return false
		}
		c.members = append(c.members, m)
		switch o.space() {
		case ',':
			o.at++
		case '}':
			o.at++
			o.space()
			return o.at == len(line)
		default:
			return false
		}
	}
}

// known is the column of a key, first that at the same place of the row before.
func (c *jsonCutter) known(key []byte) *Cells {
	if k := len(c.members); k < len(c.before) && c.before[k].Name == string(key) {
		return c.before[k]
	}
	if column := c.t.cells[string(key)]; column != nil && column.plain {
		return column
	}
	return nil
}

// jsonText reads a text.
func jsonText(o *object) ([]byte, bool) {
	if o.space() != '"' {
		return nil, false
	}
	from := o.at + 1
	end := from + plain(o.in[from:])
	if end < len(o.in) && o.in[end] == '"' {
		o.at = end + 1
		return o.in[from:end], true
	}
	s, ok := o.text(nil)
	return []byte(s), ok
}

// jsonScalar reads a text, a number, a truth value or null.
func jsonScalar(o *object) (text []byte, isNull, ok bool) {
	first := o.space()
	from := o.at
	switch first {
	case '"':
		text, ok = jsonText(o)
		return text, false, ok
	case '{', '[':
		return nil, false, false
	case 't':
		ok = o.word("true")
	case 'f':
		ok = o.word("false")
	case 'n':
		return nil, true, o.word("null")
	default:
		text, ok = o.number()
		return text, false, ok
	}
	return o.in[from:o.at], false, ok
}
