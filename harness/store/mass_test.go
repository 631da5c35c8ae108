package store

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
)

// A mass on the labels comes back with the same bits; an answer without one is
// written as before there were any.
func TestLabelMass(t *testing.T) {
	for _, m := range []*backends.Mass{nil, {Low: 0, High: 0}, {Low: 1.0 / 3, High: 1.0 / 3}, {Low: 0, High: 1e-9},
		{Low: 0.1, High: 1}} {
		want := Record{Example: "a", Answer: backends.Answer{Key: key(1), Text: "x",
			Labels: []backends.LabelScore{{Logprob: -1, Seen: true}}, LabelMass: m}}
		line, err := encodeAnswer(want)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(line), "mass") != (m != nil) {
			t.Errorf("%v: line %s", m, line)
		}
		got, err := decodeAnswer(line)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v: error %v (-want +got)\n%s", m, err, diff)
		}
	}
}
