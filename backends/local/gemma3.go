package local

import (
	"fmt"
	"math"
	"slices"

	"infnet/backends"
	"infnet/backends/local/kernel"
	"infnet/backends/local/safetensors"
)

// gemma3 builds the network of a Gemma 3 text model. Every tensor must be there
// with the shape config.json implies, and no other may.
//
// Gemma Team, Gemma 3 Technical Report, 2025.
func gemma3(c *config, weights *safetensors.Folder) (*network, error) {
	b := &builder{config: c, weights: weights, used: map[string]bool{}}
	n := &network{
		shape:     c.shape(),
		hiddenPad: kernel.Round(*c.Hidden), headPad: kernel.Round(*c.HeadDim), innerPad: kernel.Round(*c.FeedForward),
		epsilon: float32(*c.Epsilon), embedScale: float32(math.Sqrt(float64(*c.Hidden))),
	}
	n.embed = b.matrix("model.embed_tokens.weight", *c.Vocabulary, *c.Hidden)
	n.head = n.embed
	if c.Tied != nil && !*c.Tied {
		n.head = b.matrix("lm_head.weight", *c.Vocabulary, *c.Hidden)
	} else {
		b.used["lm_head.weight"] = true // some exporters store the tied head again
	}
	n.norm = b.norm("model.norm.weight", *c.Hidden, 1)
	factor, _ := c.RopeScaling.factor("rope_scaling", true) // checked with the config
	global, local := newAngles(*c.HeadDim, *c.RopeGlobal, factor), newAngles(*c.HeadDim, *c.RopeLocal, 1)
	for i, t := range c.LayerTypes {
		l := b.layer(fmt.Sprintf("model.layers.%d.", i), n)
		l.turns = global
		if t == slidingLayer {
			l.turns, l.window = local, *c.Window
		}
		n.layers = append(n.layers, l)
	}
	if b.err != nil {
		return nil, b.err
	}
	for _, name := range weights.Names() {
		if !b.used[name] {
			return nil, fmt.Errorf("tensor %q has no place in a Gemma 3 text model of %d layers", name, *c.Layers)
		}
	}
	return n, nil
}

// shape is what config.json says of the network, parameters included: those of
// the tensors that gemma3 asks for.
func (c *config) shape() backends.Shape {
	s := backends.Shape{
		Hidden: *c.Hidden, Layers: *c.Layers, Heads: *c.Heads, HeadDim: *c.HeadDim, KVHeads: *c.KVHeads, FeedForward: *c.FeedForward,
		Vocabulary: *c.Vocabulary, Context: *c.Context, Gated: true,
	}
	s.Window, s.GlobalEvery = c.windowing()
	queries, keys := s.Heads*s.HeadDim, s.KVHeads*s.HeadDim
	layer := 2*s.Hidden*queries + 2*s.Hidden*keys + 3*s.Hidden*s.FeedForward + 4*s.Hidden + 2*s.HeadDim
	params := s.Vocabulary*s.Hidden + s.Layers*layer + s.Hidden
	if c.Tied != nil && !*c.Tied {
		params += s.Vocabulary * s.Hidden
	}
	s.Params = float64(params) / 1e9
	return s
}

// windowing describes the layers for cost formulas: the window (0 where all
// layers are global) and the period of the global ones. A list without a period
// is described by the nearest one.
func (c *config) windowing() (window, every int) {
	globals := 0
	for _, t := range c.LayerTypes {
		if t == globalLayer {
			globals++
		}
	}
	switch {
	case globals == len(c.LayerTypes):
		return 0, 0
	case c.Pattern != nil:
		return *c.Window, *c.Pattern
	case globals == 0:
		return *c.Window, len(c.LayerTypes) + 1
	}
	if first := slices.Index(c.LayerTypes, globalLayer) + 1; len(c.LayerTypes)/first == globals {
		return *c.Window, first
	}
	return *c.Window, (len(c.LayerTypes) + globals/2) / globals
}

// builder reads tensors and keeps the first error.
type builder struct {
	config  *config
	weights *safetensors.Folder
	used    map[string]bool
	err     error
}

func (b *builder) read(name string, shape ...int) []float32 {
	if b.err != nil {
		return nil
	}
	b.used[name] = true
	x, err := b.weights.Read(name, shape...)
	if b.err = err; err != nil {
		return nil
	}
	return x
}

func (b *builder) matrix(name string, n, k int) *kernel.Matrix {
	w := b.read(name, n, k)
	if w == nil {
		return nil
	}
	return kernel.Pack(w, n, k)
}

// norm reads norm weights, stored as w and applied as (1+w)·scale, padded with
// zeros.
func (b *builder) norm(name string, n int, scale float64) []float32 {
	out := make([]float32, kernel.Round(n))
	for i, v := range b.read(name, n) {
		out[i] = float32((1 + float64(v)) * scale)
	}
	return out
}

func (b *builder) layer(p string, n *network) layer {
	c := b.config
	d, f := *c.Hidden, *c.FeedForward
	return layer{
		preAttention:  b.norm(p+"input_layernorm.weight", d, 1),
		postAttention: b.norm(p+"post_attention_layernorm.weight", d, 1),
		preFeed:       b.norm(p+"pre_feedforward_layernorm.weight", d, 1),
		postFeed:      b.norm(p+"post_feedforward_layernorm.weight", d, 1),
		queryNorm:     b.norm(p+"self_attn.q_norm.weight", *c.HeadDim, 1/math.Sqrt(*c.QueryScalar)),
		keyNorm:       b.norm(p+"self_attn.k_norm.weight", *c.HeadDim, 1),
		qkv: b.stack(d, n.headPad, *c.HeadDim,
			part{p + "self_attn.q_proj.weight", *c.Heads}, part{p + "self_attn.k_proj.weight", *c.KVHeads}, part{p + "self_attn.v_proj.weight", *c.KVHeads}),
		out:    b.outProjection(p+"self_attn.o_proj.weight", n),
		gateUp: b.stack(d, n.innerPad, f, part{p + "mlp.gate_proj.weight", 1}, part{p + "mlp.up_proj.weight", 1}),
		down:   b.matrix(p+"mlp.down_proj.weight", d, f),
	}
}

// part is a matrix of several blocks of outputs (heads, for attention).
type part struct {
	name   string
	blocks int
}

// stack puts matrices of k inputs below one another, each block of rows outputs
// padded to pad.
func (b *builder) stack(k, pad, rows int, parts ...part) *kernel.Matrix {
	total := 0
	var read [][]float32
	for _, p := range parts {
		total += p.blocks
		read = append(read, b.read(p.name, p.blocks*rows, k))
	}
	if b.err != nil {
		return nil
	}
	m := kernel.NewMatrix(total*pad, k)
	at := 0
	for j, p := range parts {
		w := read[j]
		for i := range p.blocks * rows {
			m.SetRow(at+i/rows*pad+i%rows, w[i*k:(i+1)*k])
		}
		at += p.blocks * pad
	}
	return m
}

// outProjection spreads the inputs of the output projection to where the
// padded heads put them.
func (b *builder) outProjection(name string, n *network) *kernel.Matrix {
	heads, dim, d := *b.config.Heads, *b.config.HeadDim, *b.config.Hidden
	w := b.read(name, d, heads*dim)
	if w == nil {
		return nil
	}
	m := kernel.NewMatrix(d, heads*n.headPad)
	row := make([]float32, heads*n.headPad)
	for i := range d {
		for h := range heads {
			copy(row[h*n.headPad:], w[(i*heads+h)*dim:(i*heads+h+1)*dim])
		}
		m.SetRow(i, row)
	}
	return m
}
