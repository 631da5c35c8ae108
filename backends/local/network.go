package local

import (
	"sync"

	"infnet/backends"
	"infnet/backends/local/kernel"
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
	embed      *kernel.Matrix // vocabulary × hidden
	head       *kernel.Matrix // the same where tied
	norm       []float32
	layers     []layer
}

// layer is one transformer block. Norm weights are the factors applied.
type layer struct {
	window int     // keys a query sees, itself included; 0 = all
	turns  *angles // rotary positions

	preAttention, postAttention []float32
	preFeed, postFeed           []float32
	queryNorm, keyNorm          []float32      // queryNorm holds the scale of the scores as well
	qkv                         *kernel.Matrix // heads of queries, then keys, then values, headPad apart
	out                         *kernel.Matrix
	gateUp                      *kernel.Matrix // gate, then up, innerPad apart
	down                        *kernel.Matrix
}

// queryWidth, valueStart and rowWidth are offsets in a row of qkv.
func (n *network) queryWidth() int { return n.shape.Heads * n.headPad }
func (n *network) valueStart() int { return (n.shape.Heads + n.shape.KVHeads) * n.headPad }
func (n *network) rowWidth() int   { return (n.shape.Heads + 2*n.shape.KVHeads) * n.headPad }

// angles is a table of cosines and sines by position, grown as needed.
type angles struct {
	half    int
	inverse []float64 // radians per position
	mu      sync.RWMutex
	table   []float32 // per position: half cosines, half sines
}

// newAngles makes the table of rotary positions of head width dim: pair i
// turns by position·base^(-2i/dim)/factor.
func newAngles(dim int, base, factor float64) *angles {
	a := &angles{half: dim / 2}
	for i := range a.half {
		a.inverse = append(a.inverse, kernel.Power(base, float64(2*i)/float64(dim))/factor)
	}
	return a
}

// upTo returns the table for at least n positions.
func (a *angles) upTo(n int) []float32 {
	a.mu.RLock()
	t := a.table
	a.mu.RUnlock()
	if len(t) >= n*2*a.half {
		return t
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	have := len(a.table) / (2 * a.half)
	if have >= n {
		return a.table
	}
	t = make([]float32, max(n, 2*have, 256)*2*a.half)
	copy(t, a.table)
	for p := have; p < len(t)/(2*a.half); p++ {
		row := t[p*2*a.half:]
		for i, v := range a.inverse {
			s, c := kernel.SinCos(float64(p) * v)
			row[i], row[a.half+i] = float32(c), float32(s)
		}
	}
	a.table = t
	return t
}
