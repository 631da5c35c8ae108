package files

import (
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// parquetTree puts the values of a row together by the schema of the file (Melnik et al., Dremel, 2010): a repetition
// level says in which list a value begins an element, a definition level how far down a value is there.
type parquetTree struct {
	root *parquet.Column
	odd  map[int]string // leaves of types that are not read, by their names
}

// newParquetTree reads the schema of a file: text, truth values, numbers, lists and objects. The names of leaves'
// types are the file's, as the library drops one.
func newParquetTree(f *parquet.File) parquetTree {
	t := parquetTree{root: f.Root(), odd: map[int]string{}}
	leaf := 0
	for _, e := range f.Metadata().Schema {
		if e.NumChildren.Valid && e.NumChildren.V > 0 {
			continue
		}
		switch e.LogicalType.Value.(type) {
		case nil, *format.StringType, *format.EnumType, *format.JsonType, *format.IntType, *format.NullType:
		default:
			t.odd[leaf] = e.LogicalType.String()
		}
		leaf++
	}
	return t
}

// row puts a row together.
func (t parquetTree) row(r parquet.Row) map[string]any {
	var leaves leaves
	r.Range(func(_ int, values []parquet.Value) bool {
		leaves = append(leaves, values)
		return true
	})
	return t.object(t.root, leaves)
}

// leaves are the values of a row, or of a part of it, by leaf of the schema.
type leaves [][]parquet.Value

// span are the leaves below a column.
func span(c *parquet.Column) (from, to int) {
	if c.Leaf() {
		return c.Index(), c.Index() + 1
	}
	from, _ = span(c.Columns()[0])
	_, to = span(c.Columns()[len(c.Columns())-1])
	return from, to
}

// object is a group of columns.
func (t parquetTree) object(c *parquet.Column, of leaves) map[string]any {
	out := make(map[string]any, len(c.Columns()))
	for _, column := range c.Columns() {
		out[column.Name()] = t.value(column, of)
	}
	return out
}

// value is a column in a row, an object or an element: nil for a null, a list where it is repeated.
func (t parquetTree) value(c *parquet.Column, of leaves) any {
	first, _ := span(c)
	there := of[first][0].DefinitionLevel() >= c.MaxDefinitionLevel()
	switch {
	case c.Repeated() && !there:
		return []any{}
	case c.Repeated():
		out := []any{}
		for _, part := range of.elements(c) {
			out = append(out, t.one(c, part))
		}
		return out
	case !there:
		return nil
	}
	return t.one(c, of)
}

// elements are the parts of a repeated column.
func (l leaves) elements(c *parquet.Column) (out []leaves) {
	from, to := span(c)
	for k := from; k < to; k++ {
		part, values := -1, l[k]
		for i, v := range values {
			if v.RepetitionLevel() <= c.MaxRepetitionLevel() {
				if part++; part == len(out) {
					out = append(out, make(leaves, len(l)))
				}
				out[part][k] = values[i:i]
			}
			out[part][k] = out[part][k][:len(out[part][k])+1]
		}
	}
	return out
}

// one is a column that is there, once.
func (t parquetTree) one(c *parquet.Column, of leaves) any {
	if c.Leaf() {
		return t.leaf(c, of[c.Index()][0])
	}
	var kind format.LogicalTypeValue
	if l := c.Type().LogicalType(); l != nil {
		kind = l.Value
	}
	inner := c.Columns()[0]
	switch kind.(type) {
	case *format.ListType:
		if len(c.Columns()) != 1 || !inner.Repeated() {
			break
		}
		list := t.value(inner, of).([]any)
		// by the format's rules for older files, its repeated group is an element, or an object around one
		if len(inner.Columns()) == 1 && inner.Name() != "array" && inner.Name() != c.Name()+"_tuple" {
			for i, x := range list {
				list[i] = x.(map[string]any)[inner.Columns()[0].Name()]
			}
		}
		return list
	case *format.MapType:
		return unread("a Parquet map")
	}
	return t.object(c, of)
}

// leaf is one value in the types that Row lists. Bytes become text where they can be: a column that no logical type
// calls text may hold anything. What is not read stays so, with the column's type.
func (t parquetTree) leaf(c *parquet.Column, v parquet.Value) any {
	odd, is := t.odd[c.Index()]
	switch kind := v.Kind(); {
	case is:
	case kind == parquet.Boolean:
		return v.Boolean()
	case kind == parquet.Int32:
		return whole(c, int64(v.Int32()))
	case kind == parquet.Int64:
		return whole(c, v.Int64())
	case kind == parquet.Float:
		return v.Float()
	case kind == parquet.Double:
		return v.Double()
	case kind == parquet.ByteArray || kind == parquet.FixedLenByteArray:
		if text := string(v.ByteArray()); c.Type().LogicalType() != nil || isText(text) {
			return text
		}
	}
	if !is {
		odd = c.Type().String()
	}
	return unread("a Parquet value of type " + odd)
}

// whole gives an integer of its logical type.
func whole(c *parquet.Column, n int64) any {
	if l := c.Type().LogicalType(); l != nil {
		if t, ok := l.Value.(*format.IntType); ok && !t.IsSigned {
			return uint64(n) & (1<<t.BitWidth - 1)
		}
	}
	return n
}

// unread is a value that is no text, no number and nothing made of them: the words say what it is.
type unread string

// isText says that s is UTF-8 without the control characters that no text has.
func isText(s string) bool {
	for _, r := range s {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f {
			return false
		}
	}
	return utf8.ValidString(s)
}
