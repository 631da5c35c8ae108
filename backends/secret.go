package backends

import (
	"fmt"
	"log/slog"

	"infnet/backends/redact"
)

// Secret is text that must not be written anywhere: an API key, a header's value. Every way to print, log or
// encode it gives "[secret]"; Reveal gives the text itself.
type Secret string

const hidden = "[secret]"

// Reveal returns the text, and makes it known to redact: from then on it is taken out of all that is stored or shown.
func (s Secret) Reveal() string {
	redact.Learn(string(s))
	return string(s)
}

// Format prints "[secret]" for every verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(hidden)) }

// String returns "[secret]".
func (Secret) String() string { return hidden }

// MarshalText returns "[secret]".
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// LogValue logs "[secret]".
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }
