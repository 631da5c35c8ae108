package encoder

import (
	"context"
	"math"

	"infnet/backends/runtime/kernel"
	"infnet/harness/calc"
)

// groupRows is the number of tokens that go through the network together
// where texts are short: few enough to stay in a core's cache, enough to use
// the weights often while they are there.
const groupRows = 192

// queryRows bounds the queries whose scores are computed together.
const queryRows = 16

// worker owns the scratch of one thread. Rows of different texts go through the network together;
// rows interact only in attention, which stays within a text, so other texts change no bit.
type worker struct {
	net    *network
	rows   int       // room
	x, y   []float32 // hiddenPad wide
	qkv    []float32 // rowWidth wide
	mixed  []float32 // output of attention, Heads·headPad wide
	inner  []float32 // innerPad wide
	keys   []float32 // of one head of one text, packed for the scores
	values []float32 // likewise, packed for the sums
	scores []float32
	bias   []float32 // MPNet: of all distances, one head
}

// reserve makes room for some rows.
func (w *worker) reserve(rows int) {
	if rows <= w.rows {
		return
	}
	n := w.net
	w.rows = max(rows, groupRows)
	w.x, w.y = make([]float32, w.rows*n.hiddenPad), make([]float32, w.rows*n.hiddenPad)
	w.qkv = make([]float32, w.rows*n.rowWidth())
	w.mixed = make([]float32, w.rows*n.config.Heads*n.headPad)
	w.inner = make([]float32, w.rows*n.innerPad)
	long := kernel.Round(w.rows)
	w.keys, w.values = make([]float32, long*n.headPad), make([]float32, long*n.headPad)
	w.scores = make([]float32, queryRows*long)
	w.bias = make([]float32, 2*long)
}

// forward runs texts, given as ids, through the network. The rows of the
// result are the last vectors of all tokens, text after text, hiddenPad apart;
// they are void after the next call.
func (w *worker) forward(ctx context.Context, texts [][]int32) ([]float32, error) {
	n := w.net
	rows := 0
	for _, ids := range texts {
		rows += len(ids)
	}
	w.reserve(rows)
	w.embed(texts)
	d, mixed := n.config.Hidden, n.config.Heads*n.headPad
	for l := range n.layers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		layer := &n.layers[l]
		layer.qkv.Mul(w.qkv, n.rowWidth(), w.x, n.hiddenPad, rows, 0, n.rowWidth())
		for r := range rows {
			kernel.Add(w.qkv[r*n.rowWidth():(r+1)*n.rowWidth()], layer.qkvBias)
		}
		w.attend(texts)
		layer.out.Mul(w.y, n.hiddenPad, w.mixed, mixed, rows, 0, d)
		for r := range rows {
			w.residual(r, layer.outBias, layer.attention)
		}
		layer.up.Mul(w.inner, n.innerPad, w.x, n.hiddenPad, rows, 0, n.config.FeedForward)
		for r := range rows {
			g := w.inner[r*n.innerPad : (r+1)*n.innerPad]
			if n.config.Activation == Relu {
				kernel.ReluBias(g, g, layer.upBias)
			} else {
				kernel.GeluBias(g, g, layer.upBias)
			}
		}
		layer.down.Mul(w.y, n.hiddenPad, w.inner, n.innerPad, rows, 0, d)
		for r := range rows {
			w.residual(r, layer.downBias, layer.feed)
		}
	}
	return w.x[:rows*n.hiddenPad], nil
}

// row is one row of a buffer hiddenPad wide.
func (w *worker) row(x []float32, r int) []float32 {
	return x[r*w.net.hiddenPad : (r+1)*w.net.hiddenPad]
}

// embed fills x with the normed sums of the vectors of word, position and type.
func (w *worker) embed(texts [][]int32) {
	n, r := w.net, 0
	d := n.config.Hidden
	for _, ids := range texts {
		for p, id := range ids {
			x := w.row(w.x, r)
			clear(x[d:])
			n.words.Sub(int(id)*d, (int(id)+1)*d).Copy(x)
			kernel.Add(x, n.positions[p*n.hiddenPad:(p+1)*n.hiddenPad])
			kernel.LayerNorm(x, x, n.norm.weight, n.norm.bias, d, n.epsilon)
			r++
		}
	}
}

