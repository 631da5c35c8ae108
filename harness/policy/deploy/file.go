package deploy

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"
)

// head explains the file to whoever opens it.
const head = `# Deferral thresholds, fitted by infnet; infnet route applies them. Of each policy:
#
# Accept the student's answer iff its confidence, read and calibrated as below,
# is at least the theta of the class it predicts; else ask the master.
# theta = 0 accepts everything, theta = inf defers everything, and so does a
# class that is not listed. Below abstain, where there is one, nobody answers.
# Where there is a [mixture], every query has a coin, a uniform number
# that depends on its id alone: below alpha the thresholds decide, else
# those of mixture.lax.

`

// uncertifiedHead follows it where a guarantee was asked for and could not be
// given.
const uncertifiedHead = `# %s is NOT CERTIFIED. A guarantee was asked for and nothing could be promised: no
# candidate passed its test. These are the thresholds of least error of the half
# that proposed. infnet route applies them only with --uncertified.

`

// set is what a file holds: policies by name.
type set struct {
	Format   string          `toml:"format"`  // "infnet thresholds"
	Version  int             `toml:"version"` // 2
	Policies map[string]File `toml:"policies"`
}

// Encode writes policies, by name, as TOML. The same policies give the same bytes.
func Encode(policies map[string]File) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(head)
	for _, name := range slices.Sorted(maps.Keys(policies)) {
		d := policies[name]
		if err := d.Validate(); err != nil {
			return nil, fmt.Errorf("policy %s: %w", name, err)
		}
		if g := d.Guarantee; g != nil && !g.Certified {
			fmt.Fprintf(&b, uncertifiedHead, name)
		}
	}
	e := toml.NewEncoder(&b)
	e.Indent = ""
	if err := e.Encode(set{format, version, policies}); err != nil {
		return nil, fmt.Errorf("thresholds file: %w", err)
	}
	return b.Bytes(), nil
}

// Decode reads what Encode writes. It is strict: an unknown key, a missing version, a threshold that is no threshold or
// a certificate that contradicts itself is an error.
func Decode(text []byte) (map[string]File, error) {
	var s set
	md, err := toml.Decode(string(text), &s)
	if err != nil {
		return nil, fmt.Errorf("thresholds file: %w", err)
	}
	switch {
	case s.Format != format:
		return nil, fmt.Errorf("thresholds file: format %q: want %q", s.Format, format)
	case s.Version != version:
		return nil, fmt.Errorf("thresholds file: version %d: this program reads version %d", s.Version, version)
	case len(s.Policies) == 0:
		return nil, errors.New("thresholds file: it has no policies")
	}
	if unknown := md.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("thresholds file: unknown key %q", unknown[0])
	}
	for _, key := range md.Keys() { // the decoder matches names whatever their case
		for i, part := range key {
			if i != 1 && strings.ContainsFunc(part, unicode.IsUpper) {
				return nil, fmt.Errorf("thresholds file: unknown key %q: keys are written in lower case", key)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Policies)) {
		for _, need := range []toml.Key{
			{"thresholds"}, {"thresholds", "theta"}, {"confidence", "score"}, {"calibration", "method"}, {"fit", "feasible"},
		} {
			path := append(toml.Key{"policies", name}, need...)
			if !md.IsDefined(path...) && !definedInArray(md, path) {
				return nil, fmt.Errorf("thresholds file: policy %s: key %q is missing", name, need)
			}
		}
		if err := s.Policies[name].Validate(); err != nil {
			return nil, fmt.Errorf("thresholds file: policy %s: %w", name, err)
		}
	}
	return s.Policies, nil
}

// definedInArray reports whether a key of an array of tables was given in each
// of its elements: as often as the array has elements.
func definedInArray(md toml.MetaData, need toml.Key) bool {
	heads, hits := 0, 0
	for _, key := range md.Keys() {
		switch {
		case slices.Equal(key, need[:len(need)-1]):
			heads++
		case slices.Equal(key, need):
			hits++
		}
	}
	return len(need) == 4 && hits > 0 && hits == heads
}
