package routing

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"infnet/harness/dataset/files"
	"infnet/harness/fault"
	"infnet/harness/outcomes"
)

// longestAnswer bounds a line of answers, in bytes.
const longestAnswer = 10 << 20

// File routes the answers of a file.
func (r *Router) File(ctx context.Context, path string) error {
	o := files.Options{Path: path}
	if sep := files.Separator(path); sep != 0 {
		o.Separator = sep
	}
	err := files.Each(ctx, o, func(row files.Row) error {
		if err := r.answer(row); err != nil {
			return fmt.Errorf("%s, row %d: %w", path, row.Number, err)
		}
		return nil
	})
	return fault.Data.Wrap(err)
}

// Stream routes answers as they come, JSON objects or cells under a header. An error names the
// line; all earlier lines are decided.
func (r *Router) Stream(ctx context.Context, from io.Reader) error {
	in := bufio.NewReader(from)
	blank := 0
	head, err := in.Peek(1)
	for ; err == nil && bytes.ContainsAny(head, " \t\r\n"); head, err = in.Peek(1) {
		if _, err := in.Discard(1); err != nil {
			return err
		}
		if head[0] == '\n' {
			blank++
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	if head[0] == '{' {
		return fault.Data.Wrap(r.lines(ctx, in, blank))
	}
	var header firstLine
	if err := files.EachCell(ctx, "standard input", io.TeeReader(in, &header), r.answer); err != nil || r.recognised {
		return fault.Data.Wrap(err)
	}
	for _, name := range append([]string{r.options.Confidence}, outcomes.Names("confidence")...) {
		if name != "" && strings.Contains(strings.ToLower(header.String()), strings.ToLower(name)) {
			return nil // a table without rows
		}
	}
	return fault.Data.Wrap(fmt.Errorf("line %d: %q is neither a JSON object nor the header of a table with a confidence: "+
		"write one object a line, or a table with a column %s", blank+1, header.String(), "confidence"))
}

// firstLine keeps what is written to it up to the first line break.
type firstLine struct {
	strings.Builder
	whole bool
}

func (l *firstLine) Write(p []byte) (int, error) {
	if line, _, found := bytes.Cut(p, []byte{'\n'}); !l.whole && l.Len() < longestAnswer {
		l.Builder.Write(line)
		l.whole = found
	}
	return len(p), nil
}

// lines routes JSON objects, one a line; the first of them is behind n blank lines.
func (r *Router) lines(ctx context.Context, in io.Reader, n int) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), longestAnswer)
	for lines.Scan() {
		if n++; n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		row, err := parseAnswer(line)
		if err == nil {
			err = r.answer(row)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

// parseAnswer reads one JSON object.
func parseAnswer(line []byte) (files.Row, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var values map[string]any
	if err := d.Decode(&values); err != nil {
		return files.Row{}, fmt.Errorf("it is no JSON object: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return files.Row{}, errors.New("it goes on after its JSON object: write one object a line")
	}
	if values == nil {
		return files.Row{}, errors.New("it is null: write one object a line")
	}
	return files.Row{Values: values}, nil
}
