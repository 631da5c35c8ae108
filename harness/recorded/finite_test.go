package recorded

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// What is no number becomes a text, and nothing else changes, however the input is cut up.
func TestFinite(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"a": NaN, "b": [Infinity, -Infinity, -1, 1e-5]}`, `{"a": "NaN", "b": ["Infinity", "-Infinity", -1, 1e-5]}`},
		{`{"NaN": "say \"NaN\" \\", "Infinity": NaN}`, `{"NaN": "say \"NaN\" \\", "Infinity": "NaN"}`},
		{`[null, true, -Inf, Na`, `[null, true, -Inf, Na`},
		{``, ``},
	} {
		for name, in := range map[string]io.Reader{"whole": strings.NewReader(tt.in),
			"by bytes": iotest.OneByteReader(strings.NewReader(tt.in))} {
			got, err := io.ReadAll(newFinite(in))
			if err != nil || string(got) != tt.want {
				t.Errorf("%s, %s: %s %v, want %s", tt.in, name, got, err, tt.want)
			}
		}
	}
}

// Valid JSON passes unchanged.
func FuzzFinite(f *testing.F) {
	f.Add([]byte(`{"a": "NaN", "b": [-1, "I\\"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := io.ReadAll(newFinite(bytes.NewReader(data)))
		if err != nil || json.Valid(data) && !slices.Equal(got, data) {
			t.Errorf("%q became %q, %v", data, got, err)
		}
	})
}
