package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
)

// A stated confidence comes back with the same bits, 0 too; an answer without
// one is written as before.
func TestGivenConfidence(t *testing.T) {
	for _, c := range []float64{0, 1.0 / 3, 1} {
		want := Record{Example: "a", Answer: backends.Answer{Key: key(1), Text: "x", Confidence: &c}}
		line, err := encodeAnswer(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeAnswer(line)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v: error %v (-want +got)\n%s", c, err, diff)
		}
	}
}
