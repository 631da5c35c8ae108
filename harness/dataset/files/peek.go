package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"infnet/harness/dataset"
)

// peekSamples is the number of values a Column shows.
const peekSamples = 5

// Peek reads the first n rows of a file (all if n ≤ 0) and describes the columns
// they have, for writing a first study. The rows hold nil, string, bool,
// json.Number, int64, uint64, float32, float64, []any and map[string]any.
// Columns come in the order of the file where it has one (CSV, TSV, Parquet,
// the keys of a JSONL file's first rows sorted). The cells of a CSV file are
// separated as Separator finds. A bad row is an error.
func Peek(path string, n int) ([]dataset.Column, []map[string]any, error) {
	src, err := open(Options{Path: path, Separator: Separator(path)})
	if err != nil {
		return nil, nil, err
	}
	defer src.Close()
	_, binary := src.(*parquetRows)
	p := peek{columns: map[string]*peeked{}, fromText: src.columns() != nil && !binary}
	var out []map[string]any
	for n <= 0 || len(out) < n {
		r, err := src.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		order := r.order
		if order == nil {
			order = slices.Sorted(maps.Keys(r.values))
		}
		for _, name := range order {
			p.add(name, r.values[name], false)
		}
		out = append(out, r.values)
	}
	if len(out) == 0 {
		return nil, nil, fmt.Errorf("%w: %s has no row", dataset.ErrEmpty, path)
	}
	return p.done(len(out)), out, nil
}

// peek gathers columns.
type peek struct {
	order    []string
	columns  map[string]*peeked
	fromText bool // cells are text: types are read off their spelling
}

type peeked struct {
	dataset.Column
	seen map[string]bool
}

func (p *peek) column(path string) *peeked {
	c, ok := p.columns[path]
	if !ok {
		c = &peeked{Column: dataset.Column{Path: path, Type: dataset.Null}, seen: map[string]bool{}}
		p.columns[path] = c
		p.order = append(p.order, path)
	}
	return c
}

// add notes a value, or the leaves of a nested one. inList says that it is
// part of a list.
func (p *peek) add(path string, v any, inList bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			p.add(path+"."+k, v[k], inList)
		}
		return
	case []any:
		nested := false
		for _, x := range v {
			_, object := x.(map[string]any)
			nested = nested || object
			p.add(path, x, true)
		}
		if !nested { // an empty list shows nothing else
			p.column(path).List = true
		}
		return
	}
	c := p.column(path)
	c.List = c.List || inList
	if v != nil {
		c.note(v, p.fromText)
	}
}

// note adds one value that is not nested.
func (c *peeked) note(v any, fromText bool) {
	s, fault := text(path{}, v)
	if fault != nil {
		s = "(" + fault.reason + ")"
	}
	if s == "" && fromText {
		return
	}
	t := typeOf(v, s, fromText)
	switch {
	case c.Type == dataset.Null || c.Type == t:
		c.Type = t
	case c.Type == dataset.Integer && t == dataset.Number, c.Type == dataset.Number && t == dataset.Integer:
		c.Type = dataset.Number
	case fromText:
		c.Type = dataset.Text
	default:
		c.Type = dataset.Mixed
	}
	c.Values++
	c.Longest = max(c.Longest, len([]rune(s)))
	if !c.seen[s] {
		c.seen[s] = true
		c.Distinct++
		if len(c.Samples) < peekSamples {
			c.Samples = append(c.Samples, s)
		}
	}
}

// typeOf returns the type of a value; s is the value as text.
func typeOf(v any, s string, fromText bool) dataset.ColumnType {
	switch v.(type) {
	case bool:
		return dataset.Boolean
	case int64, uint64:
		return dataset.Integer
	case float32, float64:
		return dataset.Number
	case json.Number:
		if strings.ContainsAny(s, ".eE") {
			return dataset.Number
		}
		return dataset.Integer
	}
	if fromText {
		var x any
		if json.Unmarshal([]byte(strings.ToLower(s)), &x) == nil {
			switch x.(type) {
			case bool:
				return dataset.Boolean
			case float64:
				return typeOf(json.Number(s), s, false)
			}
		}
	}
	return dataset.Text
}

// done counts what is missing and drops objects that were null in some rows:
// their leaves are columns, they are not.
func (p *peek) done(rows int) []dataset.Column {
	var out []dataset.Column
	for _, name := range p.order {
		c := p.columns[name]
		if c.Type == dataset.Null && slices.ContainsFunc(p.order,
			func(o string) bool { return strings.HasPrefix(o, name+".") }) {
			continue
		}
		if !c.List {
			c.Nulls = max(0, rows-c.Values)
		}
		out = append(out, c.Column)
	}
	return out
}
