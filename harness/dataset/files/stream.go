package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"infnet/harness/dataset"
)

// EachCell passes the rows of a text of cells under a header to fn as they come,
// and reads no further than the row needs. The separator is found as by Separator;
// cells between tabs have no quoting, as in a TSV file. Errors call the text name.
func EachCell(ctx context.Context, name string, in io.Reader, fn func(Row) error) error {
	br := bufio.NewReader(in)
	sep := headSeparator(strings.TrimPrefix(firstLine(br), "\xef\xbb\xbf"))
	var src rows
	var err error
	if sep == '\t' {
		src, err = openTSV(name, io.NopCloser(br), br, DefaultMaxLine)
	} else {
		src, err = openCSV(Options{Path: name, Separator: sep}, io.NopCloser(br), br, DefaultMaxLine)
	}
	if errors.Is(err, dataset.ErrEmpty) {
		return nil
	}
	if err != nil {
		return err
	}
	return drain(ctx, src, func(r Row) error {
		if err := fn(r); err != nil {
			return fmt.Errorf("line %d: %w", r.Line, err)
		}
		return nil
	})
}

// headSeparator is the separator of a header's cells: the first of the usual ones
// outside quotes, a comma where there is none.
func headSeparator(line string) rune {
	quoted := false
	found := map[rune]bool{}
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		}
		if !quoted {
			found[c] = true
		}
	}
	if i := slices.IndexFunc(separators, func(sep rune) bool { return found[sep] }); i >= 0 {
		return separators[i]
	}
	return ','
}
