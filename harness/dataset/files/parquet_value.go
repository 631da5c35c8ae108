package files

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// halves are the columns of 16-bit floats, by their index among the leaves of
// the schema. The library does not know that type and drops its name.
type halves map[int]bool

func halvesOf(meta *format.FileMetaData) halves {
	h, leaf := halves{}, 0
	for _, e := range meta.Schema {
		if e.NumChildren.Valid && e.NumChildren.V > 0 {
			continue
		}
		if _, ok := e.LogicalType.Value.(*format.Float16Type); ok {
			h[leaf] = true
		}
		leaf++
	}
	return h
}

func (h halves) has(node parquet.Node) bool {
	c, ok := node.(*parquet.Column)
	return ok && h[c.Index()]
}

// plain turns a value of the Parquet library into the types that row lists.
// node is the schema's word on the value, nil where there is none: the library
// gives a bare integer for what the schema calls an unsigned number, a
// decimal, a day or a moment. Bytes become text where they can be: a column
// that no logical type calls text may hold anything, and what is no text in it
// stays bytes, with the column's type (see unread).
func (h halves) plain(node parquet.Node, v any) any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = h.plain(element(node), x)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = h.plain(member(node, k), x)
		}
		return out
	}
	if node != nil && node.Leaf() {
		if b := bytesOf(reflect.ValueOf(v)); len(b) == 2 && h.has(node) {
			return half(binary.LittleEndian.Uint16([]byte(b)))
		}
		if l := node.Type().LogicalType(); l != nil {
			if out, ok := logical(l.Value, v); ok {
				return out
			}
		}
	}
	switch v := v.(type) {
	case deprecated.Int96:
		return int96(v)
	case string:
		return textOf(node, v)
	case bool, int64, uint64, float32, float64:
		return v
	case []byte:
		return textOf(node, string(v))
	}
	return h.reflected(node, reflect.ValueOf(v))
}

// element is the schema of a list's elements: that below the two levels of a
// LIST, or the repeated node itself.
func element(node parquet.Node) parquet.Node {
	if node == nil || node.Leaf() {
		return node
	}
	if l := node.Type().LogicalType(); l != nil {
		if _, ok := l.Value.(*format.ListType); ok {
			if outer := node.Fields(); len(outer) == 1 && !outer[0].Leaf() {
				if inner := outer[0].Fields(); len(inner) == 1 {
					return inner[0]
				}
			}
			return nil
		}
	}
	return node
}

// member is the schema of an object's key, or of the values of a MAP.
func member(node parquet.Node, key string) parquet.Node {
	if node == nil || node.Leaf() {
		return nil
	}
	fields := node.Fields()
	if l := node.Type().LogicalType(); l != nil {
		if _, ok := l.Value.(*format.MapType); ok {
			if len(fields) == 1 && !fields[0].Leaf() && len(fields[0].Fields()) == 2 {
				return fields[0].Fields()[1]
			}
			return nil
		}
	}
	for _, f := range fields {
		if f.Name() == key {
			return f
		}
	}
	return nil
}

// logical gives a value as its logical type spells it.
func logical(t format.LogicalTypeValue, v any) (any, bool) {
	n, isInt := integer(v)
	switch t := t.(type) {
	case *format.IntType:
		if isInt && !t.IsSigned {
			return uint64(n) & (1<<t.BitWidth - 1), true
		}
	case *format.DecimalType:
		if isInt {
			return decimal(big.NewInt(n), int(t.Scale)), true
		}
		switch v := v.(type) {
		case big.Float: // of 192 bits, more than the 38 digits of a decimal need
			return v.Text('f', int(t.Scale)), true
		case *big.Float:
			return v.Text('f', int(t.Scale)), true
		}
	case *format.DateType:
		if isInt {
			return time.Unix(0, 0).UTC().AddDate(0, 0, int(n)).Format(time.DateOnly), true
		}
	case *format.UUIDType:
		if b := bytesOf(reflect.ValueOf(v)); len(b) == 16 {
			return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), true
		}
	case *format.JsonType:
		if b := bytesOf(reflect.ValueOf(v)); json.Valid([]byte(b)) {
			d := json.NewDecoder(strings.NewReader(b))
			d.UseNumber()
			var x any
			if d.Decode(&x) == nil {
				return x, true
			}
		}
	case *format.TimeType:
		if isInt && t.Unit.Value != nil {
			return time.Unix(0, 0).UTC().Add(time.Duration(n) * t.Unit.Value.Duration()).Format("15:04:05.999999999"), true
		}
	case *format.TimestampType:
		if isInt && t.Unit.Value != nil {
			unit := int64(t.Unit.Value.Duration())
			per := int64(time.Second) / unit
			at := time.Unix(n/per, n%per*unit).UTC()
			if t.IsAdjustedToUTC {
				return at.Format(time.RFC3339Nano), true
			}
			return at.Format("2006-01-02T15:04:05.999999999"), true
		}
	}
	return nil, false
}

