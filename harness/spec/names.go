package spec

import (
	"fmt"
	"strings"

	"infnet/backends"
	"infnet/harness/choice"
)

// Orders lists the valid orders.
func Orders() []Order { return []Order{Shuffle, InFile} }

// UnmarshalText accepts an order's name.
func (o *Order) UnmarshalText(b []byte) error { return choice.Decode(o, b, "order", Orders()) }

// Truncates lists what may happen to long prompts.
func Truncates() []Truncate { return []Truncate{TruncateAllow, TruncateRefuse} }

// UnmarshalText accepts "allow" or "refuse".
func (t *Truncate) UnmarshalText(b []byte) error {
	return choice.Decode(t, b, "treatment of long prompts", Truncates())
}

// rawMode is backends.Mode as a closed set.
type rawMode backends.Mode

func modes() []rawMode { return []rawMode{rawMode(backends.Raw), rawMode(backends.Chat)} }

func (m *rawMode) UnmarshalText(b []byte) error { return choice.Decode(m, b, "mode", modes()) }

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
