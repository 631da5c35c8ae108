package transformer

import (
	"fmt"
	"slices"

	"infnet/backends"
	"infnet/backends/runtime/kernel"
)

// Network is a transformer ready to run. Widths that end in Pad are rounded up to kernel.Width; the padding
// is zero everywhere and stays so. It is read-only once built.
type Network struct {
	Shape backends.Shape
	Pad   int            // the width of a row of vectors
	Head  *kernel.Matrix // vocabulary × hidden; the embeddings, where the plan names no head

	plan      *Plan
	headPad   int
	epsilon   float32
	embed     *kernel.Matrix // vocabulary × hidden
	positions []float32      // from the first token's, Pad apart, with the first type added; nil = none
	relative  []float32      // by head, then by the distance of a key from a query; nil = none
	norm      *norm          // of the embeddings; nil = none
	final     *norm          // of the result; nil = none
	layers    []layer
}

type layer struct {
	self  attention
	cross *attention // nil = none
	feed  feed
	Placing
}

// norm is the two vectors of a norm, as applied; bias is nil where the mean stays.
type norm struct{ weight, bias []float32 }

// norms are where a part norms: what it reads, what it says, the sum. nil = not there.
type norms struct{ before, said, after *norm }

type linear struct {
	matrix *kernel.Matrix
	bias   []float32
}

type attention struct {
	norms
	query, key *norm  // of each head; query holds the factor of the scores as well; nil = none
	qkv        linear // heads of queries, then keys, then values, headPad apart
	out        linear
}

type feed struct {
	norms
	up   linear // of a gated network the gate, then what it gates, each padded
	down linear
}

func (n *Network) queryWidth() int { return n.Shape.Heads * n.headPad }
func (n *Network) valueStart() int { return (n.Shape.Heads + n.Shape.KVHeads) * n.headPad }
func (n *Network) rowWidth() int   { return (n.Shape.Heads + 2*n.Shape.KVHeads) * n.headPad }

// Build reads the network that p plans, the embeddings once where a stored head equals them. Every
// tensor must be there with the shape that p states.
func (p *Plan) Build(w *Weights) (*Network, error) {
	s := p.Shape
	n := &Network{Shape: s, Pad: kernel.Round(s.Hidden), headPad: kernel.Round(s.HeadDim), plan: p,
		epsilon: float32(p.Epsilon)}
	b := &builder{Weights: w, plan: p}
	n.embed = w.matrix(p.Names.Embed, s.Vocabulary, s.Hidden)
	n.positions, n.relative = b.positions(), b.relative()
	n.norm, n.final = b.norm("", p.Names.EmbedNorm, s.Hidden, 1), b.norm("", p.Names.FinalNorm, s.Hidden, 1)
	for i, at := range p.Layers {
		n.layers = append(n.layers, b.layer(fmt.Sprintf(p.Names.Layer, i), at))
	}
	n.Head = n.embed
	if p.Names.Head != "" {
		n.Head = w.matrix(p.Names.Head, s.Vocabulary, s.Hidden)
	}
	if w.Err != nil {
		return nil, w.Err
	}
	if n.Head != n.embed && n.Head.Equal(n.embed) {
		n.Head = n.embed
	}
	return n, nil
}

// Tied reports whether the head is the embeddings.
func (n *Network) Tied() bool { return n.Head == n.embed }

type builder struct {
	*Weights
	plan *Plan
}

// norm reads norm weights w, applied as (w + offset)·scale.
func (b *builder) norm(at, name string, d int, scale float64) *norm {
	if name == "" {
		return nil
	}
	name = at + name
	n := &norm{weight: b.Padded(name+".weight", d)}
	if b.plan.Biased {
		n.bias = b.Padded(name+".bias", d)
		return n
	}
	for i, v := range n.weight[:min(d, len(n.weight))] {
		n.weight[i] = float32((b.plan.NormOffset + float64(v)) * scale)
	}
	return n
}

func (b *builder) norms(at string, n NormNames) norms {
	d := b.plan.Shape.Hidden
	return norms{b.norm(at, n.Before, d, 1), b.norm(at, n.Said, d, 1), b.norm(at, n.After, d, 1)}
}

// stacked reads matrices of k inputs below one another, each of some blocks of rows outputs, which are padded.
func (b *builder) stacked(k, rows int, parts ...part) linear {
	return linear{b.stack(k, kernel.Round(rows), rows, parts...), b.biases(rows, parts...)}
}

// biases reads the biases of the same.
func (b *builder) biases(rows int, parts ...part) (out []float32) {
	if !b.plan.Biased {
		return nil
	}
	for _, p := range parts {
		for x := range slices.Chunk(b.read(p.name+".bias", p.blocks*rows), rows) {
			out = append(append(out, x...), make([]float32, kernel.Round(rows)-rows)...)
		}
	}
	return out
}

func (b *builder) layer(at string, placing Placing) layer {
	s, f := b.plan.Shape, b.plan.Names.Feed
	l := layer{Placing: placing, self: b.attention(at, b.plan.Names.Self), feed: feed{norms: b.norms(at, f.Norms)}}
	if b.plan.Names.Cross.Query != "" {
		cross := b.attention(at, b.plan.Names.Cross)
		l.cross = &cross
	}
	up := []part{{at + f.Up, 1}}
	if s.Gated {
		up = append([]part{{at + f.Gate, 1}}, up...)
	}
	l.feed.up = b.stacked(s.Hidden, s.FeedForward, up...)
	l.feed.down = b.stacked(s.FeedForward, s.Hidden, part{at + f.Down, 1})
	return l
}

func (b *builder) attention(at string, names AttentionNames) attention {
	s := b.plan.Shape
	a := attention{norms: b.norms(at, names.Norms)}
	a.query, a.key = b.norm(at, names.QueryNorm, s.HeadDim, b.plan.QueryScale), b.norm(at, names.KeyNorm, s.HeadDim, 1)
	a.qkv = b.stacked(s.Hidden, s.HeadDim, part{at + names.Query, s.Heads},
		part{at + names.Key, s.KVHeads}, part{at + names.Value, s.KVHeads})
	a.out = linear{b.spread(at+names.Out, s.Hidden, s.Heads, s.HeadDim, kernel.Round(s.HeadDim)),
		b.biases(s.Hidden, part{at + names.Out, 1})}
	return a
}

// positions reads the table of positions from the first token's on, and adds the first type of tokens.
func (b *builder) positions() []float32 {
	p, d := b.plan, b.plan.Shape.Hidden
	if p.Positions == 0 {
		return nil
	}
	table := b.read(p.Names.Positions+".weight", p.Positions, d)
	types := make([]float32, d)
	if p.Types > 0 {
		types = b.read(p.Names.Types+".weight", p.Types, d)
	}
	if b.Err != nil {
		return nil
	}
	pad := kernel.Round(d)
	out := make([]float32, (p.Positions-p.FirstPosition)*pad)
	for at := range p.Positions - p.FirstPosition {
		row := out[at*pad:][:d]
		copy(row, table[(at+p.FirstPosition)*d:])
		if p.Types > 0 {
			for i, v := range types[:d] {
				row[i] += v
			}
		}
	}
	return out
}
