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
	where layouts
	bos   *int
	eos   []int
	turns func(tokens tokenizer, thinks bool) *turns // nil where the tokenizer lacks them
}

// layouts are where exporters put a text model's tensors, tried in order.
type layouts struct {
	known  []layout
	others []string // beginnings of the names of what is not the text model
}

// layout is the beginning of the names of a text model's tensors, and the name
// of its head where it is not tied.
type layout struct{ model, head string }

// textLayouts are those of a text model alone.
var textLayouts = layouts{known: []layout{{"model.", "lm_head"}}}

// partLayouts are those of a text model within one with images, as the hub has
// them and as newer exporters write them.
var partLayouts = layouts{
	known: []layout{
		{"language_model.model.", "language_model.lm_head"},
		{"model.language_model.", "lm_head"},
	},
	others: []string{"vision_tower.", "multi_modal_projector.", "model.vision_tower.", "model.multi_modal_projector."},
}

// gemmaLayouts are those of a text model alone: exporters have written such
// folders in both ways.
var gemmaLayouts = layouts{known: append(slices.Clone(textLayouts.known), partLayouts.known...)}

// newPlan fills in what a checked config says alike in all families. The layers
// see everything and turn as the rope says.
func newPlan(family string, c *config, where layouts) *plan {
	return &plan{
		where: where, tied: c.Tied != nil && *c.Tied, bos: c.BOS, eos: c.EOS,
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
// unless it belongs to a part of the model that is not run, or is a table of positions, which some old
// exporters stored. Some store a tied head again; one that differs from the embeddings is not tied,
// whatever config.json says, as for the transformers library.
func (p *plan) build(folder *safetensors.Folder) (*transformer.Network, error) {
	at := p.where.known[0]
	for _, l := range slices.Backward(p.where.known) {
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
		return !strings.HasSuffix(name, ".self_attn.rotary_emb.inv_freq") &&
			!slices.ContainsFunc(p.where.others, func(part string) bool { return strings.HasPrefix(name, part) })
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
