package sufficiency

import (
	"fmt"

	"infnet/sufficiency/permute"
)

// Method is a test of J.
type Method int

// The methods.
const (
	PCM         Method = iota // projected covariance measure (package pcm)
	Conditional               // permutation of J among near neighbours in β
	Plain                     // permutation of J anywhere, as the paper does
)

var methods = [...]string{PCM: "pcm", Conditional: "conditional", Plain: "plain"}

// String returns "pcm", "conditional" or "plain".
func (m Method) String() string { return methods[m] }

// UnmarshalText reads what String writes.
func (m *Method) UnmarshalText(text []byte) error {
	for k, name := range methods {
		if string(text) == name {
			*m = Method(k)
			return nil
		}
	}
	return fmt.Errorf("unknown method %q; valid: pcm, conditional, plain", text)
}

// MarshalText writes what UnmarshalText reads.
func (m Method) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// kind returns the kind of permutation that the method draws.
func (m Method) kind() permute.Kind {
	if m == Plain {
		return permute.Plain
	}
	return permute.Conditional
}
