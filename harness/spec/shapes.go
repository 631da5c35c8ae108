package spec

import (
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/spec/place"
)

// knownShape is the shape of a published model.
type knownShape struct {
	name  string
	shape backends.Shape
}

// knownShapes are the models of the paper's study. The numbers are those of
// the models' config.json on the Hugging Face hub (text part); parameters are
// the round ones of the models' names, which the published cost signature
// takes. gemma3-1b has in truth a little under one billion.
func knownShapes() []knownShape {
	return []knownShape{
		{"gemma3-1b", backends.Shape{Hidden: 1152, Layers: 26, Heads: 4, HeadDim: 256, KVHeads: 1, FeedForward: 6912,
			Vocabulary: 262144, Window: 512, GlobalEvery: 6, Gated: true, Params: 1}},
		{"gemma3-4b", backends.Shape{Hidden: 2560, Layers: 34, Heads: 8, HeadDim: 256, KVHeads: 4, FeedForward: 10240,
			Vocabulary: 262208, Window: 1024, GlobalEvery: 6, Gated: true, Params: 4}},
		{"gemma3-12b", backends.Shape{Hidden: 3840, Layers: 48, Heads: 16, HeadDim: 256, KVHeads: 8, FeedForward: 15360,
			Vocabulary: 262208, Window: 1024, GlobalEvery: 6, Gated: true, Params: 12}},
		{"gemma3-27b", backends.Shape{Hidden: 5376, Layers: 62, Heads: 32, HeadDim: 128, KVHeads: 16, FeedForward: 21504,
			Vocabulary: 262208, Window: 1024, GlobalEvery: 6, Gated: true, Params: 27}},
		{"qwen3-4b", backends.Shape{Hidden: 2560, Layers: 36, Heads: 32, HeadDim: 128, KVHeads: 8, FeedForward: 9728,
			Vocabulary: 151936, Gated: true, Params: 4}},
		{"ministral3-3b", backends.Shape{Hidden: 3072, Layers: 26, Heads: 32, HeadDim: 128, KVHeads: 8, FeedForward: 9216,
			Vocabulary: 131072, Gated: true, Params: 3}},
	}
}

func shapeNames() []string {
	var names []string
	for _, k := range knownShapes() {
		names = append(names, k.name)
	}
	return names
}

// checkShape takes over the shape that a spec states, and the parameters of a
// known one.
func checkShape(d *definition, m *Model) {
	r := d.model()
	if m.Shape = statedShape(d, r.Shape); m.Shape == nil {
		return
	}
	if r.Params == nil {
		m.Params = m.Shape.Params
	}
	m.Shape.Params = m.Params
}

// statedShape checks a stated shape; nil after a problem.
func statedShape(d *definition, r *rawShape) *backends.Shape {
	at := d.at + ".shape"
	if r.known != nil {
		known := knownShapes()
		i := slices.IndexFunc(known, func(k knownShape) bool { return k.name == *r.known })
		if i < 0 {
			d.file.wrong(at, fmt.Sprintf("no known shape %q", *r.known),
				place.Suggest(*r.known, shapeNames())+" (others are tables: shape = { hidden = …, layers = …, … })")
			return nil
		}
		return &known[i].shape
	}
	before := len(d.file.problems)
	s := &backends.Shape{Gated: or(r.Gated, true)}
	for _, k := range []struct {
		key      string
		p        *int64
		to       *int
		least    int64
		optional bool
	}{
		{"hidden", r.Hidden, &s.Hidden, 1, false},
		{"layers", r.Layers, &s.Layers, 1, false},
		{"heads", r.Heads, &s.Heads, 1, false},
		{"head_dim", r.HeadDim, &s.HeadDim, 1, false},
		{"kv_heads", r.KVHeads, &s.KVHeads, 1, true},
		{"feed_forward", r.FeedForward, &s.FeedForward, 1, false},
		{"vocabulary", r.Vocabulary, &s.Vocabulary, 1, false},
		{"window", r.Window, &s.Window, 0, true},
		{"global_every", r.GlobalEvery, &s.GlobalEvery, 0, true},
	} {
		switch {
		case k.p != nil:
			*k.to = int(d.file.whole(place.Join(at, k.key), k.p, 0, k.least, mostShape))
		case !k.optional:
			d.file.missing(at, k.key, "the model's config.json says; or name a known shape: "+strings.Join(shapeNames(), ", "))
		}
	}
	if r.KVHeads == nil {
		s.KVHeads = s.Heads
	}
	if len(d.file.problems) > before {
		return nil
	}
	switch {
	case s.KVHeads > s.Heads || s.Heads%s.KVHeads != 0:
		d.file.wrong(at+".kv_heads", fmt.Sprintf("%d key-value heads for %d heads", s.KVHeads, s.Heads),
			"heads share key-value heads in equal groups: a divisor of heads")
	case s.GlobalEvery > 0 && s.Window == 0:
		d.file.wrong(at+".global_every", "without a window every layer sees all keys",
			"give the window too, or leave global_every out")
	}
	return s
}

// mostShape bounds each number of a shape, so that FLOPs stay countable.
const mostShape = 1 << 20
