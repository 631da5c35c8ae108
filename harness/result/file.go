package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
)

// Float is a float64 that survives JSON: infinities are "inf" and "-inf", an
// undefined value is null (NaN).
type Float float64

// MarshalJSON writes the number, "inf", "-inf" or null.
func (f Float) MarshalJSON() ([]byte, error) {
	switch v := float64(f); {
	case math.IsNaN(v):
		return []byte("null"), nil
	case math.IsInf(v, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-inf"`), nil
	default:
		return json.Marshal(v)
	}
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Float) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*f = Float(math.NaN())
		return nil
	}
	s := string(bytes.Trim(b, `"`))
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return fmt.Errorf("not a number, inf, -inf or null: %s", b)
	}
	*f = Float(v)
	return nil
}

// Encode returns the study as indented JSON with a final newline. Map keys are
// sorted, so equal studies give equal bytes.
func Encode(s *Study) ([]byte, error) {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode results of study %q: %w", s.Name, err)
	}
	return append(b, '\n'), nil
}

// Read reads a results.json. It refuses versions it does not know.
func Read(path string) (*Study, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Decode(b, path)
}

// Decode reads results from bytes; name appears in errors.
func Decode(b []byte, name string) (*Study, error) {
	var s Study
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, fmt.Errorf("%s: not a results file: %w; run analyze again", name, err)
	}
	if s.Version != Version {
		return nil, fmt.Errorf("%s: schema version %d, this infnet reads %d; run analyze again", name, s.Version, Version)
	}
	return &s, nil
}
