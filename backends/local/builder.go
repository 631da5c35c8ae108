package local

import (
	"fmt"
	"strings"

	"infnet/backends/runtime/kernel"
	"infnet/backends/runtime/packing"
	"infnet/backends/runtime/safetensors"
)

// build makes the network that p plans. Every tensor must be there with the
// shape config.json implies, and no other may.
func (p *plan) build(weights *safetensors.Folder) (*network, error) {
	s := p.shape
	n := &network{
		shape: s, hiddenPad: kernel.Round(s.Hidden), headPad: kernel.Round(s.HeadDim), innerPad: kernel.Round(s.FeedForward),
		epsilon: float32(p.epsilon), embedScale: float32(p.embedScale), queryScale: float32(p.queryScale), growth: p.growth,
		gate: p.gate,
	}
	at := p.names.find(weights)
	b := &builder{plan: p, net: n, weights: weights, used: map[string]bool{}}
	n.embed = b.matrix(at.model+"embed_tokens.weight", s.Vocabulary, s.Hidden)
	n.head = n.embed
	if !p.tied || weights.Has(at.head) {
		n.head = b.head(at.head)
	}
	n.norm = b.norm(at.model+"norm.weight", s.Hidden, 1)
	for i := range p.layers {
		n.layers = append(n.layers, b.layer(fmt.Sprintf("%slayers.%d.", at.model, i), p.layers[i]))
	}
	if b.err != nil {
		return nil, b.err
	}
	return n, b.leftover()
}

// find returns the first layout whose embeddings are there, or the first.
func (n names) find(weights *safetensors.Folder) layout {
	for _, l := range n.layouts {
		if weights.Has(l.model + "embed_tokens.weight") {
			return l
		}
	}
	return n.layouts[0]
}

// builder reads tensors and keeps the first error.
type builder struct {
	plan    *plan
	net     *network
	weights *safetensors.Folder
	used    map[string]bool
	err     error
}

// leftover refuses a tensor that was not used, unless it belongs to a part of the model that is not
// run, or is a table of positions, which some old exporters stored.
func (b *builder) leftover() error {
	for _, name := range b.weights.Names() {
		if b.used[name] || strings.HasSuffix(name, ".self_attn.rotary_emb.inv_freq") {
			continue
		}
		other := false
		for _, part := range b.plan.names.others {
			other = other || strings.HasPrefix(name, part)
		}
		if !other {
			return fmt.Errorf("tensor %q has no place in a %s model of %d layers", name, b.plan.family, b.plan.shape.Layers)
		}
	}
	return nil
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

// packed notes the use of tensors and reads them, unless something failed before.
func (b *builder) packed(read func() (*kernel.Matrix, error), names ...string) *kernel.Matrix {
	if b.err != nil {
		return nil
	}
	for _, name := range names {
		b.used[name] = true
	}
	m, err := read()
	if b.err = err; err != nil {
		return nil
	}
	return m
}

func (b *builder) matrix(name string, n, k int) *kernel.Matrix {
	return b.packed(func() (*kernel.Matrix, error) { return packing.Matrix(b.weights, name, n, k) }, name)
}

// norm reads norm weights w, applied as (w + offset)·scale, padded with zeros.
func (b *builder) norm(name string, n int, scale float64) []float32 {
	out := make([]float32, kernel.Round(n))
	for i, v := range b.read(name, n) {
		out[i] = float32((b.plan.normOffset + float64(v)) * scale)
	}
	return out
}

// head reads the output's weights. Some exporters store a tied head again; one
// that differs from the embeddings is not tied, whatever config.json says, as
// for the transformers library.
func (b *builder) head(name string) *kernel.Matrix {
	s := b.plan.shape
	m := b.matrix(name, s.Vocabulary, s.Hidden)
	if m == nil {
		return nil
	}
	if b.plan.tied {
		if m.Equal(b.net.embed) {
			return b.net.embed
		}
		b.net.shape.Params += float64(s.Vocabulary*s.Hidden) / 1e9
	}
	return m
}

// layer reads one block. The names of the norms are older than the second pair
// of them: with it, post_attention_layernorm comes before the addition.
func (b *builder) layer(p string, at placing) layer {
	s := b.plan.shape
	d, f := s.Hidden, s.FeedForward
	l := layer{window: at.window, turns: at.turns, preAttention: b.norm(p+"input_layernorm.weight", d, 1)}
	if b.plan.outNorms {
		l.postAttention = b.norm(p+"post_attention_layernorm.weight", d, 1)
		l.preFeed = b.norm(p+"pre_feedforward_layernorm.weight", d, 1)
		l.postFeed = b.norm(p+"post_feedforward_layernorm.weight", d, 1)
	} else {
		l.preFeed = b.norm(p+"post_attention_layernorm.weight", d, 1)
	}
	if b.plan.headNorms {
		l.queryNorm = b.norm(p+"self_attn.q_norm.weight", s.HeadDim, b.plan.queryScale)
		l.keyNorm = b.norm(p+"self_attn.k_norm.weight", s.HeadDim, 1)
	}
	l.qkv = b.stack(d, b.net.headPad, s.HeadDim,
		packing.Part{Name: p + "self_attn.q_proj.weight", Blocks: s.Heads},
		packing.Part{Name: p + "self_attn.k_proj.weight", Blocks: s.KVHeads},
		packing.Part{Name: p + "self_attn.v_proj.weight", Blocks: s.KVHeads})
	l.out = b.outProjection(p + "self_attn.o_proj.weight")
	l.gateUp = b.stack(d, b.net.innerPad, f, packing.Part{Name: p + "mlp.gate_proj.weight", Blocks: 1},
		packing.Part{Name: p + "mlp.up_proj.weight", Blocks: 1})
	l.down = b.matrix(p+"mlp.down_proj.weight", d, f)
	return l
}

// stack puts matrices of k inputs below one another, each block of rows outputs
// padded to pad.
func (b *builder) stack(k, pad, rows int, parts ...packing.Part) *kernel.Matrix {
	var names []string
	for _, p := range parts {
		names = append(names, p.Name)
	}
	return b.packed(func() (*kernel.Matrix, error) { return packing.Stack(b.weights, k, pad, rows, parts...) }, names...)
}

// outProjection spreads the inputs of the output projection to where the
// padded heads put them.
func (b *builder) outProjection(name string) *kernel.Matrix {
	s := b.plan.shape
	return b.packed(func() (*kernel.Matrix, error) {
		return packing.Spread(b.weights, name, s.Hidden, packing.Heads{Count: s.Heads, Size: s.HeadDim, Pad: b.net.headPad})
	}, name)
}
