package files

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// EachStreamed passes rows to fn as they come, and reads no further than the row needs: JSON objects, one a line, or
// cells under a header. The separator is found as by Separator; cells between tabs have no quoting, as in a TSV file.
// Errors call the text name. It returns the first line that is not blank, and its number; "" where there is none.
func EachStreamed(ctx context.Context, name string, in io.Reader, fn func(Row) error) (head string, line int,
	err error) {
	br := bufio.NewReader(in)
	blank := 0
	for head = firstLine(br); strings.TrimSpace(head) == ""; head = firstLine(br) {
		switch _, err := br.ReadSlice('\n'); {
		case err == nil:
			blank++
		case errors.Is(err, io.EOF):
			return "", 0, nil
		case !errors.Is(err, bufio.ErrBufferFull): // a long line of blanks goes on
			return "", 0, broken(name, 0, err)
		}
	}
	var src rows
	switch sep := cmp.Or(otherSeparator(head, ','), ','); {
	case strings.HasPrefix(strings.TrimSpace(head), "{"):
		j := openJSONL(name, io.NopCloser(br), br)
		j.in.n = blank
		src = j
	case sep == '\t':
		src, err = openTSV(name, io.NopCloser(br), br)
	default:
		src, err = openCSV(Options{Path: name, Separator: sep}, io.NopCloser(br), br)
	}
	if err != nil {
		return head, blank + 1, err
	}
	return head, blank + 1, drain(ctx, src, func(r Row) error {
		if err := fn(r); err != nil {
			return fmt.Errorf("line %d: %w", r.Line, err)
		}
		return nil
	})
}
