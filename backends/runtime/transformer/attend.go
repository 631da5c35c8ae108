package transformer

import (
	"math"

	"infnet/backends/runtime/kernel"
)

const queryRows = 16

var negInf = float32(math.Inf(-1))

// store norms and turns the new keys and puts them and the values into the caches.
func (w *Worker) store(l int, segments []Segment) {
	row := 0
	for _, s := range segments {
		w.keep(l, &w.net.layers[l].self, s.Cache, row, s.Pos, len(s.Tokens), w.net.layers[l].Turns)
		row += len(s.Tokens)
	}
}

// keep puts keys and values of rows from row on into a cache, at positions from pos on.
func (w *Worker) keep(l int, a *attention, to *Cache, row, pos, rows int, turns *Angles) {
	n := w.net
	table := turns.upTo(pos + rows)
	for i := range rows {
		at := w.qkv[(row+i)*n.rowWidth() : (row+i+1)*n.rowWidth()]
		for h := range n.Shape.KVHeads {
			key := at[n.queryWidth()+h*n.headPad:][:n.headPad]
			if a.key != nil {
				n.normed(key, key, a.key, n.Shape.HeadDim)
			}
			turns.turn(key, table, pos+i)
			to.put(l, h, pos+i, key, at[n.valueStart()+h*n.headPad:][:n.headPad])
		}
	}
}

// look runs the attention of a block to the rows of an encoder's result.
func (w *Worker) look(l int, a *attention, segments []Segment, rows int) {
	n := w.net
	for _, s := range segments {
		source := len(s.source) / n.Pad
		w.project(&a.qkv, s.source, source, n.queryWidth(), n.rowWidth())
		w.keep(l, a, s.crossed, 0, 0, source, nil)
	}
	w.project(&a.qkv, w.read(rows, a.before), rows, 0, n.queryWidth())
	w.attend(l, a, true)
	w.say(&a.out, a.norms, w.mixed, n.queryWidth(), rows)
}

// attend computes attention for all runs into mixed: to the tokens of the text, or across to those of the source.
func (w *Worker) attend(l int, a *attention, across bool) {
	n, turns := w.net, w.net.layers[l].Turns
	for _, r := range w.runs {
		table := turns.upTo(r.pos + r.n)
		for i := range r.n {
			row := w.qkv[(r.row+i)*n.rowWidth():]
			grown := n.plan.Growth.at(r.pos + i)
			for h := range n.Shape.Heads {
				q := row[h*n.headPad:][:n.headPad]
				if a.query != nil {
					n.normed(q, q, a.query, n.Shape.HeadDim)
				} else if !n.plan.ScalesScores {
					kernel.Scale(q, float32(n.plan.QueryScale))
				}
				turns.turn(q, table, r.pos+i)
				if grown != 1 {
					kernel.Scale(q, grown)
				}
			}
		}
		causal := !n.Shape.Bidirectional && !across
		if across {
			r.cache, r.keys = r.crossed, r.source
		}
		for h := range n.Shape.Heads {
			for i := 0; i < r.n; i += queryRows {
				part := r
				part.row, part.n, part.pos = r.row+i, min(queryRows, r.n-i), r.pos+i
				if causal {
					part.keys = part.pos + part.n
				}
				w.attendHead(l, h, part, causal)
			}
		}
	}
}

// attendHead computes one head for a few queries of one sequence: scores against the keys they may see,
// softmax, the weighted sum of the values. Keys no query of the run may see are left out; those only
// some may see have weight zero for the others.
//
//	out_i = Σ_j exp(s_ij)·v_j / Σ_j exp(s_ij),  s_ij = q_i·k_j + bias(j - i)
//
// Vaswani et al., 2017, eq. 1. Where the network is causal, pos_i - window < j ≤ pos_i.
func (w *Worker) attendHead(l, h int, r run, causal bool) {
	n, window := w.net, w.net.layers[l].Window
	kv := h / (n.Shape.Heads / n.Shape.KVHeads)
	keys, values := r.cache.keys(l, kv), r.cache.values(l, kv)
	low, high := 0, r.keys
	if window > 0 {
		low = max(0, r.pos-window+1) / kernel.Width * kernel.Width
	}
	width := kernel.Round(high - low)
	if len(w.scores) < queryRows*width {
		w.scores = make([]float32, queryRows*2*width)
	}
	query := w.qkv[r.row*n.rowWidth()+h*n.headPad:]
	dim := n.Shape.HeadDim
	for p := 0; p < width; p += kernel.Width {
		kernel.Panel(w.scores[p:], width, query, n.rowWidth(), keys[(low+p)*dim:], dim, r.n)
	}
	var inverse [queryRows]float32
	for i := range r.n {
		seen := high - low
		if causal {
			seen = r.pos + i + 1 - low
		}
		inverse[i] = w.weigh(w.scores[i*width:(i+1)*width], seen, window, h, r.pos+i)
	}
	out := w.mixed[r.row*n.queryWidth()+h*n.headPad:]
	for p := 0; p < n.headPad; p += kernel.Width {
		kernel.Panel(out[p:], n.queryWidth(), w.scores, width, values[p*r.cache.rows+low*kernel.Width:], high-low, r.n)
	}
	for i := range r.n {
		kernel.Scale(out[i*n.queryWidth():][:n.headPad], inverse[i])
	}
}

