package batch

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"infnet/backends"
	"infnet/harness/regular"
	"infnet/harness/spool"
)

// Output is the lines of output files, by the keys of their requests. Only where they are is held in memory. It is safe
// for concurrent use once it is complete.
type Output struct {
	Lines    int               // that say something about a request
	Repeated int               // of Lines: about a request that an earlier line is about
	Problems []Problem         // the first few lines that cannot be read
	Broken   int               // how many cannot be
	Strange  map[string]string // custom_ids that are no key, by where the first one is

	unasked map[backends.Key]string // requests that were never asked, and why
	at      map[backends.Key]place
	more    map[backends.Key][]place // further lines about a request
	files   []content
}

// Problem is a line that cannot be read.
type Problem struct {
	File string
	Line int
	Why  string
}

// String is FILE:LINE: why.
func (p Problem) String() string { return fmt.Sprintf("%s:%d: the line %s", p.File, p.Line, p.Why) }

const mostProblems = 5

// place is where a line is.
type place struct {
	at   int64
	n    int32
	file int32
}

// content reads what a file had when it was scanned.
type content struct {
	read func(piece []byte, at int64) error
	io.Closer
}

// MaxLine is the most bytes of a line.
const MaxLine = 256 << 20

// Read scans output and error files. Errors are of files that are no output at all: nothing of any of them may be used
// then. A line that cannot be read is a Problem.
func Read(ctx context.Context, paths []string) (*Output, error) {
	o := &Output{Strange: map[string]string{}, unasked: map[backends.Key]string{}, at: map[backends.Key]place{},
		more: map[backends.Key][]place{}}
	for _, path := range paths {
		if err := o.scan(ctx, path); err != nil {
			return nil, errors.Join(err, o.Close())
		}
	}
	return o, nil
}

// Close closes the files.
func (o *Output) Close() error {
	var errs []error
	for _, f := range o.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// Has reports whether a line answers a request, or says that it failed.
func (o *Output) Has(k backends.Key) bool {
	_, ok := o.at[k]
	return ok
}

// Keys lists every request that some line is about, in no order.
func (o *Output) Keys() iter.Seq[backends.Key] {
	return func(yield func(backends.Key) bool) {
		for k := range o.at {
			if !yield(k) {
				return
			}
		}
		for k := range o.unasked {
			if !o.Has(k) && !yield(k) {
				return
			}
		}
	}
}

// Unasked says why the provider never asked a request; "" = it did, or no line is about it.
func (o *Output) Unasked(k backends.Key) string {
	if o.Has(k) {
		return ""
	}
	return o.unasked[k]
}

// Of returns what the lines about a request say, in the order of the files.
func (o *Output) Of(k backends.Key) ([]Outcome, error) {
	first, ok := o.at[k]
	if !ok {
		return nil, nil
	}
	var out []Outcome
	for _, p := range append([]place{first}, o.more[k]...) {
		text := make([]byte, p.n)
		if err := o.files[p.file].read(text, p.at); err != nil {
			return nil, err
		}
		found, err := readOutcome(text)
		if err != nil || found.CustomID != k.String() {
			return nil, errors.New("a file of the batch's output has changed while it was read: read it again")
		}
		out = append(out, found)
	}
	return out, nil
}

// scan reads one file.
func (o *Output) scan(ctx context.Context, path string) error {
	f, err := regular.Open(path)
	if err != nil {
		return fmt.Errorf("the output of a batch: %w", err)
	}
	r := bufio.NewReaderSize(f, 1<<20)
	s := &scanner{Output: o, path: path, ctx: ctx, r: r}
	if head, _ := r.Peek(2); string(head) == "\x1f\x8b" {
		packed, err := gzip.NewReader(r)
		if err != nil {
			return errors.Join(fmt.Errorf("%s begins like a file of gzip, and is none: %w", path, err), f.Close())
		}
		s.r, s.keep = bufio.NewReaderSize(packed, 1<<20), &spool.Spool{}
		o.files = append(o.files, content{s.keep.Read, s.keep})
		defer f.Close()
	} else {
		o.files = append(o.files, content{func(piece []byte, at int64) error {
			_, err := f.ReadAt(piece, at)
			return err
		}, f})
	}
	head, _ := s.r.Peek(1 << 20)
	if why := strange(head); why != "" {
		return fmt.Errorf("%s %s", path, why)
	}
	before := o.Lines + o.Broken
	if err := s.lines(); err != nil {
		return err
	}
	if s.good == 0 {
		first := Problem{path, 1, "is empty"}
		if s.first != nil {
			first = *s.first
		}
		return fmt.Errorf("%s is no output of a batch: none of its %d lines is about a request; line %d %s", path,
			o.Lines+o.Broken-before, first.Line, first.Why)
	}
	return nil
}

// scanner reads the lines of one file.
type scanner struct {
	*Output
	path  string
	ctx   context.Context
	r     *bufio.Reader
	keep  *spool.Spool // of a compressed file; nil = lines stay in their file
	line  int
	good  int      // lines that could be read
	first *Problem // of this file
}

func (s *scanner) lines() error {
	var at int64
	for {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		text, n, err := s.next()
		s.line++
		whole := err == nil
		if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("%s:%d: %w", s.path, s.line, err)
		}
		if s.line == 1 {
			text = bytes.TrimPrefix(text, []byte(bom))
		}
		from := at + int64(n) - int64(len(text))
		at += int64(n)
		if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 || errors.Is(err, io.ErrUnexpectedEOF) {
			if err := s.take(trimmed, from+int64(bytes.Index(text, trimmed)), whole, errors.Is(err,
				io.ErrUnexpectedEOF)); err != nil {
				return err
			}
		}
		if !whole {
			return nil
		}
	}
}

