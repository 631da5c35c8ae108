package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds the memory one damaged file can claim.
const maxLine = 256 << 20

// scan checks every line and indexes it. Only a last line without its newline
// may be incomplete: a write that was cut short.
func (l *log) scan(r *bufio.Reader, want header) error {
	var off int64
	var buf []byte
	for n := 0; ; n++ {
		line, whole, err := readLine(r, buf[:0])
		buf = line
		if err != nil {
			return fmt.Errorf("read %s: %w", l.path, err)
		}
		if len(line) == 0 && !whole {
			return nil
		}
		err = l.accept(n, line, whole, want)
		var foreign *CorruptError
		switch {
		case errors.As(err, &foreign):
			return err
		case err != nil:
			return &CorruptError{Path: l.path, Line: n + 1, Bytes: len(line), Reason: err.Error()}
		case !whole: // the end, even if a writer has gone on since
			l.torn, l.tornLine = int64(len(line)), n+1
			if k, err := lineKey(line); err == nil {
				l.lost = k
			}
			return nil
		}
		off += int64(len(line)) + 1
		l.ends = append(l.ends, off)
	}
}

// accept checks line n and enters it in the index, unless it is torn.
func (l *log) accept(n int, line []byte, whole bool, want header) error {
	if n == 0 {
		return l.acceptHeader(line, whole, want)
	}
	if !whole {
		if last := len(line) - 1; last > 0 && intact(line[:last]) == nil {
			return fmt.Errorf("it ends in the byte %#02x instead of a newline", line[last])
		}
		return nil
	}
	if err := intact(line); err != nil {
		return err
	}
	k, err := lineKey(line)
	if err != nil {
		return err
	}
	l.enter(k, n)
	return nil
}

// acceptHeader refuses files of another program or model, so that opening one for writing never truncates it.
func (l *log) acceptHeader(line []byte, whole bool, want header) error {
	foreign := func(format string, args ...any) error {
		return &CorruptError{Path: l.path, Line: 1, Reason: fmt.Sprintf(format, args...)}
	}
	mark := []byte(`{"infnet":"` + want.Format + `"`)
	if n := min(len(mark), len(line)); !bytes.Equal(line[:n], mark[:n]) {
		return foreign("it is not the header of a file of %s", want.Format)
	}
	if !whole {
		if last := len(line) - 1; last > 0 && intact(line[:last]) == nil {
			return foreign("it ends in the byte %#02x instead of a newline", line[last])
		}
		return nil
	}
	if err := intact(line); err != nil {
		return foreign("%v", err)
	}
	var got header
	if err := json.Unmarshal(line, &got); err != nil {
		return foreign("%v", err)
	}
	if got.Version != version {
		return foreign("format version %d, this program reads version %d", got.Version, version)
	}
	if got.Model != want.Model || got.Dataset != want.Dataset {
		return foreign("it holds %s of model %q revision %q for dataset %q, not of model %q revision %q for dataset %q",
			got.Format, got.Model.ID, got.Model.Revision, got.Dataset, want.Model.ID, want.Model.Revision, want.Dataset)
	}
	return nil
}

// readLine reads one line without its newline into buf; whole is false at the end of the file.
func readLine(r *bufio.Reader, buf []byte) (line []byte, whole bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		buf = append(buf, part...)
		switch {
		case err == nil:
			return buf[:len(buf)-1], true, nil
		case errors.Is(err, io.EOF):
			return buf, false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return buf, false, err
		case len(buf) > maxLine:
			return buf, false, fmt.Errorf("a line is longer than %d bytes", maxLine)
		}
	}
}
