package local

import (
	"infnet/backends"
	"infnet/backends/runtime/kernel"
)

// network is a decoder-only transformer ready to run: what the forward pass
// needs and nothing about where it came from, so that a family is one function
// that fills it in. Widths ending in Pad are rounded up to kernel.Width; the
// padding is zero everywhere and stays so. It is read-only once built.
type network struct {
	shape                        backends.Shape
	hiddenPad, headPad, innerPad int

	epsilon    float32
	embedScale float32
	queryScale float32 // of the scores, where there is no queryNorm
	growth     *growth // nil = none
	gate       func(dst, gate, up []float32)
	embed      *kernel.Matrix // vocabulary × hidden
	head       *kernel.Matrix // the same where tied
	norm       []float32
	layers     []layer
}

// layer is one transformer block. Norm weights are the factors applied.
type layer struct {
	window int     // keys a query sees, itself included; 0 = all
	turns  *angles // rotary positions

	preAttention, preFeed   []float32
	postAttention, postFeed []float32      // nil = what the block says is added as it is
	queryNorm, keyNorm      []float32      // nil = none; queryNorm holds the scale of the scores as well
	qkv                     *kernel.Matrix // heads of queries, then keys, then values, headPad apart
	out                     *kernel.Matrix
	gateUp                  *kernel.Matrix // gate, then up, innerPad apart
	down                    *kernel.Matrix
}

// queryWidth, valueStart and rowWidth are offsets in a row of qkv.
func (n *network) queryWidth() int { return n.shape.Heads * n.headPad }
func (n *network) valueStart() int { return (n.shape.Heads + n.shape.KVHeads) * n.headPad }
func (n *network) rowWidth() int   { return (n.shape.Heads + 2*n.shape.KVHeads) * n.headPad }
