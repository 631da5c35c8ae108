package local

import (
	"fmt"
	"slices"
	"strings"

	"infnet/backends/runtime/kernel"
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

func (b *builder) matrix(name string, n, k int) *kernel.Matrix {
	w := b.read(name, n, k)
	if w == nil {
		return nil
	}
	return kernel.Pack(w, n, k)
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
	w := b.read(name, s.Vocabulary, s.Hidden)
	if w == nil {
		return nil
	}
	row, same := make([]float32, s.Hidden), b.plan.tied
	for i := 0; i < s.Vocabulary && same; i++ {
		b.net.embed.Row(row, i)
		same = slices.Equal(row, w[i*s.Hidden:(i+1)*s.Hidden])
	}
	if same {
		return b.net.embed
	}
	if b.plan.tied {
		b.net.shape.Params += float64(s.Vocabulary*s.Hidden) / 1e9
	}
	return kernel.Pack(w, s.Vocabulary, s.Hidden)
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
		part{p + "self_attn.q_proj.weight", s.Heads}, part{p + "self_attn.k_proj.weight",
			s.KVHeads}, part{p + "self_attn.v_proj.weight", s.KVHeads})
	l.out = b.outProjection(p + "self_attn.o_proj.weight")
	l.gateUp = b.stack(d, b.net.innerPad, f, part{p + "mlp.gate_proj.weight", 1}, part{p + "mlp.up_proj.weight", 1})
	l.down = b.matrix(p+"mlp.down_proj.weight", d, f)
	return l
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
func (b *builder) outProjection(name string) *kernel.Matrix {
	heads, dim, d, pad := b.plan.shape.Heads, b.plan.shape.HeadDim, b.plan.shape.Hidden, b.net.headPad
	w := b.read(name, d, heads*dim)
	if w == nil {
		return nil
	}
	m := kernel.NewMatrix(d, heads*pad)
	row := make([]float32, heads*pad)
	for i := range d {
		for h := range heads {
			copy(row[h*pad:], w[(i*heads+h)*dim:(i*heads+h+1)*dim])
		}
		m.SetRow(i, row)
	}
	return m
}
