package confidence

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
)

// A stated confidence is β under every score, whatever log-probabilities say;
// expected by hand.
func TestGivenConfidence(t *testing.T) {
	c := 0.25
	said := []backends.LabelScore{{}, {Seen: true}, {}}
	scored := []backends.LabelScore{{Logprob: math.Log(0.5), Seen: true}, {Logprob: math.Log(0.5), Seen: true}}
	for _, test := range []struct {
		name  string
		score Score
		a     backends.Answer
		want  Reading
	}{
		// The other two labels share 1 − 0.25.
		{"a label alone, less sure than a guess", Softmax, backends.Answer{Labels: said, Confidence: &c},
			Reading{Class: 1, Probs: []float64{0.375, 0.25, 0.375}}},
		{"scores stay", Softmax, backends.Answer{Labels: scored, Confidence: &c}, Reading{Probs: []float64{0.5, 0.5}}},
		{"a text", Exp, backends.Answer{Text: "x", Confidence: &c}, Reading{}},
		{"tokens do not count", MinMax, backends.Answer{Text: "x", Tokens: []backends.Token{{Logprob: -9}}, Confidence: &c},
			Reading{}},
	} {
		test.want.Beta, test.want.Low, test.want.High, test.want.Log, test.want.Certain = c, c, c, math.Log(c), true
		s, err := Fit(test.score, slices.Values([]backends.Answer{test.a, test.a}))
		if err != nil {
			t.Errorf("%s: fit: %v", test.name, err)
			continue
		}
		got, err := s.Read(test.a)
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%s: error %v (-want +got)\n%s", test.name, err, diff)
		}
	}
	for _, bad := range []float64{-0.1, 1.1, math.NaN()} {
		if _, err := (Scale{Score: Exp}).Read(backends.Answer{Text: "x", Confidence: &bad}); err == nil {
			t.Errorf("the confidence %v is read", bad)
		}
	}
	// Only the answers with tokens make the range.
	answers := []backends.Answer{{Confidence: &c}, {Tokens: []backends.Token{{Logprob: -1}}},
		{Tokens: []backends.Token{{Logprob: -3}}}}
	s, err := Fit(MinMax, slices.Values(answers))
	if err != nil || s.Low != -3 || s.High != -1 {
		t.Errorf("range [%v, %v], error %v, want [-3, -1]", s.Low, s.High, err)
	}
}
