package sufficiency

import "fmt"

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
	return fmt.Errorf("unknown method %q; valid: pcm, and plain, which is the paper's", text)
}

// MarshalText writes what UnmarshalText reads.
func (m Method) MarshalText() ([]byte, error) { return []byte(m.String()), nil }
