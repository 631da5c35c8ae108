package place

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"

	"infnet/harness/choice"
)

// Span is a stretch of one line of a file; the zero Span is the whole file.
type Span struct {
	Line, Column int // from 1; columns in characters
	Width        int // in characters; 0 = unknown
}

// Text is the TOML text of one file, with the position of every key and
// value. Decoders give no position for an unknown key, nor for a value that a
// later check finds wrong, so the file is parsed a second time for positions
// alone. Keys are paths such as datasets[0].labels[1].word.
type Text struct {
	file   string
	lines  []string
	starts []int // byte offset of each line
	keys   map[string]unstable.Range
	values map[string]unstable.Range
	raw    map[string]string // numbers as they were written
	count  map[string]int    // elements of every array of tables so far
	parser unstable.Parser
	fault  *Problem // nesting, or the length of a key, that no spec has
	shown  struct { // the line that was masked last: one line may have thousands of problems
		n    int
		text string
	}
}

// Limits far above any real spec. They bound the work that a hostile file can cause.
const (
	deepest    = 16  // tables and lists within each other
	longestKey = 100 // bytes
)

// Read finds the positions of a file's keys and values. The problem is nil
// unless the file is no TOML.
func Read(file string, data []byte) (*Text, *Problem) {
	x := &Text{
		file: file, lines: strings.Split(string(data), "\n"),
		keys: map[string]unstable.Range{}, values: map[string]unstable.Range{},
		raw: map[string]string{}, count: map[string]int{},
	}
	offset := 0
	for _, line := range x.lines {
		x.starts = append(x.starts, offset)
		offset += len(line) + 1
	}
	table := ""
	x.parser.Reset(data)
	for x.fault == nil && x.parser.NextExpression() {
		switch e := x.parser.Expression(); e.Kind {
		case unstable.Table:
			table = x.header(e, false)
		case unstable.ArrayTable:
			table = x.header(e, true)
		case unstable.KeyValue:
			x.pair(table, e, strings.Count(table, ".")+strings.Count(table, "["))
		}
	}
	if x.fault != nil {
		return x, x.fault
	}
	err := x.parser.Error()
	if err == nil {
		return x, nil
	}
	p := x.Invalid(len(x.lines), err.Error())
	var pe *unstable.ParserError
	if errors.As(err, &pe) {
		at := x.span(x.parser.Range(pe.Highlight))
		p = x.Invalid(at.Line, strings.TrimPrefix(pe.Message, "toml: "))
		p.Column, p.width = at.Column, at.Width
	}
	return x, &p
}

// Invalid is the problem of a line that is no TOML; 0 is the file as a whole.
// Where the line holds a secret, the parser's words are left out: they may
// repeat it.
func (x *Text) Invalid(line int, why string) Problem {
	p := Problem{File: x.file, Line: line, Message: "not valid TOML: " + why, source: x.line(line)}
	if line > 0 && line <= len(x.lines) && p.source != strings.TrimRight(x.lines[line-1], "\r") {
		p.Message = "not valid TOML"
	}
	return p
}

// Problem is a mistake, or a warning, at a place of this text.
func (x *Text) Problem(at Span, key, message, hint string) Problem {
	return Problem{
		File: x.file, Line: at.Line, Column: at.Column, Key: key, Message: message, Hint: hint,
		source: x.line(at.Line), width: at.Width,
	}
}

// header registers [a.b] or [[a.b]] and returns the path of what follows.
func (x *Text) header(e *unstable.Node, array bool) string {
	path, depth := "", 0
	for it := e.Key(); it.Next(); depth++ {
		n := it.Node()
		if !x.sane(n, depth) {
			return path
		}
		path = Join(path, string(n.Data))
		at := n.Raw
		if it.IsLast() && array {
			x.keep(x.keys, path, at)
			i := x.count[path]
			x.count[path]++
			path = Element(path, i)
		} else if c := x.count[path]; c > 0 && !it.IsLast() {
			path = Element(path, c-1)
		}
		if it.IsLast() {
			x.keep(x.keys, path, at)
			x.keep(x.values, path, at)
		}
	}
	return path
}

func (x *Text) pair(table string, e *unstable.Node, depth int) {
	path := table
	for it := e.Key(); it.Next(); depth++ {
		n := it.Node()
		if !x.sane(n, depth) {
			return
		}
		path = Join(path, string(n.Data))
		x.keep(x.keys, path, n.Raw)
	}
	x.value(path, e.Value(), depth)
}

