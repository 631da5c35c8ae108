package spec

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// span is where something stands in a file.
type span struct {
	line, column int // from 1; columns in characters
	width        int // characters, 0 where it is not known
}

// index knows where every key and value of one file stands. The decoder gives
// no position for an unknown key or for a value found bad later, so the file
// is parsed a second time for the places alone. Keys are paths such as
// datasets[0].labels[1].word.
type index struct {
	lines  []string
	starts []int // byte offset of each line
	keys   map[string]unstable.Range
	values map[string]unstable.Range
	raw    map[string]string // numbers as they were written
	count  map[string]int    // elements of every array of tables so far
	parser unstable.Parser
	fault  *Problem // what makes the file no spec: nesting, or a key of absurd length
}

// No spec comes near these. They bound the work that a hostile file can ask.
const (
	deepest    = 16  // tables and lists within each other
	longestKey = 100 // bytes
)

// newIndex parses a file for positions. The problem is nil unless the file is
// no TOML.
func newIndex(file string, data []byte) (*index, *Problem) {
	x := &index{
		lines: strings.Split(string(data), "\n"),
		keys:  map[string]unstable.Range{}, values: map[string]unstable.Range{}, raw: map[string]string{}, count: map[string]int{},
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
		x.fault.File = file
		return x, x.fault
	}
	if err := x.parser.Error(); err != nil {
		return x, x.syntax(file, err)
	}
	return x, nil
}

// syntax turns the parser's error into a problem.
func (x *index) syntax(file string, err error) *Problem {
	p := &Problem{File: file, Line: len(x.lines), Message: "not valid TOML: " + err.Error()}
	var pe *unstable.ParserError
	if errors.As(err, &pe) {
		at := x.span(x.parser.Range(pe.Highlight))
		p.Line, p.Column, p.width = at.line, at.column, at.width
		p.Message = "not valid TOML: " + strings.TrimPrefix(pe.Message, "toml: ")
	}
	x.show(p)
	return p
}

// show gives a mistake of syntax its line. Where that holds a secret, the
// parser's words are left out: they may repeat it.
func (x *index) show(p *Problem) {
	p.source = x.line(p.Line)
	if p.Line > 0 && p.Line <= len(x.lines) && p.source != strings.TrimRight(x.lines[p.Line-1], "\r") {
		p.Message = "not valid TOML"
	}
}

// header registers [a.b] or [[a.b]] and returns the path of what follows.
func (x *index) header(e *unstable.Node, array bool) string {
	path, depth := "", 0
	for it := e.Key(); it.Next(); depth++ {
		n := it.Node()
		if !x.sane(n, depth) {
			return path
		}
		path = join(path, string(n.Data))
		at := n.Raw
		if it.IsLast() && array {
			x.place(x.keys, path, at)
			i := x.count[path]
			x.count[path]++
			path = element(path, i)
		} else if c := x.count[path]; c > 0 && !it.IsLast() {
			path = element(path, c-1)
		}
		if it.IsLast() {
			x.place(x.keys, path, at)
			x.place(x.values, path, at)
		}
	}
	return path
}

// pair registers key = value, and what is inside the value.
func (x *index) pair(table string, e *unstable.Node, depth int) {
	path := table
	for it := e.Key(); it.Next(); depth++ {
		n := it.Node()
		if !x.sane(n, depth) {
			return
		}
		path = join(path, string(n.Data))
		x.place(x.keys, path, n.Raw)
	}
	x.value(path, e.Value(), depth)
}

func (x *index) value(path string, n *unstable.Node, depth int) {
	switch n.Kind {
	case unstable.Array:
		if at, ok := x.keys[path]; ok {
			x.place(x.values, path, at)
		}
		i := 0
		for it := n.Children(); it.Next(); i++ {
			c := it.Node()
			if !x.sane(c, depth+1) {
				return
			}
			x.value(element(path, i), c, depth+1)
		}
	case unstable.InlineTable:
		x.place(x.values, path, n.Raw)
		for it := n.Children(); it.Next(); {
			if c := it.Node(); c.Kind == unstable.KeyValue {
				x.pair(path, c, depth)
			}
		}
	default:
		x.place(x.values, path, n.Raw)
		if n.Kind == unstable.Float || n.Kind == unstable.Integer {
			x.raw[path] = string(x.parser.Raw(n.Raw))
		}
	}
}

// sane reports whether a key or element is of a size and depth that a spec
// could have, and notes the fault where it is not.
func (x *index) sane(n *unstable.Node, depth int) bool {
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
	x.fault = &Problem{Message: message}
	if n.Raw.Length > 0 {
		at := x.span(n.Raw)
		x.fault.Line, x.fault.Column, x.fault.source = at.line, at.column, x.line(at.line)
	}
	return false
}

// place keeps the first position of a path.
func (x *index) place(m map[string]unstable.Range, path string, at unstable.Range) {
	if _, ok := m[path]; !ok {
		m[path] = at
	}
}

// span turns bytes of the file into a line and its characters. It is worked
// out for what is reported only: a line can be long, and have many values.
func (x *index) span(r unstable.Range) span {
	off := int(r.Offset)
	line := 0
	lo, hi := 0, len(x.starts)
	for lo < hi {
		if mid := (lo + hi) / 2; x.starts[mid] <= off {
			line, lo = mid, mid+1
		} else {
			hi = mid
		}
	}
	text := x.lines[line]
	from := min(off-x.starts[line], len(text))
	to := min(from+int(r.Length), len(text))
	return span{line: line + 1, column: utf8.RuneCountInString(text[:from]) + 1, width: utf8.RuneCountInString(text[from:to])}
}

// key returns where a key stands, else the nearest thing around it.
func (x *index) key(path string) span {
	for p := path; p != ""; p = parent(p) {
		if at, ok := x.keys[p]; ok {
			return x.span(at)
		}
		if at, ok := x.values[p]; ok {
			return x.span(at)
		}
	}
	return span{}
}

// valueAt returns where a value stands, else its key, else what is around it.
func (x *index) valueAt(path string) span {
	if at, ok := x.values[path]; ok {
		return x.span(at)
	}
	return x.key(path)
}

// has reports whether a key was written.
func (x *index) has(path string) bool {
	_, ok := x.keys[path]
	return ok
}

// line returns a line of the file, from 1, without its end, to be shown: what
// looks like a secret is masked.
func (x *index) line(n int) string {
	if n < 1 || n > len(x.lines) {
		return ""
	}
	return masked(strings.TrimRight(x.lines[n-1], "\r"))
}

// join appends a key to a path, quoted where it is no bare key.
func join(path, key string) string {
	if !bare(key) {
		key = fmt.Sprintf("%q", key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func element(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// parent drops the last key or index of a path.
func parent(path string) string {
	quoted := false
	for i := len(path) - 1; i > 0; i-- {
		switch {
		case path[i] == '"' && !escaped(path, i):
			quoted = !quoted
		case !quoted && (path[i] == '.' || path[i] == '['):
			return path[:i]
		}
	}
	return ""
}

// escaped reports whether an odd number of backslashes stands before i.
func escaped(s string, i int) bool {
	n := 0
	for i > n && s[i-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

func bare(key string) bool {
	return key != "" && !strings.ContainsFunc(key, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	})
}

// withoutMark drops a byte order mark.
func withoutMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }
