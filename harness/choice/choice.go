// Package choice decodes closed sets: a value that must be one of a few names.
// It exists so that every such error in infnet reads the same and lists what
// is valid.
package choice

import (
	"fmt"
	"strings"
)

// Decode sets dst to the valid value named by text. The error names what was
// being chosen and every valid name.
func Decode[T ~string](dst *T, text []byte, what string, valid []T) error {
	names := make([]string, len(valid))
	for i, v := range valid {
		if string(v) == string(text) {
			*dst = v
			return nil
		}
		names[i] = string(v)
	}
	return fmt.Errorf("unknown %s %q: want one of %s", what, text, strings.Join(names, ", "))
}
