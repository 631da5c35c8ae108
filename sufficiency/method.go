package sufficiency

import (
	"fmt"
)

// Method is a test of J.
type Method int

// The methods.
const (
	PCM   Method = iota // two covariance measures (package pcm)
	Plain               // permutation of J anywhere, as the paper does
)

var methods = [...]string{PCM: "pcm", Plain: "plain"}

// String returns "pcm" or "plain".
func (m Method) String() string { return methods[m] }

// UnmarshalText reads what String writes.
func (m *Method) UnmarshalText(text []byte) error {
	for k, name := range methods {
		if string(text) == name {
			*m = Method(k)
			return nil
		}
	}
	return fmt.Errorf("unknown method %q: want one of pcm, plain", text)
}

// MarshalText writes what UnmarshalText reads.
func (m Method) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Test is how J is tested: keys of a study's [sufficiency], and flags of infnet sufficiency.
type Test struct {
	Method       Method `toml:"method" default:"pcm" placeholder:"M" help:"pcm: covariance measures whose regressions are checked; plain: permutation of J, as in the paper, which also breaks its dependence on β"`
	Permutations int    `toml:"permutations" default:"199" range:"1 to 100000" when:"method=plain" placeholder:"N" help:"plain: permutations of J; p is never below 1/(N + 1)"`
}
