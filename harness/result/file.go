package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"infnet/harness/regular"
)

// Float is a float64 that survives JSON: infinities are "inf" and "-inf", an undefined value is null (NaN).
type Float float64

// UnmarshalJSON reads what MarshalJSONTo writes.
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
func Encode(s *Results) ([]byte, error) {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode results of study %q: %w", s.Name, err)
	}
	return append(Flat(b), '\n'), nil
}

// Flat puts lists of numbers and words, without an object or list inside, on
// one line each: columns of numbers would fill the file with line ends.
func Flat(indented []byte) []byte {
	out := make([]byte, 0, len(indented))
	open, quoted := -1, false // where in out the innermost list that may be flat begins
	for i := 0; i < len(indented); i++ {
		c := indented[i]
		out = append(out, c)
		switch {
		case quoted && c == '\\':
			i++
			out = append(out, indented[i])
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			open = len(out)
		case c == '{' || c == '}':
			open = -1
		case c == ']' && open >= 0:
			out = append(oneLine(out[:open], out[open:len(out)-1]), ']')
			open = -1
		}
	}
	return out
}

// oneLine appends a list's content to out without its line ends and indents,
// which stand where no text is: encoding/json escapes those inside texts. The
// two may share memory, as what is appended is no longer than what is read.
func oneLine(out, list []byte) []byte {
	for _, line := range bytes.Split(list, []byte{'\n'}) {
		line = bytes.TrimLeft(line, " ")
		out = append(out, line...)
		if bytes.HasSuffix(line, []byte{','}) {
			out = append(out, ' ')
		}
	}
	return out
}

// Read reads a results.json. It refuses versions it does not know.
func Read(path string) (*Results, error) {
	b, err := regular.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Decode(b, path)
}

// Decode reads results from bytes; name appears in errors. The version comes
// first: a file of another one may not look like this one's at all.
func Decode(b []byte, name string) (*Results, error) {
	var head struct {
		Version *int `json:"version"`
		Spec    struct {
			Program string `json:"program"`
		} `json:"provenance"`
	}
	err := json.Unmarshal(b, &head)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: not a results file: %w; run analyze again", name, err)
	case head.Version == nil:
		return nil, fmt.Errorf("%s: not a results file: it states no version; run analyze again", name)
	case *head.Version < Version:
		return nil, fmt.Errorf("%s: written by an older infnet%s in schema version %d, and this one reads version %d; run "+
			"analyze again: the stored answers suffice, no model is asked", name, by(head.Spec.Program), *head.Version, Version)
	case *head.Version > Version:
		return nil, fmt.Errorf("%s: written by a newer infnet%s in schema version %d, and this one reads version %d; use "+
			"that infnet, or run analyze again with this one", name, by(head.Spec.Program), *head.Version, Version)
	}
	var s Results
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, fmt.Errorf("%s: not a results file: %w; run analyze again", name, err)
	}
	return &s, nil
}

// by names the program that wrote a file, where it says.
func by(program string) string {
	if program == "" {
		return ""
	}
	return fmt.Sprintf(" (%q)", program)
}
