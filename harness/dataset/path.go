package dataset

import (
	"fmt"
	"strconv"
	"strings"
)

// Path is where in a row a column's value is, read off a text such as
// "answers.text[0]": first a key, then keys and indexes.
type Path []Step

// Step is a key of an object, or an index into a list.
type Step struct {
	Key   string // of an object, where IsKey
	Index int    // into a list, from 0, where not
	IsKey bool
}

// AsJSON stands before a column whose value, whatever it is, is a field as JSON.
const AsJSON = "json:"

// CheckPath reports whether s can name a column, without looking at a file.
func CheckPath(s string) error {
	_, err := ParsePath(s)
	return err
}

// ParsePath reads key{.key|[index]}. The error quotes s and says what is wanted instead.
func ParsePath(s string) (Path, error) {
	var p Path
	rest := s
	for first := true; rest != "" || first; first = false {
		switch {
		case strings.HasPrefix(rest, "[") && !first:
			num, after, ok := strings.Cut(rest[1:], "]")
			n, err := strconv.ParseUint(num, 10, 31)
			if !ok || err != nil {
				return nil, fmt.Errorf("column path %q: want a number from 0 between [ and ], as in answers.text[0]", s)
			}
			p = append(p, Step{Index: int(n)})
			rest = after
			continue
		case strings.HasPrefix(rest, ".") && !first:
			rest = rest[1:]
		case !first:
			return nil, fmt.Errorf("column path %q: %q after an index: want . or [", s, rest)
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return nil, fmt.Errorf("column path %q: a name is missing: want names between points, as in answers.text", s)
		}
		p = append(p, Step{Key: rest[:end], IsKey: true})
		rest = rest[end:]
	}
	return p, nil
}
