package local

import (
	"math"
	"slices"

	"infnet/backends"
	"infnet/backends/runtime/kernel"
)

// plan is a network before its weights: what a family makes of config.json. A
// family is one function that fills it in; everything after it is shared.
type plan struct {
	family  string // for errors
	shape   backends.Shape
	layers  []placing
	tied    bool // the embeddings are the output's weights too
	epsilon float64

	normOffset float64 // added to stored norm weights
	outNorms   bool    // what attention and feed-forward add is normed as well
	headNorms  bool    // queries and keys are normed, head by head
	embedScale float64
	queryScale float64
	growth     *growth // nil = none
	gate       func(dst, gate, up []float32)

	names names
	bos   *int
	eos   []int
	turns func(tokens tokenizer, thinks bool) *turns // nil where the tokenizer lacks them
}

// placing is what differs between layers.
type placing struct {
	window int // keys a query sees, itself included; 0 = all
	turns  *angles
}

// names are the names of a folder's tensors. The layouts of different exporters are tried in order.
type names struct {
	layouts []layout
	others  []string // beginnings of the names of what is not the text model
}

// layout is the beginning of the names of a text model's tensors, and the name
// of its head where it is not tied.
type layout struct{ model, head string }

// textNames are the names of a text model alone.
var textNames = names{layouts: []layout{{"model.", "lm_head.weight"}}}

// partNames are the names of a text model within one with images, as the hub
// has them and as newer exporters write them.
var partNames = names{
	layouts: []layout{
		{"language_model.model.", "language_model.lm_head.weight"},
		{"model.language_model.", "lm_head.weight"},
	},
	others: []string{"vision_tower.", "multi_modal_projector.", "model.vision_tower.", "model.multi_modal_projector."},
}

// gemma3Names are those of a text model alone: exporters have written such
// folders in both ways.
var gemma3Names = names{layouts: append(slices.Clone(textNames.layouts), partNames.layouts...)}

// newPlan fills in what a checked config says alike in all families. The layers
// see everything and turn as the rope says.
func newPlan(family string, c *config, n names) *plan {
	return &plan{
		family: family, names: n, tied: c.Tied != nil && *c.Tied, epsilon: *c.Epsilon, bos: c.BOS, eos: c.EOS,
		embedScale: 1, queryScale: 1 / math.Sqrt(float64(*c.HeadDim)), gate: kernel.SiluMul,
		shape: backends.Shape{
			Hidden: *c.Hidden, Layers: *c.Layers, Heads: *c.Heads, HeadDim: *c.HeadDim, KVHeads: *c.KVHeads,
			FeedForward: *c.FeedForward,
			Vocabulary:  *c.Vocabulary, Context: *c.Context, Gated: true,
		},
	}
}

// done completes the shape from the rest of the plan.
func (p *plan) done() *plan {
	p.shape.Window, p.shape.GlobalEvery = p.windowing()
	p.shape.Params = float64(p.parameters()) / 1e9
	return p
}

// parameters counts the numbers in the tensors the plan asks for.
func (p *plan) parameters() int {
	s := p.shape
	queries, keys := s.Heads*s.HeadDim, s.KVHeads*s.HeadDim
	layer := 2*s.Hidden*queries + 2*s.Hidden*keys + 3*s.Hidden*s.FeedForward + 2*s.Hidden
	if p.outNorms {
		layer += 2 * s.Hidden
	}
	if p.headNorms {
		layer += 2 * s.HeadDim
	}
	n := s.Vocabulary*s.Hidden + s.Layers*layer + s.Hidden
	if !p.tied {
		n += s.Vocabulary * s.Hidden
	}
	return n
}

// windowing describes the layers for cost formulas: the window (0 where all
// layers are global) and the period of the global ones. A list without a period
// is described by the nearest one.
func (p *plan) windowing() (window, every int) {
	globals, first := 0, 0
	for l, at := range p.layers {
		if at.window > 0 {
			window = at.window
			continue
		}
		if globals++; first == 0 {
			first = l + 1
		}
	}
	n := len(p.layers)
	switch {
	case globals == n:
		return 0, 0
	case globals == 0:
		return window, n + 1
	case n/first == globals:
		return window, first
	}
	return window, (n + globals/2) / globals
}
