package backends

import (
	"math"
	"testing"
)

// What every way of asking lets one say of the mass on the labels: of the ways
// that hold a model to its labels, and of answers that do not say how they were
// asked, nothing; of the others what follows from the labels seen and bounded.
func TestMassOfEveryLabelMode(t *testing.T) {
	ln, half := math.Log, 0.5
	seen := []LabelScore{{ln(0.3), true}, {ln(0.1), true}}
	bounded := []LabelScore{{ln(0.3), true}, {ln(0.05), false}}
	loose := []LabelScore{{ln(0.3), true}, {0, false}} // nothing is known of the second
	over := []LabelScore{{ln(0.7), true}, {ln(0.4), true}}
	for _, tc := range []struct {
		name   string
		answer Answer
		want   Mass
		known  bool
	}{
		{"all seen", Answer{By: LabelsTopLogprobs, Labels: seen}, Mass{0.4, 0.4}, true},
		{"named tokens", Answer{By: LabelsTokenIDs, Labels: seen}, Mass{0.4, 0.4}, true},
		{"one bounded", Answer{By: LabelsTopLogprobs, Labels: bounded}, Mass{0.3, 0.35}, true},
		{"one unknown", Answer{By: LabelsTopLogprobs, Labels: loose}, Mass{0.3, 1}, true},
		{"rounded above certainty", Answer{By: LabelsTopLogprobs, Labels: over}, Mass{1, 1}, true},
		{"a text", Answer{By: LabelsText, NoLogprobs: true, Labels: seen}, Mass{}, false},
		{"one way, which nobody recorded", Answer{Labels: seen}, Mass{}, false},
		{"a stated confidence", Answer{By: LabelsTopLogprobs, Confidence: &half, Labels: loose}, Mass{}, false},
		{"measured", Answer{Labels: seen, LabelMass: Exactly(0.25)}, Mass{0.25, 0.25}, true},
		{"measured, rounded", Answer{Labels: seen, LabelMass: Exactly(1 + 1e-7)}, Mass{1, 1}, true},
		{"a generation", Answer{By: LabelsTopLogprobs, Tokens: []Token{{}}}, Mass{}, false},
	} {
		got, known := tc.answer.Mass()
		if known != tc.known || math.Abs(got.Low-tc.want.Low) > 1e-12 || math.Abs(got.High-tc.want.High) > 1e-12 {
			t.Errorf("%s: %v, %v; want %v, %v", tc.name, got, known, tc.want, tc.known)
		}
	}
}

// A mass that is none is refused before it is stored.
func TestCheckMass(t *testing.T) {
	r := Request{Labels: []string{" a", " b"}}
	for _, tc := range []struct {
		mass Mass
		fine bool
	}{
		{Mass{0, 0}, true}, {Mass{0.2, 1}, true}, {Mass{1, 1}, true},
		{Mass{0.3, 0.2}, false}, {Mass{-0.1, 0.2}, false}, {Mass{0.5, 1.01}, false}, {Mass{math.NaN(), 1},
			false}, {Mass{0, math.NaN()}, false},
	} {
		a := Answer{Key: r.Key(), Labels: []LabelScore{{0, true}, {-1, true}}, LabelMass: &tc.mass}
		if f := Check(r, a); (f == nil) != tc.fine {
			t.Errorf("mass %v: failure %v", tc.mass, f)
		}
	}
}