// next reads a line, its line feed included. The error is io.EOF after the last line, whether or not it has one.
func (s *scanner) next() (text []byte, n int, err error) {
	for {
		piece, err := s.r.ReadSlice('\n')
		n += len(piece)
		if n > MaxLine {
			return nil, n, fmt.Errorf("a line of more than %d bytes: is this the output of a batch?", MaxLine)
		}
		text = append(text, piece...)
		if err != bufio.ErrBufferFull {
			return text, n, err
		}
	}
}

// take notes what a line says.
func (s *scanner) take(text []byte, at int64, whole, cut bool) error {
	o, err := readOutcome(text)
	switch {
	case err != nil && (cut || !whole) && !json.Valid(text):
		s.problem("is cut short: the download is not complete, and what it lacks is written again next time")
		return nil
	case err != nil:
		s.problem(err.Error())
		return nil
	}
	s.good++
	s.Lines++
	var key backends.Key
	if len(o.CustomID) != 2*len(key) || key.UnmarshalText([]byte(o.CustomID)) != nil || key.String() != o.CustomID {
		if _, known := s.Strange[o.CustomID]; !known {
			s.Strange[o.CustomID] = fmt.Sprintf("%s:%d", s.path, s.line)
		}
		return nil
	}
	if o.Unasked != "" {
		s.unasked[key] = o.Unasked
		return nil
	}
	if s.keep != nil {
		if at, err = s.keep.Add(text); err != nil {
			return err
		}
	}
	p := place{at, int32(len(text)), int32(len(s.files) - 1)}
	if _, again := s.at[key]; again {
		s.Repeated++
		s.more[key] = append(s.more[key], p)
		return nil
	}
	s.at[key] = p
	return nil
}

func (s *scanner) problem(why string) {
	p := Problem{s.path, s.line, why}
	if s.first == nil {
		s.first = &p
	}
	if s.Broken++; len(s.Problems) < mostProblems {
		s.Problems = append(s.Problems, p)
	}
}