func (x *Text) value(path string, n *unstable.Node, depth int) {
	switch n.Kind {
	case unstable.Array:
		if at, ok := x.keys[path]; ok {
			x.keep(x.values, path, at)
		}
		i := 0
		for it := n.Children(); it.Next(); i++ {
			c := it.Node()
			if !x.sane(c, depth+1) {
				return
			}
			x.value(Element(path, i), c, depth+1)
		}
	case unstable.InlineTable:
		x.keep(x.values, path, n.Raw)
		for it := n.Children(); it.Next(); {
			if c := it.Node(); c.Kind == unstable.KeyValue {
				x.pair(path, c, depth)
			}
		}
	default:
		x.keep(x.values, path, n.Raw)
		if n.Kind == unstable.Float || n.Kind == unstable.Integer {
			x.raw[path] = string(x.parser.Raw(n.Raw))
		}
	}
}

// sane reports whether a key or element is within the limits of size and depth; if not, it records
// the fault.
func (x *Text) sane(n *unstable.Node, depth int) bool {
	message := ""
	switch {
	case x.fault != nil:
		return false
	case depth > deepest:
		message = fmt.Sprintf("nested more than %d levels deep: this is no spec", deepest)
	case n.Kind == unstable.Key && len(n.Data) > longestKey:
		message = fmt.Sprintf("a key of more than %d bytes: this is no spec", longestKey)
	default:
		return true
	}
	x.fault = &Problem{File: x.file, Message: message}
	if n.Raw.Length > 0 {
		at := x.span(n.Raw)
		x.fault.Line, x.fault.Column, x.fault.source = at.Line, at.Column, x.line(at.Line)
	}
	return false
}

func (x *Text) keep(m map[string]unstable.Range, path string, at unstable.Range) {
	if _, ok := m[path]; !ok {
		m[path] = at
	}
}

// span turns bytes of the file into a line and its characters. It is computed
// only for what is reported: a line can be long, and have many values.
func (x *Text) span(r unstable.Range) Span {
	line, found := slices.BinarySearch(x.starts, int(r.Offset))
	if !found {
		line--
	}
	text := x.lines[line]
	from := min(int(r.Offset)-x.starts[line], len(text))
	to := min(from+int(r.Length), len(text))
	return Span{
		Line: line + 1, Column: utf8.RuneCountInString(text[:from]) + 1, Width: utf8.RuneCountInString(text[from:to]),
	}
}

// Key returns the place of a key, else of the nearest thing around it.
func (x *Text) Key(path string) Span {
	for p := path; p != ""; p = Parent(p) {
		if at, ok := x.keys[p]; ok {
			return x.span(at)
		}
		if at, ok := x.values[p]; ok {
			return x.span(at)
		}
	}
	return Span{}
}

// Value returns the place of a value, else of its key, else of what is around
// it.
func (x *Text) Value(path string) Span {
	if at, ok := x.values[path]; ok {
		return x.span(at)
	}
	return x.Key(path)
}

// Has reports whether a key was written.
func (x *Text) Has(path string) bool {
	_, ok := x.keys[path]
	return ok
}

// Number returns a number as it was written, digit by digit; "" where there is
// none.
func (x *Text) Number(path string) string { return x.raw[path] }

// line returns a line of the file, from 1, without its end. It will be shown,
// so whatever looks like a secret is masked.
func (x *Text) line(n int) string {
	if n < 1 || n > len(x.lines) {
		return ""
	}
	if x.shown.n != n {
		x.shown.n, x.shown.text = n, masked(strings.TrimRight(x.lines[n-1], "\r"))
	}
	return x.shown.text
}

// Join appends a key to a path, quoted where it is no bare key.
func Join(path, key string) string {
	if !bare.MatchString(key) {
		key = fmt.Sprintf("%q", key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// Element appends an index to a path.
func Element(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// Parent drops the last key or index of a path.
func Parent(path string) string {
	quoted := false
	for i := len(path) - 1; i > 0; i-- {
		switch {
		case path[i] == '"' && (i-len(strings.TrimRight(path[:i], `\`)))%2 == 0: // it is not escaped
			quoted = !quoted
		case !quoted && (path[i] == '.' || path[i] == '['):
			return path[:i]
		}
	}
	return ""
}

// bare is a key that needs no quotes.
var bare = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// Suggest is the hint for an invalid name: the nearest valid one, or all of them if none is near.
func Suggest(name string, valid []string) string {
	if n := choice.Nearest(name, valid); n != "" {
		if strings.EqualFold(n, name) {
			return fmt.Sprintf("did you mean %q? upper and lower case differ", n)
		}
		return fmt.Sprintf("did you mean %q?", n)
	}
	return "want one of " + strings.Join(valid, ", ")
}
