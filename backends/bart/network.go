package bart

import (
	"fmt"
	"math"

	"infnet/backends/runtime/kernel"
	"infnet/backends/runtime/packing"
	"infnet/backends/runtime/safetensors"
)

// offset is the row of the first position in the tables: BART keeps two rows
// for padding.
const offset = 2

// network is the weights as the forward pass wants them. It is read-only once
// built. pad is the width rounded up to kernel.Width; what is padded is zero.
type network struct {
	hidden, pad int
	epsilon     float32
	scale       float32        // of token vectors
	head        *kernel.Matrix // Vocabulary × hidden: the vectors of tokens as well
	bias        []float32      // final_logits_bias, Vocabulary
	encoder     stack
	decoder     stack
}

// stack is the encoder or the decoder.
type stack struct {
	heads, inner int
	positions    []float32 // Positions × hidden
	norm         norm      // of embeddings
	layers       []layer
}

type norm struct{ weight, bias []float32 }

// linear is a matrix with its bias, padded.
type linear struct {
	matrix *kernel.Matrix
	bias   []float32
}

// attention is one multi-head attention and the norm after it.
type attention struct {
	query, key, value, out linear
	norm                   norm
}

// layer is one block; cross is the decoder's look at the encoder.
type layer struct {
	self     attention
	cross    *attention
	up, down linear
	norm     norm
}

// builder reads tensors and keeps the first error.
type builder struct {
	weights *safetensors.Folder
	prefix  string
	hidden  int
	err     error
}

// build reads the network.
func build(w *safetensors.Folder, c *config) (*network, error) {
	b := &builder{weights: w, hidden: *c.Hidden}
	if w.Has("model.encoder.layernorm_embedding.weight") {
		b.prefix = "model."
	}
	n := &network{hidden: *c.Hidden, pad: kernel.Round(*c.Hidden), epsilon: c.epsilon(), scale: 1}
	if c.Scaled {
		n.scale = float32(math.Sqrt(float64(*c.Hidden)))
	}
	shared := b.prefix + "shared.weight"
	if !w.Has(shared) {
		shared = b.prefix + "encoder.embed_tokens.weight"
		if !w.Has(shared) && w.Has("lm_head.weight") { // tied, and saved under this name alone
			shared = "lm_head.weight"
		}
	}
	n.head = b.matrix(shared, *c.Vocabulary, *c.Hidden)
	n.bias = make([]float32, kernel.Round(*c.Vocabulary))
	if w.Has("final_logits_bias") {
		copy(n.bias, b.readNamed("final_logits_bias", 1, *c.Vocabulary))
	}
	n.encoder = b.stack("encoder", *c.EncoderLayers, *c.EncoderHeads, *c.EncoderInner, *c.Positions, false)
	n.decoder = b.stack("decoder", *c.DecoderLayers, *c.DecoderHeads, *c.DecoderInner, *c.Positions, true)
	if b.err != nil {
		return nil, b.err
	}
	return n, nil
}

func (b *builder) readNamed(name string, shape ...int) []float32 {
	if b.err != nil {
		return nil
	}
	x, err := b.weights.Read(name, shape...)
	if b.err = err; err != nil {
		return nil
	}
	return x
}

func (b *builder) stack(name string, layers, heads, inner, positions int, crossed bool) stack {
	at := b.prefix + name + "."
	s := stack{heads: heads, inner: inner,
		positions: b.readNamed(at+"embed_positions.weight", positions+offset, b.hidden),
		norm:      b.norm(at + "layernorm_embedding"),
	}
	for i := range layers {
		in := fmt.Sprintf("%slayers.%d.", at, i)
		l := layer{
			self: b.attention(in+"self_attn", in+"self_attn_layer_norm"),
			up:   b.linear(in+"fc1", inner, b.hidden), down: b.linear(in+"fc2", b.hidden, inner),
			norm: b.norm(in + "final_layer_norm"),
		}
		if crossed {
			cross := b.attention(in+"encoder_attn", in+"encoder_attn_layer_norm")
			l.cross = &cross
		}
		s.layers = append(s.layers, l)
	}
	return s
}

func (b *builder) attention(name, after string) attention {
	d := b.hidden
	return attention{
		query: b.linear(name+".q_proj", d, d), key: b.linear(name+".k_proj", d, d),
		value: b.linear(name+".v_proj", d, d), out: b.linear(name+".out_proj", d, d),
		norm: b.norm(after),
	}
}

func (b *builder) linear(name string, n, k int) linear {
	return linear{b.matrix(name+".weight", n, k), b.padded(name+".bias", n)}
}

func (b *builder) matrix(name string, n, k int) *kernel.Matrix {
	if b.err != nil {
		return nil
	}
	m, err := packing.Matrix(b.weights, name, n, k)
	b.err = err
	return m
}

func (b *builder) norm(name string) norm {
	return norm{b.padded(name+".weight", b.hidden), b.padded(name+".bias", b.hidden)}
}

func (b *builder) padded(name string, n int) []float32 {
	out := make([]float32, kernel.Round(n))
	copy(out, b.readNamed(name, n))
	return out
}
