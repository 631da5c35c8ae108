package files

import (
	"fmt"
	"math/big"
	"reflect"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// plain turns a value of the Parquet library into the types that row lists.
// node is the schema's word on the value, nil where there is none: the library
// gives a bare integer for what the schema calls an unsigned number, a
// decimal, a day or a moment. Bytes become text; whether they are text is
// checked where text is wanted.
func plain(node parquet.Node, v any) any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = plain(element(node), x)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = plain(member(node, k), x)
		}
		return out
	}
	if node != nil && node.Leaf() {
		if l := node.Type().LogicalType(); l != nil {
			if out, ok := logical(l.Value, v); ok {
				return out
			}
		}
	}
	switch v := v.(type) {
	case string, bool, int64, uint64, float32, float64:
		return v
	case []byte:
		return string(v)
	}
	return reflected(node, reflect.ValueOf(v))
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
func reflected(node parquet.Node, v reflect.Value) any {
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
		return plain(node, v.Elem().Interface())
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			b := make([]byte, v.Len())
			reflect.Copy(reflect.ValueOf(b), v)
			return string(b)
		}
		out := make([]any, v.Len())
		for i := range out {
			out[i] = plain(element(node), v.Index(i).Interface())
		}
		return out
	case reflect.Map:
		out := make(map[string]any, v.Len())
		for it := v.MapRange(); it.Next(); {
			key := fmt.Sprint(it.Key().Interface())
			out[key] = plain(member(node, key), it.Value().Interface())
		}
		return out
	}
	return fmt.Sprint(v.Interface())
}
