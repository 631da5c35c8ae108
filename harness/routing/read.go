package routing

import (
	"context"
	"fmt"
	"io"
	"strings"

	"infnet/harness/dataset/files"
	"infnet/harness/fault"
	"infnet/harness/outcomes"
)

// File routes the answers of a file.
func (r *Router) File(ctx context.Context, path string) error {
	err := files.Each(ctx, files.Options{Path: path, Separator: files.Separator(path)}, func(row files.Row) error {
		if err := r.answer(row); err != nil {
			return fmt.Errorf("%s, row %d: %w", path, row.Number, err)
		}
		return nil
	})
	return fault.Data.Wrap(err)
}

// One decides about one JSON object, as Stream does. Options name its fields, and the seed.
func (r *Rule) One(object []byte, o Options) (d Decision, err error) {
	values, err := files.Object(object)
	if err == nil {
		emit := func(decided Decision) error { d = decided; return nil }
		err = r.router(o, emit, func(string) {}).answer(files.Row{Values: values})
	}
	return d, fault.Data.Wrap(err)
}

// Stream routes answers as they come, JSON objects or cells under a header. An error names the
// line; all earlier lines are decided.
func (r *Router) Stream(ctx context.Context, from io.Reader) error {
	head, line, err := files.EachStreamed(ctx, "standard input", from, r.answer)
	if err != nil || r.recognised || head == "" {
		return fault.Data.Wrap(err)
	}
	for _, name := range append([]string{r.options.Confidence}, outcomes.Names("confidence")...) {
		if name != "" && strings.Contains(strings.ToLower(head), strings.ToLower(name)) {
			return nil // a table without rows
		}
	}
	return fault.Data.Wrap(fmt.Errorf("line %d: %q is neither a JSON object nor the header of a table with a confidence: "+
		"write one object a line, or a table with a column %s", line, head, "confidence"))
}
