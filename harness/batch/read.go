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

	"infnet/backends"
	"infnet/harness/regular"
	"infnet/harness/spool"
)

// Output is the lines of output files, by the keys of their requests, kept in a spool. It is safe for concurrent use
// once it is complete.
type Output struct {
	Lines    int               // that say something about a request
	Repeated int               // of Lines: about a request that an earlier line is about
	Problems []Problem         // the first few lines that cannot be read
	Broken   int               // how many cannot be
	Strange  map[string]string // custom_ids that are no key, by where the first one is

	Unasked map[backends.Key]string // requests that the provider never asked, and why

	at   map[backends.Key][]place // the lines about a request that was asked
	kept spool.Spool
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

type place struct {
	at int64
	n  int
}

// MaxLine is the most bytes of a line.
const MaxLine = 256 << 20

// Read scans output and error files. Errors are of files that are no output at all: nothing of any of them may be used
// then. A line that cannot be read is a Problem.
func Read(ctx context.Context, paths []string) (*Output, error) {
	o := &Output{Strange: map[string]string{}, Unasked: map[backends.Key]string{}, at: map[backends.Key][]place{}}
	for _, path := range paths {
		if err := o.scan(ctx, path); err != nil {
			return nil, errors.Join(err, o.Close())
		}
	}
	for k := range o.at {
		delete(o.Unasked, k)
	}
	return o, nil
}

// Close lets go of the lines.
func (o *Output) Close() error { return o.kept.Close() }

// Has reports whether a line answers a request, or says that it failed.
func (o *Output) Has(k backends.Key) bool {
	_, ok := o.at[k]
	return ok
}

// Of returns what the lines about a request say, in the order of the files.
func (o *Output) Of(k backends.Key) ([]Outcome, error) {
	var out []Outcome
	for _, p := range o.at[k] {
		text := make([]byte, p.n)
		if err := o.kept.Read(text, p.at); err != nil {
			return nil, err
		}
		found, err := readOutcome(text)
		if err != nil {
			return nil, err
		}
		out = append(out, found)
	}
	return out, nil
}

func (o *Output) scan(ctx context.Context, path string) error {
	f, err := regular.Open(path)
	if err != nil {
		return fmt.Errorf("the output of a batch: %w", err)
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	if head, _ := r.Peek(2); string(head) == "\x1f\x8b" {
		packed, err := gzip.NewReader(r)
		if err != nil {
			return fmt.Errorf("%s begins like a file of gzip, and is none: %w", path, err)
		}
		r = bufio.NewReaderSize(packed, 1<<20)
	}
	head, _ := r.Peek(1 << 20)
	if why := strange(head); why != "" {
		return fmt.Errorf("%s %s", path, why)
	}
	before := o.Lines + o.Broken
	s := &scanner{Output: o, path: path}
	if err := s.lines(ctx, r); err != nil {
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

type scanner struct {
	*Output
	path  string
	line  int
	good  int      // lines that could be read
	first *Problem // of this file
}

func (s *scanner) lines(ctx context.Context, r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, MaxLine)
	lines.Split(func(data []byte, end bool) (int, []byte, error) { // with its line feed, which a line that is cut lacks
		if i := bytes.IndexByte(data, '\n'); i >= 0 || end && len(data) > 0 {
			n := i + 1
			if i < 0 {
				n = len(data)
			}
			return n, data[:n], nil
		}
		return 0, nil, nil
	})
	whole := true
	for lines.Scan() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.line++
		text := lines.Bytes()
		whole = bytes.HasSuffix(text, []byte("\n"))
		if s.line == 1 {
			text = bytes.TrimPrefix(text, []byte(bom))
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			if err := s.take(text, whole); err != nil {
				return err
			}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%s:%d: a line of more than %d bytes: is this the output of a batch?", s.path, s.line+1, MaxLine)
	case errors.Is(err, io.ErrUnexpectedEOF):
		if whole { // between two lines
			s.line++
			s.problem(cutShort)
		}
	case err != nil:
		return fmt.Errorf("%s:%d: %w", s.path, s.line+1, err)
	}
	return nil
}

// cutShort is said of a last line that breaks off.
const cutShort = "is cut short: the download is not complete, and what it lacks is written again next time"

// take notes what a line says. whole says that it has its line feed.
func (s *scanner) take(text []byte, whole bool) error {
	o, err := readOutcome(text)
	switch {
	case err != nil && !whole && !json.Valid(text):
		s.problem(cutShort)
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
		s.Output.Unasked[key] = o.Unasked
		return nil
	}
	at, err := s.kept.Add(text)
	if err != nil {
		return err
	}
	if s.Has(key) {
		s.Repeated++
	}
	s.at[key] = append(s.at[key], place{at, len(text)})
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