// residual ends half a block: x = norm(x + y + bias).
func (w *worker) residual(r int, bias []float32, after norm) {
	x, y := w.row(w.x, r), w.row(w.y, r)
	kernel.Add(y, bias)
	kernel.Add(x, y)
	kernel.LayerNorm(x, x, after.weight, after.bias, w.net.config.Hidden, w.net.epsilon)
}

// attend computes attention within every text into mixed.
func (w *worker) attend(texts [][]int32) {
	first := 0
	for _, ids := range texts {
		for h := range w.net.config.Heads {
			w.attendHead(h, first, len(ids))
		}
		first += len(ids)
	}
}

// attendHead computes one head of one text of size tokens:
//
//	out_i = Σ_j exp(s_ij)·v_j / Σ_j exp(s_ij),  s_ij = q_i·k_j / sqrt(dim) + bias(j - i)
//
// Vaswani et al., Attention Is All You Need, 2017, eq. 1.
func (w *worker) attendHead(h, first, size int) {
	n := w.net
	dim := n.config.Hidden / n.config.Heads
	w.pack(h, first, size, dim)
	if n.relative != nil {
		w.distances(h, size)
	}
	long, mixed := kernel.Round(size), n.config.Heads*n.headPad
	scale := float32(1 / math.Sqrt(float64(dim)))
	for i := 0; i < size; i += queryRows {
		queries := min(queryRows, size-i)
		query := w.qkv[(first+i)*n.rowWidth()+h*n.headPad:]
		for p := 0; p < long; p += kernel.Width {
			kernel.Panel(w.scores[p:], long, query, n.rowWidth(), w.keys[p*dim:], dim, queries)
		}
		var inverse [queryRows]float32
		for q := range queries {
			row := w.scores[q*long : (q+1)*long]
			kernel.Scale(row[:size], scale)
			if n.relative != nil {
				for j, b := range w.bias[size-1-i-q:][:size] {
					row[j] += b
				}
			}
			_, sum := kernel.Softmax(row, size)
			inverse[q] = 1 / sum
		}
		out := w.mixed[(first+i)*mixed+h*n.headPad:]
		for p := 0; p < n.headPad; p += kernel.Width {
			kernel.Panel(out[p:], mixed, w.scores, long, w.values[p*size:], size, queries)
		}
		for q := range queries {
			kernel.Scale(out[q*mixed:][:n.headPad], inverse[q])
		}
	}
}

// pack lays out keys and values of one head as the kernel wants them: keys in
// panels of kernel.Width tokens, values in panels of kernel.Width components.
func (w *worker) pack(h, first, size, dim int) {
	n := w.net
	heads := n.config.Heads
	clear(w.keys[size/kernel.Width*kernel.Width*dim : kernel.Round(size)*dim])
	for t := range size {
		row := w.qkv[(first+t)*n.rowWidth():]
		key := w.keys[t/kernel.Width*dim*kernel.Width+t%kernel.Width:]
		for i, v := range row[(heads+h)*n.headPad:][:dim] {
			key[i*kernel.Width] = v
		}
		value := row[(2*heads+h)*n.headPad:]
		for p := 0; p < n.headPad; p += kernel.Width {
			copy(w.values[p*size+t*kernel.Width:], value[p:p+kernel.Width])
		}
	}
}

// distances fills bias with one head's bias of every distance j - i, from
// -(size-1) on.
func (w *worker) distances(h, size int) {
	c := w.net.config
	for k := range 2*size - 1 {
		w.bias[k] = w.net.relative[bucket(k-size+1, c.Buckets)*c.Heads+h]
	}
}

// longestDistance is where the last bucket of relative positions begins.
const longestDistance = 128

// bucket returns the bucket of a distance, key minus query: half of them for
// keys behind, half for keys ahead; of each half the first half one distance
// each, the others distances growing by a constant factor up to
// longestDistance.
//
// Raffel et al., Exploring the Limits of Transfer Learning with a Unified
// Text-to-Text Transformer, 2020, section 2.1; MPNet has the same.
func bucket(distance, buckets int) int {
	half := buckets / 2
	out, n := 0, -distance
	if n < 0 {
		out, n = half, -n
	}
	exact := half / 2
	if n < exact {
		return out + n
	}
	// In float32, as the published models were trained.
	ratio := float32(calc.Log(float64(float32(n) / float32(exact))))
	grown := float32(ratio/float32(calc.Log(longestDistance/float64(exact)))) * float32(half-exact)
	return out + min(half-1, exact+int(grown))
}
