package local

import (
	"context"

	"infnet/backends/runtime/kernel"
)

// chunkRows bounds the tokens of one forward pass: few enough to stay in a
// core's cache, enough to use the weights often while they are there.
const chunkRows = 192

// queryRows bounds the queries whose scores are computed together.
const queryRows = 16

// segment is a run of new tokens of one sequence whose earlier positions are
// in its cache.
type segment struct {
	cache  *cache
	tokens []int32
	pos    int  // of the first token
	wanted bool // the hidden state after the last token is asked for
}

// worker owns the scratch of one thread. Rows of different segments go through the network
// together; rows depend on each other only through a cache, so other segments change no bit.
type worker struct {
	net    *network
	x      []float32 // residual stream, hiddenPad wide
	y      []float32 // input and output of the blocks, hiddenPad wide
	qkv    []float32
	mixed  []float32 // output of attention, queryWidth wide
	gate   []float32 // gate and up, 2·innerPad wide
	scores []float32
	runs   []run
	memory []float32 // of the caches of the group at hand
	logits []float32
}

// run is consecutive query rows of one segment.
type run struct {
	cache *cache
	row   int // of the first query
	n     int
	pos   int // of the first query
}

func newWorker(n *network) *worker {
	return &worker{
		net: n,
		x:   make([]float32, chunkRows*n.hiddenPad), y: make([]float32, chunkRows*n.hiddenPad),
		qkv: make([]float32, chunkRows*n.rowWidth()), mixed: make([]float32, chunkRows*n.queryWidth()), gate: make([]float32,
			chunkRows*2*n.innerPad),
	}
}

// forward runs segments of at most chunkRows tokens in all through the network
// and extends their caches. It returns the normed hidden states of the wanted
// segments, in order, hiddenPad apart; they are void after the next call.
//
// In the last layer only what is asked for is computed: keys and values of all
// tokens, the rest for the wanted ones alone.
func (w *worker) forward(ctx context.Context, segments []segment) ([]float32, error) {
	n := w.net
	rows := w.embed(segments)
	for l := range n.layers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		layer := &n.layers[l]
		for r := range rows {
			kernel.Norm(w.hidden(w.y, r), w.hidden(w.x, r), layer.preAttention, n.shape.Hidden, n.epsilon)
		}
		width, queries := n.rowWidth(), n.queryWidth()
		layer.qkv.Mul(w.qkv[queries:], width, w.y, n.hiddenPad, rows, queries, width)
		w.store(l, segments)
		if l == len(n.layers)-1 {
			if rows = w.keepWanted(segments); rows == 0 {
				return nil, nil
			}
		}
		layer.qkv.Mul(w.qkv, width, w.y, n.hiddenPad, rows, 0, queries)
		w.attend(l)
		layer.out.Mul(w.y, n.hiddenPad, w.mixed, queries, rows, 0, n.shape.Hidden)
		for r := range rows {
			x, y := w.hidden(w.x, r), w.hidden(w.y, r)
			n.add(x, y, layer.postAttention)
			kernel.Norm(y, x, layer.preFeed, n.shape.Hidden, n.epsilon)
		}
		inner := 2 * n.innerPad
		layer.gateUp.Mul(w.gate, inner, w.y, n.hiddenPad, rows, 0, inner)
		for r := range rows {
			g := w.gate[r*inner : r*inner+n.innerPad]
			n.gate(g, g, w.gate[r*inner+n.innerPad:(r+1)*inner])
		}
		layer.down.Mul(w.y, n.hiddenPad, w.gate, inner, rows, 0, n.shape.Hidden)
		for r := range rows {
			n.add(w.hidden(w.x, r), w.hidden(w.y, r), layer.postFeed)
		}
	}
	for r := range rows {
		kernel.Norm(w.hidden(w.y, r), w.hidden(w.x, r), n.norm, n.shape.Hidden, n.epsilon)
	}
	return w.y[:rows*n.hiddenPad], nil
}

// add adds what a block says to the residual stream, normed where the family
// norms it.
func (n *network) add(x, y, norm []float32) {
	if norm == nil {
		kernel.Add(x, y)
		return
	}
	kernel.AddNorm(x, y, norm, n.shape.Hidden, n.epsilon)
}

func (w *worker) hidden(x []float32, row int) []float32 {
	return x[row*w.net.hiddenPad : (row+1)*w.net.hiddenPad]
}

// embed fills the residual stream and the list of runs; it returns the rows.
func (w *worker) embed(segments []segment) int {
	n, row := w.net, 0
	w.runs = w.runs[:0]
	for _, s := range segments {
		w.runs = append(w.runs, run{s.cache, row, len(s.tokens), s.pos})
		for _, t := range s.tokens {
			x := w.hidden(w.x, row)
			n.embed.Row(x, int(t))
			if n.embedScale != 1 {
				kernel.Scale(x[:n.shape.Hidden], n.embedScale)
			}
			row++
		}
	}
	return row
}

