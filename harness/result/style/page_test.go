package style

import (
	"encoding/json"
	"testing"
)

// What results.json holds is read again as it was.
func TestSizeInResults(t *testing.T) {
	size := Size(1000)
	data, err := json.Marshal(Style{Texts: &size})
	if err != nil {
		t.Fatal(err)
	}
	var got Style
	if err := json.Unmarshal(data, &got); err != nil || got.PageTexts() != size {
		t.Errorf("%s is read as %d (%v)", data, got.PageTexts(), err)
	}
}

func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Size // -1: refused
	}{
		{"0", 0}, {"5MB", 5_000_000}, {"200kB", 200_000}, {"17", 17}, {"17B", 17}, {"500MB", 500_000_000},
		{"501MB", -1}, {"1GB", -1}, {"5 MB", -1}, {"-1", -1}, {"", -1}, {"MB", -1}, {"1.5MB", -1}, {"5MiB", -1},
		{"99999999999", -1},
	} {
		var s Size
		if err := s.UnmarshalText([]byte(tt.text)); (err != nil) != (tt.want < 0) || err == nil && s != tt.want {
			t.Errorf("%q: %d, %v", tt.text, s, err)
		}
	}
}
