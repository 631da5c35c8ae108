package files

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/choice"
	"infnet/harness/dataset"
)

// path is a parsed column path.
type path struct {
	text  string
	steps dataset.Path
}

// parsePath reads a column path and keeps its text.
func parsePath(s string) (path, error) {
	steps, err := dataset.ParsePath(s)
	return path{text: s, steps: steps}, err
}

// get returns the value that p leads to. A null on the way is a null.
func (p path) get(r Row) (any, *fieldError) {
	if v, ok := r.Values[p.text]; ok {
		return v, nil
	}
	return p.walk(any(r.Values), p.steps)
}

func (p path) walk(v any, steps dataset.Path) (any, *fieldError) {
	if len(steps) == 0 || v == nil {
		return v, nil
	}
	s := steps[0]
	switch v := v.(type) {
	case map[string]any:
		if !s.IsKey {
			return nil, p.fault("is an object, which has no element [%d]: name a key, one of %s", s.Index,
				quoted(slices.Sorted(maps.Keys(v))))
		}
		next, ok := v[s.Key]
		if !ok {
			return nil, &fieldError{column: p.text, reason: fmt.Sprintf("no %q here", s.Key),
				fix: suggest(s.Key, slices.Sorted(maps.Keys(v)))}
		}
		return p.walk(next, steps[1:])
	case []any:
		if !s.IsKey {
			if s.Index >= len(v) {
				return nil, p.fault("has %d elements, none at [%d]", len(v), s.Index)
			}
			return p.walk(v[s.Index], steps[1:])
		}
		out := make([]any, len(v)) // a key of every element
		for i, x := range v {
			next, fault := p.walk(x, steps[:1])
			if fault != nil {
				return nil, fault
			}
			out[i] = next
		}
		return p.walk(out, steps[1:])
	}
	if s.IsKey {
		return nil, p.fault("is %s, which has no %q", kindOf(v), s.Key)
	}
	return nil, p.fault("is %s, which has no element [%d]", kindOf(v), s.Index)
}

func (p path) fault(format string, args ...any) *fieldError {
	return &fieldError{column: p.text, reason: fmt.Sprintf(format, args...)}
}

// kindOf names the kind of a value with its article.
func kindOf(v any) string {
	switch v := v.(type) {
	case unread:
		return string(v)
	case nil:
		return "null"
	case string:
		return "a text"
	case bool:
		return "a truth value"
	case json.Number, int64, uint64, float32, float64:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("a value of type %T", v)
}

// suggest is the fix of a name that does not exist.
func suggest(name string, have []string) string {
	if len(have) == 0 {
		return "there are no columns"
	}
	fix := "there are " + quoted(have)
	if n := choice.Nearest(name, have); n != "" {
		fix = fmt.Sprintf("did you mean %q? %s", n, fix)
	}
	return fix
}

// quoted lists names, at most 20 of them.
func quoted(names []string) string {
	const most = 20
	var b strings.Builder
	for i, n := range names {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(names)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(n))
	}
	return b.String()
}