// int96 spells the deprecated timestamp: nanoseconds of a day, and the day by
// its Julian number, where 2440588 is 1970-01-01. It knows no time zone.
func int96(v deprecated.Int96) string {
	day := int64(v[2]) - 2440588
	nanos := int64(v[1])<<32 | int64(v[0])
	return time.Unix(day*86400, 0).UTC().Add(time.Duration(nanos)).Format("2006-01-02T15:04:05.999999999")
}

// half is an IEEE 754 number of 16 bits: a sign, five bits of exponent above
// 15, ten of fraction.
func half(b uint16) float32 {
	sign, exponent, fraction := float64(1), int(b>>10&31), float64(b&1023)
	if b>>15 == 1 {
		sign = -1
	}
	switch {
	case exponent == 31 && fraction != 0:
		return float32(math.NaN())
	case exponent == 31:
		return float32(math.Inf(int(sign)))
	case exponent == 0:
		return float32(sign * math.Ldexp(fraction, -24))
	}
	return float32(sign * math.Ldexp(1024+fraction, exponent-25))
}

// bytesOf is the content of a slice or an array of bytes, or of a text.
func bytesOf(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.String:
		return v.String()
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		return string(v.Bytes())
	case v.Kind() == reflect.Array && v.Type().Elem().Kind() == reflect.Uint8:
		b := make([]byte, v.Len())
		reflect.Copy(reflect.ValueOf(b), v)
		return string(b)
	}
	return ""
}

// unread is a value that is no text, no number and nothing made of them: the
// words say what it is.
type unread string

// textOf is s where the column is one of text, or of bytes that are text.
func textOf(node parquet.Node, s string) any {
	if node == nil || !node.Leaf() {
		return s
	}
	switch l := node.Type().LogicalType(); {
	case l == nil && isText(s):
		return s
	case l != nil:
		switch l.Value.(type) {
		case *format.StringType, *format.EnumType, *format.JsonType:
			return s
		}
	}
	return unread(fmt.Sprintf("%d bytes of the Parquet type %s", len(s), node.Type()))
}

// isText says that s is UTF-8 without the control characters that no text has.
func isText(s string) bool {
	for _, r := range s {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f {
			return false
		}
	}
	return utf8.ValidString(s)
}

func integer(v any) (int64, bool) {
	if r := reflect.ValueOf(v); r.CanInt() {
		return r.Int(), true
	}
	return 0, false
}

// decimal writes n·10^−scale with all its digits.
func decimal(n *big.Int, scale int) string {
	den := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(0, scale))), nil)
	return new(big.Rat).SetFrac(n, den).FloatString(max(0, scale))
}

// reflected is plain for the types that the library makes by reflection:
// int32, pointers, and maps of a MAP column.
func (h halves) reflected(node parquet.Node, v reflect.Value) any {
	switch {
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return v.Uint()
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return h.plain(node, v.Elem().Interface())
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return textOf(node, bytesOf(v))
		}
		out := make([]any, v.Len())
		for i := range out {
			out[i] = h.plain(element(node), v.Index(i).Interface())
		}
		return out
	case reflect.Map:
		out := make(map[string]any, v.Len())
		for it := v.MapRange(); it.Next(); {
			key := fmt.Sprint(it.Key().Interface())
			out[key] = h.plain(member(node, key), it.Value().Interface())
		}
		return out
	}
	return fmt.Sprint(v.Interface())
}
