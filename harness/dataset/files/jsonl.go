package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"infnet/harness/dataset"
)

// jsonl reads one JSON object a line. Blank lines are no rows. Numbers keep
// their spelling: 1.50 stays 1.50.
type jsonl struct {
	path string
	io.Closer
	in   *lines
	n    int // rows so far
	keys keys
}

func openJSONL(path string, c io.Closer, in io.Reader, max int) *jsonl {
	return &jsonl{path: path, Closer: c, in: newLines(in, max)}
}

func (j *jsonl) columns() []string { return nil }

func (j *jsonl) next() (row, error) {
	line, err := j.line()
	if err != nil {
		return row{}, err
	}
	values, fault := parseObject(line, &j.keys)
	if fault != nil {
		return row{}, &dataset.RowError{File: j.path, Row: j.n, Line: j.in.n, Reason: fault.reason, Fix: fault.fix}
	}
	return row{n: j.n, line: j.in.n, values: values}, nil
}

// line reads the next line that is a row, valid until the one after it.
func (j *jsonl) line() ([]byte, error) {
	for {
		line, err := j.in.next()
		switch {
		case errors.Is(err, errTooLong):
			j.n++
			return nil, tooLong(j.path, j.n, j.in.n, j.in.max)
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		case err != nil:
			return nil, broken(j.path, j.n, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		j.n++
		return line, nil
	}
}

// parseObject reads one line.
func parseObject(line []byte, k *keys) (map[string]any, *fieldError) {
	if values, ok := readObject(line, k); ok {
		return values, nil
	}
	return inspectObject(line)
}

// inspectObject reads a line that is not plain, and says what is wrong with it.
func inspectObject(line []byte) (map[string]any, *fieldError) {
	if !utf8.Valid(line) {
		return nil, &fieldError{reason: "is not valid UTF-8", fix: "convert the file to UTF-8"}
	}
	if loneSurrogate(line) {
		return nil, &fieldError{reason: `has half a surrogate pair (\ud800 to \udfff alone), which is no character`,
			fix: "write the file again from the original text"}
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, &fieldError{reason: "the JSON object breaks off",
				fix: "the row may have been cut short, or run over several lines: write one object a line"}
		}
		return nil, &fieldError{reason: fmt.Sprintf("is not JSON: %v", err), fix: "write one object a line"}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, &fieldError{reason: "goes on after its JSON object", fix: "write one object a line"}
	}
	m, ok := v.(map[string]any)
	if !ok {
		fault := &fieldError{reason: "is JSON, but " + kindOf(v) + ", not an object", fix: `write rows as {"text": "…"}`}
		if _, list := v.([]any); list {
			fault.fix = "if the file is one array of objects, split it: jq -c '.[]' file.json > file.jsonl"
		}
		return nil, fault
	}
	if members(m) < colons(line) {
		return nil, &fieldError{reason: "has a key twice in one object, so it says two things", fix: "write each key once"}
	}
	return m, nil
}

// members counts the members of all objects in a value.
func members(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		n = len(v)
		for _, e := range v {
			n += members(e)
		}
	case []any:
		for _, e := range v {
			n += members(e)
		}
	}
	return n
}

// colons counts the colons outside texts in a line of JSON: one a member, with
// repeated members.
func colons(line []byte) int {
	n, text := 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case c == ':' && !text:
			n++
		}
	}
	return n
}

// loneSurrogate reports whether a \u escape in the line names half of a
// surrogate pair without the other half: encoding/json would replace it.
func loneSurrogate(line []byte) bool {
	for i := 0; i+1 < len(line); i++ {
		if line[i] != '\\' {
			continue
		}
		u, ok := escape(line[i:])
		if !ok {
			i++ // the escaped character
			continue
		}
		switch {
		case u >= 0xd800 && u < 0xdc00:
			low, ok := escape(line[i+6:])
			if !ok || low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 11
		case u >= 0xdc00 && u <= 0xdfff:
			return true
		default:
			i += 5
		}
	}
	return false
}

// escape reads \u and four hexadecimal digits at the beginning of b.
func escape(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
