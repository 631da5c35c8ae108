package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"infnet/harness/dataset"
)

// lines reads lines of bounded length. A byte order mark before the first
// line and a carriage return before a newline are no part of a line.
type lines struct {
	r   *bufio.Reader
	max int
	n   int // lines read so far
}

func newLines(r io.Reader, max int) *lines {
	return &lines{r: bufio.NewReaderSize(r, 64<<10), max: max}
}

// errTooLong is a line longer than the limit; the next call goes on behind it.
var errTooLong = errors.New("line too long")

// next returns the next line without its end, valid until the one after it. io.EOF means there is none.
func (l *lines) next() ([]byte, error) {
	line, err := l.raw()
	if err != nil {
		return nil, err
	}
	line = withoutEnd(line)
	if l.n == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if len(line) > l.max {
		return nil, errTooLong
	}
	return line, nil
}

// raw is next with the line's end.
func (l *lines) raw() ([]byte, error) {
	part, err := l.r.ReadSlice('\n')
	if err == nil && len(part) <= l.max+2 {
		l.n++
		return part, nil
	}
	var buf []byte
	long := false
	for ; ; part, err = l.r.ReadSlice('\n') {
		if !long && len(buf)+len(part) > l.max+2 { // 2: the line's end
			long, buf = true, nil
		}
		if !long {
			buf = append(buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			if len(buf) == 0 && !long {
				return nil, io.EOF
			}
		case err != nil:
			return nil, err
		}
		break
	}
	l.n++
	if long {
		return nil, errTooLong
	}
	return buf, nil
}

// tooLong is the row error of a line over the limit.
func tooLong(path string, n, line, max int) *dataset.RowError {
	return &dataset.RowError{File: path, Row: n, Line: line,
		Reason: fmt.Sprintf("is longer than %d bytes", max),
		Fix:    "check that the file has one row a line, or raise the limit"}
}

// withoutEnd is a line without what ends it. At the end of a file a carriage return alone does.
func withoutEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}
