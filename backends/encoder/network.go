package encoder

import (
	"fmt"

	"infnet/backends/runtime/kernel"
	"infnet/backends/runtime/number"
	"infnet/backends/runtime/packing"
)

// network is the weights as the forward pass wants them. Widths ending in Pad
// are rounded up to kernel.Width; the padding is zero everywhere and stays so.
// It is read-only once built.
type network struct {
	config                       Config
	hiddenPad, headPad, innerPad int
	epsilon                      float32
	words                        number.Slice // Vocabulary × Hidden, as stored
	positions                    []float32    // from the first token's: Longest × hiddenPad, first types added
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
	n.words = b.stored("embeddings.word_embeddings.weight", c.Vocabulary, c.Hidden)
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
		down: b.matrix(names.Down+".weight", d, f), downBias: b.padded(names.Down+".bias", d), feed: b.norm(names.OutNorm),
	}
	l.qkv, l.qkvBias = b.projections(names)
	l.out = b.outProjection(names.Out + ".weight")
	return l
}

// stored reads a table without widening it.
func (b *builder) stored(name string, rows, wide int) number.Slice {
	if b.err == nil {
		b.err = b.folder.Check(name, rows, wide)
	}
	if b.err != nil {
		return number.Slice{}
	}
	out := number.Make(b.folder.Format(name), rows*wide)
	b.err = b.folder.Rows(name, func(first int, x number.Slice) {
		to := out.Sub(first*wide, first*wide+x.Len())
		copy(to.Wide, x.Wide)
		copy(to.Halves, x.Halves)
	}, rows, wide)
	return out
}

// keep returns a matrix unless something failed.
func (b *builder) keep(m *kernel.Matrix, err error) *kernel.Matrix {
	if b.err == nil {
		b.err = err
	}
	return m
}

func (b *builder) matrix(name string, n, k int) *kernel.Matrix {
	return b.keep(packing.Matrix(b.folder, name, n, k))
}

// projections puts the matrices of queries, keys and values below one another,
// each head padded.
func (b *builder) projections(names LayerNames) (*kernel.Matrix, []float32) {
	c, pad := b.net.config, b.net.headPad
	dim := c.Hidden / c.Heads
	bias := make([]float32, b.net.rowWidth())
	var parts []packing.Part
	for j, name := range []string{names.Query, names.Key, names.Value} {
		parts = append(parts, packing.Part{Name: name + ".weight", Blocks: c.Heads})
		for i, v := range b.read(name+".bias", c.Hidden) {
			bias[(j*c.Heads+i/dim)*pad+i%dim] = v
		}
	}
	return b.keep(packing.Stack(b.folder, c.Hidden, pad, dim, parts...)), bias
}

// outProjection spreads the inputs of the output projection to where the
// padded heads put them.
func (b *builder) outProjection(name string) *kernel.Matrix {
	c := b.net.config
	return b.keep(packing.Spread(b.folder, name, c.Hidden,
		packing.Heads{Count: c.Heads, Size: c.Hidden / c.Heads, Pad: b.net.headPad}))
}
