package style

import "testing"

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
