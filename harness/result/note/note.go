// Package note owns the caveats that results carry: a function for each, from what was computed to a kind and a
// sentence. It refuses to say how grave a caveat is, which package reports does. Its opinion: a caveat is written
// where its numbers are known, once, and is never read back.
package note

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind names a caveat in results.json, for programs. Several caveats on one subject share a kind.
type Kind string

// Note is a caveat.
type Note struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
	// the same in few words, where it depends on what the note says; "" = the kind's own
	Line string `json:"line,omitempty"`
	// the records it is about, of how many; 0 = it counts none
	Count int `json:"count,omitempty"`
	Of    int `json:"of,omitempty"`
}

func say(kind Kind, format string, args ...any) Note {
	return Note{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// name shortens names beyond reason.
func name(s string) string {
	const limit = 120
	if r := []rune(s); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}

// shortest writes a number with the fewest digits that name it.
func shortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// each joins what is said of each.
func each[T any](list []T, between string, of func(T) string) string {
	var parts []string
	for _, x := range list {
		parts = append(parts, of(x))
	}
	return strings.Join(parts, between)
}
