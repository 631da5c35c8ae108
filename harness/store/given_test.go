package store

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
)

// A recorded grade and cost come back, and so does what the one token stands for.
func TestRecordedFacts(t *testing.T) {
	zero, third := 0.0, 1.0/3
	for _, want := range []backends.Answer{
		{Key: key(1), Grade: &zero, NoLogprobs: true},
		{Key: key(1), Text: "x", Grade: &third, Cost: &backends.Money{Amount: third, Currency: "EUR"}, Whole: true,
			Tokens: []backends.Token{{Logprob: math.Inf(-1)}}},
	} {
		line, err := encodeAnswer(Record{Example: "a", Answer: want})
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeAnswer(line)
		if diff := cmp.Diff(want, got.Answer); err != nil || diff != "" {
			t.Errorf("error %v (-want +got)\n%s", err, diff)
		}
	}
}

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
