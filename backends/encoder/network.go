package encoder

import (
	"fmt"

	"infnet/backends/runtime/kernel"
)

// network is the weights as the forward pass wants them. Widths ending in Pad
// are rounded up to kernel.Width; the padding is zero everywhere and stays so.
// It is read-only once built.
type network struct {
	config                       Config
	hiddenPad, headPad, innerPad int
	epsilon                      float32
	words                        []float32 // Vocabulary × Hidden
	positions                    []float32 // from the first token's: Longest × hiddenPad, the type of a first text added
	norm                         norm
	layers                       []layer
	relative                     []float32 // MPNet: Buckets × Heads, times the factor of the scores' softmax; else nil
}

// norm is a layer norm's two vectors, padded.
type norm struct{ weight, bias []float32 }

// layer is one block.
type layer struct {
	// heads of queries, then keys, then values, headPad apart; queries hold the scale of the scores
	qkv       *kernel.Matrix
	qkvBias   []float32
	out       *kernel.Matrix
	outBias   []float32
	attention norm
	up        *kernel.Matrix
	upBias    []float32
	down      *kernel.Matrix
	downBias  []float32
	feed      norm
}

// rowWidth is the width of a row of queries, keys and values.
func (n *network) rowWidth() int { return 3 * n.config.Heads * n.headPad }

// builder reads tensors and keeps the first error.
type builder struct {
	folder *Folder
	net    *network
	err    error
}

// build reads the network of a folder. Every tensor of it must be there with
// the shape config.json implies, and no other inside it may.
func build(f *Folder) (*network, error) {
	c := f.Config
	n := &network{
		config: c, epsilon: float32(c.Epsilon),
		hiddenPad: kernel.Round(c.Hidden), headPad: kernel.Round(c.Hidden / c.Heads), innerPad: kernel.Round(c.FeedForward),
	}
	b := &builder{folder: f, net: n}
	n.words = b.read("embeddings.word_embeddings.weight", c.Vocabulary, c.Hidden)
	n.positions = b.positions()
	n.norm = b.norm("embeddings.LayerNorm")
	for l := range c.Layers {
		n.layers = append(n.layers, b.layer(c.Names(l)))
	}
	if c.Buckets > 0 {
		n.relative = b.read("encoder.relative_attention_bias.weight", c.Buckets, c.Heads)
	}
	if b.err != nil {
		return nil, b.err
	}
	if name := f.unread(); name != "" {
		return nil, fmt.Errorf("tensor %q has no place in a %s encoder of %d layers", name, c.Architecture, c.Layers)
	}
	return n, nil
}

func (b *builder) read(name string, shape ...int) []float32 {
	if b.err != nil {
		return nil
	}
	x, err := b.folder.Read(name, shape...)
	if b.err = err; err != nil {
		return nil
	}
	return x
}

// padded reads a vector and pads it.
func (b *builder) padded(name string, n int) []float32 {
	out := make([]float32, kernel.Round(n))
	copy(out, b.read(name, n))
	return out
}

func (b *builder) norm(name string) norm {
	d := b.net.config.Hidden
	return norm{b.padded(name+".weight", d), b.padded(name+".bias", d)}
}

// positions reads the table of positions from the first token's on, and adds
// the type of tokens of a first text, the only one here.
func (b *builder) positions() []float32 {
	c, pad := b.net.config, b.net.hiddenPad
	table := b.read("embeddings.position_embeddings.weight", c.Positions, c.Hidden)
	var types []float32
	if c.Types > 0 {
		types = b.read("embeddings.token_type_embeddings.weight", c.Types, c.Hidden)
	}
	if b.err != nil {
		return nil
	}
	out := make([]float32, c.Longest()*pad)
	for p := range c.Longest() {
		row := out[p*pad : p*pad+c.Hidden]
		copy(row, table[(p+c.Offset())*c.Hidden:])
		for i := range types[:min(len(types), c.Hidden)] {
			row[i] += types[i]
		}
	}
	return out
}

func (b *builder) layer(names LayerNames) layer {
	c := b.net.config
	d, f := c.Hidden, c.FeedForward
	l := layer{
		outBias: b.padded(names.Out+".bias", d), attention: b.norm(names.AttentionNorm),
		up: b.matrix(names.Up+".weight", f, d), upBias: b.padded(names.Up+".bias", f),
		down: b.inner(names.Down + ".weight"), downBias: b.padded(names.Down+".bias", d), feed: b.norm(names.OutNorm),
	}
	l.qkv, l.qkvBias = b.projections(names)
	l.out = b.outProjection(names.Out + ".weight")
	return l
}

func (b *builder) matrix(name string, n, k int) *kernel.Matrix {
	w := b.read(name, n, k)
	if w == nil {
		return nil
	}
	return kernel.Pack(w, n, k)
}

// inner reads the second matrix of a feed-forward block.
func (b *builder) inner(name string) *kernel.Matrix {
	return b.matrix(name, b.net.config.Hidden, b.net.config.FeedForward)
}

// projections puts the matrices of queries, keys and values below one another,
// each head padded.
func (b *builder) projections(names LayerNames) (*kernel.Matrix, []float32) {
	c, pad := b.net.config, b.net.headPad
	dim := c.Hidden / c.Heads
	m := kernel.NewMatrix(b.net.rowWidth(), c.Hidden)
	bias := make([]float32, b.net.rowWidth())
	for j, name := range []string{names.Query, names.Key, names.Value} {
		w, v := b.read(name+".weight", c.Hidden, c.Hidden), b.read(name+".bias", c.Hidden)
		if b.err != nil {
			return nil, nil
		}
		for i := range c.Hidden {
			at := (j*c.Heads+i/dim)*pad + i%dim
			m.SetRow(at, w[i*c.Hidden:(i+1)*c.Hidden])
			bias[at] = v[i]
		}
	}
	return m, bias
}

// outProjection spreads the inputs of the output projection to where the
// padded heads put them.
func (b *builder) outProjection(name string) *kernel.Matrix {
	c, pad := b.net.config, b.net.headPad
	w := b.read(name, c.Hidden, c.Hidden)
	if w == nil {
		return nil
	}
	dim := c.Hidden / c.Heads
	m := kernel.NewMatrix(c.Hidden, c.Heads*pad)
	row := make([]float32, c.Heads*pad)
	for i := range c.Hidden {
		for h := range c.Heads {
			copy(row[h*pad:], w[i*c.Hidden+h*dim:i*c.Hidden+(h+1)*dim])
		}
		m.SetRow(i, row)
	}
	return m
}
