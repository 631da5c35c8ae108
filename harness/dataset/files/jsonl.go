package files

import (
	"bufio"
	"bytes"
	jsonv1 "encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"infnet/harness/dataset"
)

// openJSONL reads one JSON object a line. Blank lines are no rows. Numbers keep their spelling: 1.50 stays 1.50.
func openJSONL(path string, c io.Closer, in *lines) *source {
	n := 0 // rows so far
	return &source{close: c.Close, next: func() (Row, error) {
		line, err := in.next()
		for err == nil && len(bytes.TrimSpace(line)) == 0 {
			line, err = in.next()
		}
		if err != nil {
			return Row{}, broken(path, n, err)
		}
		n++
		values, fault := parseObject(line)
		if err := in.s.Err(); fault != nil && err != nil { // what came of a line before its stream broke off
			return Row{}, broken(path, n-1, err)
		}
		if fault != nil {
			return Row{}, &dataset.RowError{File: path, Row: n, Line: in.n, Reason: fault.reason, Fix: fault.fix}
		}
		return Row{Number: n, Line: in.n, Values: values}, nil
	}}
}

// numbers keeps the spelling of numbers.
var numbers = json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, v *any) error {
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	n, err := d.ReadValue()
	*v = jsonv1.Number(n)
	return err
}))

// Object reads one JSON object as a line of a file is read: a key twice, half a character and what follows the object
// are refused.
func Object(text []byte) (map[string]any, error) {
	values, fault := parseObject(text)
	if fault != nil {
		return nil, fault.err()
	}
	return values, nil
}

// parseObject reads one line, whose values are string, bool, nil, json.Number, []any and map[string]any.
func parseObject(line []byte) (map[string]any, *fieldError) {
	var values map[string]any
	err := json.Unmarshal(line, &values, numbers)
	switch {
	case err == nil && values != nil:
		return values, nil
	case errors.Is(err, jsontext.ErrDuplicateName):
		return nil, &fieldError{reason: "has a key twice in one object, so it says two things", fix: "write each key once"}
	case err == nil:
		err = errors.New("it is null")
	}
	return nil, &fieldError{reason: fmt.Sprintf("is not JSON of one object: %v", err),
		fix: "write one object a line, in UTF-8 (jq -c '.[]' file.json > file.jsonl makes lines of an array)"}
}

// longestLine is the longest line (JSONL, TSV) or record (CSV), in bytes: less in tests.
var longestLine = 10 << 20

// lines reads lines of bounded length. A byte order mark before the first
// line and a carriage return before a newline are no part of a line.
type lines struct {
	s *bufio.Scanner
	n int // lines read so far
}

func newLines(r io.Reader) *lines {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 64<<10), longestLine+len("\r\n")+1)
	return &lines{s: s}
}

// errTooLong is a line longer than the limit: a quote or a newline may be missing.
var errTooLong = errors.New("line too long")

// next returns the next line without its end, valid until the one after it. io.EOF means there is none.
func (l *lines) next() ([]byte, error) {
	switch {
	case l.s.Scan():
	case errors.Is(l.s.Err(), bufio.ErrTooLong):
		return nil, errTooLong
	case l.s.Err() != nil:
		return nil, l.s.Err()
	default:
		return nil, io.EOF
	}
	line := l.s.Bytes()
	if l.n++; l.n == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if len(line) > longestLine {
		return nil, errTooLong
	}
	return line, nil
}
