package files

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

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
