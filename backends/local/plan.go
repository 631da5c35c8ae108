package local

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/backends/runtime/kernel"
	"infnet/backends/runtime/safetensors"
	"infnet/backends/runtime/transformer"
)

// plan is a model before its weights: what a family makes of config.json. A family is one function that
// fills it in; everything after it is shared.
type plan struct {
	transformer.Plan
	tied  bool // the embeddings are the output's weights too
	bos   *int
	eos   []int
	turns func(tokens tokenizer, thinks bool) *turns // nil where the tokenizer lacks them
}

// layouts are where exporters put a text model's tensors, alone or within a model with images, and its head where it
// is not tied; others begin the names of what is not the text model.
var (
	layouts = []struct{ model, head string }{
		{"model.", "lm_head"},
		{"language_model.model.", "language_model.lm_head"},
		{"model.language_model.", "lm_head"},
	}
	others = []string{"vision_tower.", "multi_modal_projector.", "model.vision_tower.", "model.multi_modal_projector."}
)

// newPlan fills in what a checked config says alike in all families.
func newPlan(family string, c *config) *plan {
	return &plan{
		tied: c.Tied != nil && *c.Tied, bos: c.BOS, eos: c.EOS,
		Plan: transformer.Plan{
			Family: family, Epsilon: *c.Epsilon, EmbedScale: 1, QueryScale: 1 / math.Sqrt(float64(*c.HeadDim)),
			Gate: kernel.SiluMul,
			Shape: backends.Shape{
				Hidden: *c.Hidden, Layers: *c.Layers, Heads: *c.Heads, HeadDim: *c.HeadDim, KVHeads: *c.KVHeads,
				FeedForward: *c.FeedForward, Vocabulary: *c.Vocabulary, Context: *c.Context, Gated: true,
			},
			Names: transformer.Names{
				Embed: "embed_tokens", FinalNorm: "norm", Layer: "layers.%d.",
				Self: transformer.AttentionNames{
					Norms: transformer.NormNames{Before: "input_layernorm"},
					Query: "self_attn.q_proj", Key: "self_attn.k_proj", Value: "self_attn.v_proj", Out: "self_attn.o_proj",
				},
				Feed: transformer.FeedNames{
					Norms: transformer.NormNames{Before: "post_attention_layernorm"},
					Gate:  "mlp.gate_proj", Up: "mlp.up_proj", Down: "mlp.down_proj",
				},
			},
		},
	}
}

// all plans layers that are all alike, and see everything.
func (p *plan) all(turns *transformer.Angles) *plan {
	p.Layers = slices.Repeat([]transformer.Placing{{Turns: turns}}, p.Shape.Layers)
	return p.counted()
}

// counted adds to the shape what the layers come to.
func (p *plan) counted() *plan {
	p.Shape.Window, p.Shape.GlobalEvery = p.windowing()
	p.Shape.Params = float64(p.parameters()) / 1e9
	return p
}

// normHeads has queries and keys normed, head by head.
func (p *plan) normHeads() {
	p.Names.Self.QueryNorm, p.Names.Self.KeyNorm = "self_attn.q_norm", "self_attn.k_norm"
}

// normOutputs has normed what attention and feed-forward add as well. The names are older than this second
// pair of norms: with it, post_attention_layernorm comes before the addition.
func (p *plan) normOutputs() {
	p.Names.Self.Norms.Said = "post_attention_layernorm"
	p.Names.Feed.Norms = transformer.NormNames{Before: "pre_feedforward_layernorm", Said: "post_feedforward_layernorm"}
}

// build reads the network. Every tensor must be there with the shape that config.json implies, and no other may,
// unless it belongs to a part of the model that is not run. Some store a tied head again; one that differs from the
// embeddings is not tied, whatever config.json says, as for the transformers library.
func (p *plan) build(folder *safetensors.Folder) (*transformer.Network, error) {
	at := layouts[0]
	for _, l := range slices.Backward(layouts) {
		if folder.Has(l.model + "embed_tokens.weight") {
			at = l
		}
	}
	made := p.Plan
	if !p.tied || folder.Has(at.head+".weight") {
		made.Names.Head = at.head
	}
	w := transformer.NewWeights(folder, func(name string) string {
		if strings.HasPrefix(name, at.head) {
			return name
		}
		return at.model + name
	})
	n, err := made.Build(w)
	if err != nil {
		return nil, err
	}
	if p.tied && !n.Tied() {
		n.Shape.Params += float64(p.Shape.Vocabulary*p.Shape.Hidden) / 1e9
	}
	unused := w.Unused(func(name string) bool {
		return !slices.ContainsFunc(others, func(part string) bool { return strings.HasPrefix(name, part) })
	})
	if unused != "" {
		return nil, fmt.Errorf("tensor %q has no place in a %s model of %d layers", unused, p.Family, p.Shape.Layers)
	}
	return n, nil
}

func (p *plan) parameters() int {
	s := p.Shape
	queries, keys := s.Heads*s.HeadDim, s.KVHeads*s.HeadDim
	layer := 2*s.Hidden*queries + 2*s.Hidden*keys + 3*s.Hidden*s.FeedForward + 2*s.Hidden
	if p.Names.Self.Norms.Said != "" {
		layer += 2 * s.Hidden
	}
	if p.Names.Self.QueryNorm != "" {
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
	for l, at := range p.Layers {
		if at.Window > 0 {
			window = at.Window
			continue
		}
		if globals++; first == 0 {
			first = l + 1
		}
	}
	n := len(p.Layers)
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
