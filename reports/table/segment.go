package table

import (
	"strconv"
	"strings"
)

// Segment is a name as a part of file names and labels, where points and colons would be in the way.
func Segment(s string) string {
	const limit = 40 // file names have an end
	s = strings.Trim(strings.NewReplacer(".", "-", ":", "-").Replace(Slug(s)), "-")
	if s = strings.Trim(s[:min(len(s), limit)], "-"); s == "" {
		return "x"
	}
	return s
}

// Segments are those of several names, all different: of two names that begin in the same way the second gets a number,
// "a-2", in everything that is named after it.
type Segments map[string]string

// Of is the segment of a name.
func (x Segments) Of(name string) string {
	if s, ok := x[name]; ok {
		return s
	}
	taken := map[string]bool{}
	for _, s := range x {
		taken[s] = true
	}
	first := Segment(name)
	s := first
	for n := 2; taken[s]; n++ {
		s = first + "-" + strconv.Itoa(n)
	}
	x[name] = s
	return s
}
