// Package place locates mistakes in the TOML text of a spec and suggests what was meant. It owns
// the positions of keys and values, problems with the source line and a caret, and the nearest
// valid name; it masks secrets in the lines that it shows. It refuses to know what a key means:
// package spec decides what is wrong.
//
// Its opinion: an error about a file shows the line, points at the place, says
// how to fix it, and comes together with all the others.
package place

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Problem is one mistake, or one warning, in a spec.
type Problem struct {
	File    string // as named on the command line or in use
	Line    int    // from 1; 0 = the file as a whole
	Column  int    // from 1, in characters; 0 = the line as a whole
	Key     string // the key's path, such as datasets[0].labels; "" = none
	Message string // what is wrong, lower case
	Hint    string // what to do about it; "" = nothing to add

	source string // the line it is on
	width  int    // characters to underline from Column
}

// Problems are all mistakes of a study, by file in the order they were read,
// then by place. Callers may look inside with errors.As.
type Problems []Problem

// Error renders every problem with its line of source:
//
//	study.toml:7:1: datasets[0].promt: unknown key
//	    7 | promt = "Review: {text}"
//	      | ^^^^^
//	    did you mean "prompt"?
func (ps Problems) Error() string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteByte('\n')
		}
		p.render(&b)
	}
	switch n := len(ps); {
	case n == 1:
		b.WriteString("\n1 mistake in the spec; nothing was run")
	case n >= mostProblems:
		fmt.Fprintf(&b, "\n%d mistakes in the spec, and perhaps more; nothing was run", n)
	default:
		fmt.Fprintf(&b, "\n%d mistakes in the spec; nothing was run", n)
	}
	return b.String()
}

// String is the problem on one line, without its source.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(clean(p.File))
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
		if p.Column > 0 {
			fmt.Fprintf(&b, ":%d", p.Column)
		}
	}
	b.WriteString(": ")
	if p.Key != "" {
		b.WriteString(clean(p.Key) + ": ")
	}
	b.WriteString(clean(p.Message))
	return b.String()
}

func (p Problem) render(b *strings.Builder) {
	b.WriteString(p.String())
	b.WriteByte('\n')
	if p.Line > 0 && p.source != "" { // a long line is cut so that the place stays in view
		line := []rune(p.source)
		at := min(max(p.Column-1, 0), len(line))
		from := max(0, min(at-widest/2, len(line)-widest))
		to := min(len(line), from+widest)
		number := fmt.Sprint(p.Line)
		fmt.Fprintf(b, "    %s | %s\n", number, clean(string(line[from:to])))
		if p.Column > 0 {
			fmt.Fprintf(b, "    %s | %s%s\n", strings.Repeat(" ", len(number)), strings.Repeat(" ", at-from),
				strings.Repeat("^", max(1, min(p.width, to-at))))
		}
	}
	if p.Hint != "" {
		fmt.Fprintf(b, "    %s\n", clean(p.Hint))
	}
}

// widest is the longest excerpt of a source line, in characters.
const widest = 100

// clean replaces what could move a terminal's cursor, one character by one, so
// that columns stay aligned.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r): // the latter reorder the text around them
			return '�'
		}
		return r
	}, s)
}

// mostProblems is a limit: a file with more mistakes is not a spec.
const mostProblems = 200

// Add adds a problem, unless there are too many already.
func (ps *Problems) Add(p Problem) {
	if !ps.Full() {
		*ps = append(*ps, p)
	}
}

// Full reports whether the limit is reached.
func (ps *Problems) Full() bool { return len(*ps) >= mostProblems }

// Sorted orders problems by file, in the order given, then by place.
func (ps Problems) Sorted(files []string) Problems {
	rank := func(p Problem) uint { return uint(slices.Index(files, p.File)) } // others come last
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return ps
}

// Fault is an error found in the data or models of a study after the spec was read, with the place
// in the spec that it concerns. It wraps the original error for errors.Is and errors.As.
type Fault struct {
	Problem
	err error
}

// Wrap adds the place and message of a problem to an error.
func (p Problem) Wrap(err error) error { return &Fault{p, err} }

// Error shows the place, the line of source and the fix, as Problems does.
func (f *Fault) Error() string {
	var b strings.Builder
	f.Problem.render(&b)
	return strings.TrimRight(b.String(), "\n")
}

func (f *Fault) Unwrap() error { return f.err }
