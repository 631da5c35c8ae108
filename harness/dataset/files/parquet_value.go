package files

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"infnet/backends/runtime/number"
)

// parquetTree puts the values of a row together by the schema of the file (Melnik et al., Dremel, 2010): a repetition
// level says in which list a value begins an element, a definition level how far down a value is there.
type parquetTree struct {
	root   *parquet.Column
	halves map[int]bool // the leaves of 16-bit floats, of which the library drops the name
}

// newParquetTree reads the schema of a file.
func newParquetTree(f *parquet.File) parquetTree {
	t := parquetTree{root: f.Root(), halves: map[int]bool{}}
	leaf := 0
	for _, e := range f.Metadata().Schema {
		if e.NumChildren.Valid && e.NumChildren.V > 0 {
			continue
		}
		if _, ok := e.LogicalType.Value.(*format.Float16Type); ok {
			t.halves[leaf] = true
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
		if len(c.Columns()) != 1 || !inner.Repeated() || len(inner.Columns()) != 2 {
			break
		}
		out := map[string]any{}
		for _, x := range t.value(inner, of).([]any) {
			pair := x.(map[string]any)
			out[fmt.Sprint(pair[inner.Columns()[0].Name()])] = pair[inner.Columns()[1].Name()]
		}
		return out
	}
	return t.object(c, of)
}

// leaf is one value in the types that Row lists. Bytes become text where they can be: a column that no logical type
// calls text may hold anything, and what is no text in it stays unread, with the column's type.
func (t parquetTree) leaf(c *parquet.Column, v parquet.Value) any {
	var kind format.LogicalTypeValue
	if l := c.Type().LogicalType(); l != nil {
		kind = l.Value
	}
	switch v.Kind() {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.Int32:
		return whole(kind, int64(v.Int32()))
	case parquet.Int64:
		return whole(kind, v.Int64())
	case parquet.Int96:
		return int96(v.Int96())
	case parquet.Float:
		return v.Float()
	case parquet.Double:
		return v.Double()
	}
	b := v.ByteArray()
	if len(b) == 2 && t.halves[c.Index()] {
		return number.Float16.Widen(binary.LittleEndian.Uint16(b))
	}
	text, ok := spelled(kind, b)
	if !ok {
		return unread(fmt.Sprintf("%d bytes of the Parquet type %s", len(b), c.Type()))
	}
	return text
}

// spelled gives bytes as their logical type spells them; false where they are no text.
func spelled(kind format.LogicalTypeValue, b []byte) (any, bool) {
	switch t := kind.(type) {
	case nil:
		return string(b), isText(string(b))
	case *format.StringType, *format.EnumType:
		return string(b), true
	case *format.DecimalType:
		n := new(big.Int).SetBytes(b)
		if len(b) > 0 && b[0] > 127 { // two's complement
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		return decimal(n, int(t.Scale)), true
	case *format.UUIDType:
		if len(b) == 16 {
			return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), true
		}
	case *format.JsonType:
		d := json.NewDecoder(strings.NewReader(string(b)))
		d.UseNumber()
		var x any
		if json.Valid(b) && d.Decode(&x) == nil {
			return x, true
		}
		return string(b), true
	}
	return nil, false
}

// whole gives an integer as its logical type spells it.
func whole(kind format.LogicalTypeValue, n int64) any {
	switch t := kind.(type) {
	case *format.IntType:
		if !t.IsSigned {
			return uint64(n) & (1<<t.BitWidth - 1)
		}
	case *format.DecimalType:
		return decimal(big.NewInt(n), int(t.Scale))
	case *format.DateType:
		return time.Unix(0, 0).UTC().AddDate(0, 0, int(n)).Format(time.DateOnly)
	case *format.TimeType:
		if t.Unit.Value != nil {
			return time.Unix(0, 0).UTC().Add(time.Duration(n) * t.Unit.Value.Duration()).Format("15:04:05.999999999")
		}
	case *format.TimestampType:
		if t.Unit.Value != nil {
			unit := int64(t.Unit.Value.Duration())
			per := int64(time.Second) / unit
			at := time.Unix(n/per, n%per*unit).UTC()
			if t.IsAdjustedToUTC {
				return at.Format(time.RFC3339Nano)
			}
			return at.Format("2006-01-02T15:04:05.999999999")
		}
	}
	return n
}

// int96 spells the deprecated timestamp: nanoseconds of a day, and the day by
// its Julian number, where 2440588 is 1970-01-01. It knows no time zone.
func int96(v deprecated.Int96) string {
	day := int64(v[2]) - 2440588
	nanos := int64(v[1])<<32 | int64(v[0])
	return time.Unix(day*86400, 0).UTC().Add(time.Duration(nanos)).Format("2006-01-02T15:04:05.999999999")
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

// decimal writes n·10^−scale with all its digits.
func decimal(n *big.Int, scale int) string {
	den := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(0, scale))), nil)
	return new(big.Rat).SetFrac(n, den).FloatString(max(0, scale))
}
