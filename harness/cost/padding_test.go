package cost

import (
	"math"
	"testing"

	"infnet/backends"
)

// tinyShape is small enough to count by hand.
var tinyShape = backends.Shape{Hidden: 2, Layers: 1, Heads: 1, HeadDim: 2, KVHeads: 1, FeedForward: 4, Vocabulary: 8,
	Gated: true}

// By hand: one token through the layer is 2·2·2 + 4·2·2 + 2·2·2 = 32 of
// projections and 3·2·2·4 = 48 of the MLP, 80 in all; attention is 4·2 = 8 per
// pair; the head 2·2·8 = 32. Two queries of (3, 1) and (1, 1) tokens padded to
// (3, 1) take 3 tokens, 6 pairs and one head each: 240 + 48 + 32 = 320, so 640
// together, shared 4 to 2.
func TestPaddedByHand(t *testing.T) {
	got, err := Padding(2).Padded(tinyShape,
		[]Counts{{Prompt: 3, Completion: 1}, {Prompt: 1, Completion: 1}, {Prompt: 2, Completion: 1}})
	if err != nil {
		t.Fatal(err)
	}
	third, err := FLOPs(tinyShape, 2, 1) // alone in the last batch
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{640 * 4 / 6.0 / 1e12, 640 * 2 / 6.0 / 1e12, third / 1e12} {
		if math.Abs(got[i]-want) > 1e-24 {
			t.Errorf("query %d costs %g, want %g", i, got[i], want)
		}
	}
}

func TestPaddingText(t *testing.T) {
	for _, c := range []struct {
		text string
		want Padding
		bad  bool
	}{
		{text: "none"}, {text: "batch:1", want: 1}, {text: "batch:32", want: 32},
		{text: "batch:0", bad: true}, {text: "batch:-8", bad: true}, {text: "batch:5000", bad: true}, {text: "8",
			bad: true}, {text: "batch:", bad: true}, {text: "", bad: true},
	} {
		var p Padding
		err := p.UnmarshalText([]byte(c.text))
		if (err != nil) != c.bad || p != c.want {
			t.Errorf("%q is %v, %v", c.text, p, err)
		}
		if err == nil && p.String() != c.text {
			t.Errorf("%q is written %q", c.text, p.String())
		}
	}
	if _, err := Padding(0).Padded(tinyShape, nil); err == nil {
		t.Error("no padding pads")
	}
	if _, err := Padding(8).Padded(tinyShape, []Counts{{}}); err == nil {
		t.Error("an answer without token counts is padded")
	}
}
