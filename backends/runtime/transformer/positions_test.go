package transformer

import (
	"encoding/json"
	"os"
	"testing"
)

// The buckets of MPNet's distances -511 to 511, by transformers (version in the file), written by
// the encoders' testdata/make_fixtures.py.
func TestBuckets(t *testing.T) {
	text, err := os.ReadFile("../../encoder/testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct{ Buckets []int }
	if err := json.Unmarshal(text, &want); err != nil || len(want.Buckets) != 1023 {
		t.Fatalf("%d buckets, error %v", len(want.Buckets), err)
	}
	for i, w := range want.Buckets {
		if got := bucket(i-511, 32); got != w {
			t.Errorf("bucket of distance %d: %d, want %d", i-511, got, w)
		}
	}
}
