package deploy

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"
)

// head explains the file to whoever opens it.
const head = `# Deferral thresholds of a cascade, fitted by infnet.
# Accept the student's answer iff its confidence, read and calibrated as below,
# is at least the theta of the class it predicts; else ask the master.
# theta = 0 accepts everything, theta = inf defers everything, and so does a
# class that is not listed. Where there is a [mixture], every query has a coin,
# a uniform number that depends on its id alone: below alpha the thresholds
# decide, else those of mixture.lax.

`

// uncertifiedHead follows it where a guarantee was asked for and could not be
// given.
const uncertifiedHead = `# NOT CERTIFIED. A guarantee was asked for and nothing could be promised: no
# candidate passed its test. These are the thresholds of least error of the half
# that proposed. infnet route applies them only with --uncertified.

`

// Encode writes a deployment as TOML. The same deployment gives the
// same bytes.
func Encode(d File) ([]byte, error) {
	if err := d.Validate(); err != nil {
		return nil, fmt.Errorf("thresholds file: %w", err)
	}
	var b bytes.Buffer
	b.WriteString(head)
	if g := d.Guarantee; g != nil && !g.Certified {
		b.WriteString(uncertifiedHead)
	}
	e := toml.NewEncoder(&b)
	e.Indent = ""
	if err := e.Encode(d); err != nil {
		return nil, fmt.Errorf("thresholds file: %w", err)
	}
	return b.Bytes(), nil
}

// Decode reads what Encode writes. It is strict: an
// unknown key, a missing version, a threshold that is no threshold or a
// certificate that contradicts itself is an error.
func Decode(text []byte) (File, error) {
	var d File
	md, err := toml.Decode(string(text), &d)
	if err != nil {
		return File{}, fmt.Errorf("thresholds file: %w", err)
	}
	if unknown := md.Undecoded(); len(unknown) > 0 {
		return File{}, fmt.Errorf("thresholds file: unknown key %q", unknown[0])
	}
	for _, key := range md.Keys() { // the decoder matches names whatever their case
		if strings.ContainsFunc(key.String(), unicode.IsUpper) {
			return File{}, fmt.Errorf("thresholds file: unknown key %q: keys are written in lower case", key)
		}
	}
	for _, need := range [][]string{
		{"format"}, {"version"}, {"thresholds"}, {"thresholds", "theta"},
		{"confidence", "score"}, {"calibration", "method"}, {"fit", "feasible"},
	} {
		if !md.IsDefined(need...) && !definedInArray(md, need) {
			return File{}, fmt.Errorf("thresholds file: key %q is missing", strings.Join(need, "."))
		}
	}
	if err := d.Validate(); err != nil {
		return File{}, fmt.Errorf("thresholds file: %w", err)
	}
	return d, nil
}

// definedInArray reports whether a key of an array of tables was given in each
// of its elements: as often as the array has elements.
func definedInArray(md toml.MetaData, need []string) bool {
	heads, hits := 0, 0
	for _, key := range md.Keys() {
		switch key.String() {
		case need[0]:
			heads++
		case strings.Join(need, "."):
			hits++
		}
	}
	return len(need) == 2 && hits > 0 && hits == heads
}
