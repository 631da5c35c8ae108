package spec

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"infnet/backends"
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

// checkShape takes over the shape that a spec names, and the parameters of a known one.
func checkShape(d *definition, m *Model) {
	r, known := d.model(), knownShapes()
	if i := slices.IndexFunc(known, func(k knownShape) bool { return k.name == *r.Shape }); i >= 0 {
		m.Shape = &known[i].shape
		if r.Params == nil {
			m.Params = m.Shape.Params
		}
		m.Shape.Params = m.Params
		return
	}
	where, ok := d.file.path(d.at+".shape", *r.Shape)
	if !ok {
		return
	}
	if _, err := d.file.fsys.stat(path.Join(where, "config.json")); err != nil {
		d.wrong("shape", fmt.Sprintf("no known shape %q, and no folder with a config.json", *r.Shape),
			"name a folder that holds the model's config.json, or a known shape: "+strings.Join(shapeNames(), ", "))
		return
	}
	m.ShapeIn = where
}
