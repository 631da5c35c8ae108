// Package choice decodes closed sets: a value that must be one of a few names, and finds the name that a misspelt one
// is nearest to. It exists so that every such error in infnet reads the same and lists what is valid.
package choice

import (
	"fmt"
	"slices"
	"strings"
)

// Decode sets dst to the valid value named by text. The error names what was
// being chosen and every valid name.
func Decode[T ~string](dst *T, text []byte, what string, valid []T) error {
	if i := slices.Index(valid, T(text)); i >= 0 {
		*dst = valid[i]
		return nil
	}
	return fmt.Errorf("unknown %s %q: want one of %s", what, text, List(valid))
}

// List is names with commas between them.
func List[T ~string](names []T) string { return join(names, ", ") }

// And is names with "and" before the last.
func And[T ~string](names []T) string {
	if n := len(names); n > 1 {
		return join(names[:n-1], ", ") + " and " + string(names[n-1])
	}
	return join(names, "")
}

func join[T ~string](names []T, between string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = string(name)
	}
	return strings.Join(out, between)
}