// store norms and turns the new keys and puts them and the values into the
// caches.
func (w *worker) store(l int, segments []segment) {
	n, layer := w.net, &w.net.layers[l]
	dim, row := n.shape.HeadDim, 0
	for _, s := range segments {
		table := layer.turns.upTo(s.pos + len(s.tokens))
		for i := range s.tokens {
			at := w.qkv[row*n.rowWidth() : (row+1)*n.rowWidth()]
			for h := range n.shape.KVHeads {
				key := at[n.queryWidth()+h*n.headPad:][:n.headPad]
				if layer.keyNorm != nil {
					kernel.Norm(key, key, layer.keyNorm, dim, n.epsilon)
				}
				layer.turns.turn(key, table, s.pos+i)
				s.cache.put(l, h, s.pos+i, key, at[n.valueStart()+h*n.headPad:][:n.headPad])
			}
			row++
		}
	}
}

// turn applies the rotation of a position to one head.
func (a *angles) turn(x, table []float32, pos int) {
	t := table[pos*2*a.half:][:2*a.half]
	kernel.Rotate(x, x, t[:a.half], t[a.half:], a.half)
}

// keepWanted drops all rows but the last ones of wanted segments and returns
// how many are left.
func (w *worker) keepWanted(segments []segment) int {
	kept, row := 0, 0
	w.runs = w.runs[:0]
	for _, s := range segments {
		row += len(s.tokens)
		if !s.wanted {
			continue
		}
		copy(w.hidden(w.x, kept), w.hidden(w.x, row-1))
		copy(w.hidden(w.y, kept), w.hidden(w.y, row-1))
		w.runs = append(w.runs, run{s.cache, kept, 1, s.pos + len(s.tokens) - 1})
		kept++
	}
	return kept
}

// attend computes attention for all runs into mixed.
func (w *worker) attend(l int) {
	n, layer := w.net, &w.net.layers[l]
	for _, r := range w.runs {
		table := layer.turns.upTo(r.pos + r.n)
		for i := range r.n {
			row := w.qkv[(r.row+i)*n.rowWidth():]
			grown := n.growth.at(r.pos + i)
			for h := range n.shape.Heads {
				q := row[h*n.headPad:][:n.headPad]
				if layer.queryNorm != nil {
					kernel.Norm(q, q, layer.queryNorm, n.shape.HeadDim, n.epsilon)
				} else {
					kernel.Scale(q, n.queryScale)
				}
				layer.turns.turn(q, table, r.pos+i)
				if grown != 1 {
					kernel.Scale(q, grown)
				}
			}
		}
		for i := 0; i < r.n; i += queryRows {
			part := run{r.cache, r.row + i, min(queryRows, r.n-i), r.pos + i}
			for h := range n.shape.Heads {
				w.attendHead(l, h, part)
			}
		}
	}
}

// attendHead computes one head for a few queries of one sequence: scores
// against the keys they may see, softmax, the weighted sum of the values.
// Keys no query of the run may see are left out; those only some may see have
// weight zero for the others.
//
//	out_i = Σ_j exp(s_ij)·v_j / Σ_j exp(s_ij),  pos_i - window < j ≤ pos_i
func (w *worker) attendHead(l, h int, r run) {
	n, window := w.net, w.net.layers[l].window
	kv := h / (n.shape.Heads / n.shape.KVHeads)
	keys, values := r.cache.keys(l, kv), r.cache.values(l, kv)
	low, high := 0, r.pos+r.n
	if window > 0 {
		low = max(0, r.pos-window+1) / kernel.Width * kernel.Width
	}
	width := kernel.Round(high - low)
	if len(w.scores) < queryRows*width {
		w.scores = make([]float32, queryRows*2*width)
	}
	query := w.qkv[r.row*n.rowWidth()+h*n.headPad:]
	dim := n.shape.HeadDim
	for p := 0; p < width; p += kernel.Width {
		kernel.Panel(w.scores[p:], width, query, n.rowWidth(), keys[(low+p)*dim:], dim, r.n)
	}
	var inverse [queryRows]float32
	for i := range r.n {
		row := w.scores[i*width : (i+1)*width]
		if window > 0 {
			for j := range r.pos + i - window + 1 - low {
				row[j] = negInf
			}
		}
		_, sum := kernel.Softmax(row, r.pos+i+1-low)
		inverse[i] = 1 / sum
	}
	out := w.mixed[r.row*n.queryWidth()+h*n.headPad:]
	for p := 0; p < n.headPad; p += kernel.Width {
		kernel.Panel(out[p:], n.queryWidth(), w.scores, width, values[p*r.cache.rows+low*kernel.Width:], high-low, r.n)
	}
	for i := range r.n {
		kernel.Scale(out[i*n.queryWidth():][:n.headPad], inverse[i])
	}
}
