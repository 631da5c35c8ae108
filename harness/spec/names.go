package spec

import (
	"fmt"
	"strings"
)

const defaultCurrency = "USD"

// or returns *p, or the default if the key is missing.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// LongestName is in characters: names become folders and files.
const LongestName = 80

// NameFault says what is wrong with a name, as the predicate of a sentence whose subject is the
// name; "" = nothing.
func NameFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > LongestName:
		return fmt.Sprintf("is longer than %d characters", LongestName)
	case !alphanumeric(name[0]):
		return "does not begin with a letter or digit"
	}
	for i := range len(name) {
		if c := name[i]; !alphanumeric(c) && !strings.ContainsRune("._+-", rune(c)) {
			return "has a character that names must not have"
		}
	}
	if strings.HasSuffix(name, ".") {
		return "ends in a point"
	}
	return ""
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