// weigh makes weights of the scores of a query for the keys that end where it sees, and returns what their sums
// of values are to be multiplied with.
func (w *Worker) weigh(row []float32, seen, window, h, pos int) float32 {
	n := w.net
	if n.plan.ScalesScores {
		kernel.Scale(row[:seen], float32(n.plan.QueryScale))
	}
	if n.relative != nil {
		distances := len(n.relative) / n.Shape.Heads
		for j, b := range n.relative[h*distances+distances/2-pos:][:seen] {
			row[j] += b
		}
	}
	if window > 0 && seen > window {
		for j := range seen - window {
			row[j] = negInf
		}
	}
	_, sum := kernel.Softmax(row, seen)
	if !n.plan.DividesWeights {
		return 1 / sum
	}
	for j := range row[:seen] {
		row[j] /= sum
	}
	return 1
}

// Cache holds the keys and values of one sequence, of all layers or of the one at hand. Keys lie as the kernel
// wants them for scores (panels of kernel.Width positions, each HeadDim rows), values as it wants
// them for sums (panels of kernel.Width channels, each one row per position).
type Cache struct {
	net    *Network
	layers int
	rows   int // room, in positions; a multiple of kernel.Width
	buffer []float32
}

// NewCache returns a cache of some positions for all layers.
func (n *Network) NewCache(positions int) *Cache {
	memory := make([]float32, n.CacheSize(positions))
	return n.PlaceCache(positions, &memory)
}

// PlaceCache takes a cache of all layers from the start of memory, whose content is lost.
func (n *Network) PlaceCache(positions int, memory *[]float32) *Cache {
	return n.place(len(n.layers), positions, memory)
}

func (n *Network) place(layers, positions int, memory *[]float32) *Cache {
	size := layers * n.layerSize(positions)
	c := &Cache{n, layers, kernel.Round(positions), (*memory)[:size:size]}
	*memory = (*memory)[size:]
	return c
}

// CacheSize is the number of floats that some positions take in all layers.
func (n *Network) CacheSize(positions int) int { return len(n.layers) * n.layerSize(positions) }

func (n *Network) layerSize(positions int) int {
	return kernel.Round(positions) * n.Shape.KVHeads * (n.Shape.HeadDim + n.headPad)
}

// block is the keys of a head, then its values.
func (c *Cache) block(layer, head int) []float32 {
	size := (c.net.Shape.HeadDim + c.net.headPad) * c.rows
	return c.buffer[(layer%c.layers*c.net.Shape.KVHeads+head)*size:][:size]
}

func (c *Cache) keys(layer, head int) []float32 {
	return c.block(layer, head)[:c.net.Shape.HeadDim*c.rows]
}

func (c *Cache) values(layer, head int) []float32 {
	return c.block(layer, head)[c.net.Shape.HeadDim*c.rows:]
}

func (c *Cache) put(layer, head, pos int, key, value []float32) {
	dim := c.net.Shape.HeadDim
	k := c.keys(layer, head)[pos/kernel.Width*dim*kernel.Width+pos%kernel.Width:]
	for i, v := range key[:dim] {
		k[i*kernel.Width] = v
	}
	v := c.values(layer, head)
	for p := 0; p < c.net.headPad; p += kernel.Width {
		copy(v[p*c.rows+pos*kernel.Width:], value[p:p+kernel.Width])
	}
}

// CopyFrom takes over the first n positions of another cache.
func (c *Cache) CopyFrom(from *Cache, n int) {
	if n == 0 {
		return
	}
	dim := c.net.Shape.HeadDim
	for l := range c.layers {
		for h := range c.net.Shape.KVHeads {
			copy(c.keys(l, h), from.keys(l, h)[:kernel.Round(n)*dim])
			to, values := c.values(l, h), from.values(l, h)
			for p := 0; p < c.net.headPad; p += kernel.Width {
				copy(to[p*c.rows:], values[p*from.rows:p*from.rows+n*kernel.Width])
			}
		}
	}
}
