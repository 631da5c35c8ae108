package transformer

import (
	"context"

	"infnet/backends/runtime/kernel"
)

// ChunkRows is the number of tokens that a forward pass is best given: few enough to stay in a core's cache,
// enough to use the weights often while they are there.
const ChunkRows = 192

// Segment is a run of new tokens of one sequence whose earlier positions are in its cache.
type Segment struct {
	Cache  *Cache
	Tokens []int32
	Pos    int // of the first token
	Wanted Wanted

	source  []float32 // rows of an encoder's result, Pad apart, for a network that looks at one
	crossed *Cache    // the keys and values of source
}

// Wanted is after which tokens of a segment the vectors are asked for.
type Wanted uint8

const (
	Nothing Wanted = iota
	Last
	All
)

// Worker owns the scratch of one thread.
type Worker struct {
	net    *Network
	rows   int       // room
	x      []float32 // residual stream, Pad wide
	y      []float32 // input and output of the parts of a block, Pad wide
	qkv    []float32
	mixed  []float32 // output of attention, queryWidth wide
	inner  []float32 // of the feed-forward part
	scores []float32
	runs   []run
	memory []float32 // of caches of one layer
}

type run struct {
	cache   *Cache
	crossed *Cache
	row     int // of the first query
	n       int
	pos     int // of the first query
	keys    int // positions of the segment so far
	source  int // positions of the source
}

// NewWorker returns a worker without scratch; it is made on first use.
func (n *Network) NewWorker() *Worker { return &Worker{net: n} }

// reserve makes room for some rows.
func (w *Worker) reserve(rows int) {
	if rows <= w.rows {
		return
	}
	n := w.net
	w.rows = max(rows, ChunkRows)
	w.x, w.y = make([]float32, w.rows*n.Pad), make([]float32, w.rows*n.Pad)
	w.qkv, w.mixed = make([]float32, w.rows*n.rowWidth()), make([]float32, w.rows*n.queryWidth())
	w.inner = make([]float32, w.rows*n.innerWidth())
}

func (n *Network) innerWidth() int {
	inner := kernel.Round(n.Shape.FeedForward)
	if n.Shape.Gated {
		return 2 * inner
	}
	return inner
}

// Whole runs texts that have nothing before them, all looking at the rows of one encoder's result (nil where
// the network looks at none). It returns the vectors of all tokens, text after text, Pad apart; they are
// void after the next call.
func (w *Worker) Whole(ctx context.Context, texts [][]int32, source []float32) ([]float32, error) {
	n, size := w.net, 0
	for _, t := range texts {
		size += n.layerSize(len(t)) + n.layerSize(len(source)/n.Pad)
	}
	if len(w.memory) < size {
		w.memory = make([]float32, size)
	}
	rest, segments := w.memory, make([]Segment, len(texts))
	for i, t := range texts {
		segments[i] = Segment{Cache: n.place(1, len(t), &rest), Tokens: t, Wanted: All, source: source,
			crossed: n.place(1, len(source)/n.Pad, &rest)}
	}
	return w.Forward(ctx, segments)
}

// Forward runs segments through the network and extends their caches. It returns the vectors of what is
// wanted, in order, Pad apart; they are void after the next call. Of a network whose tokens see all
// others, a segment is a whole text.
//
// In the last layer only what is asked for is computed: keys and values of all tokens, the rest for the
// wanted ones alone.
func (w *Worker) Forward(ctx context.Context, segments []Segment) ([]float32, error) {
	n := w.net
	rows := w.embed(segments)
	for l := range n.layers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		layer := &n.layers[l]
		in := w.read(rows, layer.self.before)
		w.project(&layer.self.qkv, in, rows, n.queryWidth(), n.rowWidth())
		w.store(l, segments)
		if l == len(n.layers)-1 {
			if rows = w.keepWanted(segments); rows == 0 {
				return nil, nil
			}
		}
		w.project(&layer.self.qkv, in, rows, 0, n.queryWidth())
		w.attend(l, &layer.self, false)
		w.say(&layer.self.out, layer.self.norms, w.mixed, n.queryWidth(), rows)
		if layer.cross != nil {
			w.look(l, layer.cross, segments, rows)
		}
		w.feed(&layer.feed, rows)
	}
	if n.final == nil {
		return w.x[:rows*n.Pad], nil
	}
	return w.read(rows, n.final)[:rows*n.Pad], nil
}

func (n *Network) normed(dst, x []float32, by *norm, d int) {
	if by.bias == nil {
		kernel.Norm(dst, x, by.weight, d, n.epsilon)
	} else {
		kernel.LayerNorm(dst, x, by.weight, by.bias, d, n.epsilon)
	}
}

// read returns what a part of a block reads: the residual stream, normed where the part norms it.
func (w *Worker) read(rows int, by *norm) []float32 {
	if by == nil {
		return w.x
	}
	for r := range rows {
		w.net.normed(w.row(w.y, r), w.row(w.x, r), by, w.net.Shape.Hidden)
	}
	return w.y
}

// project multiplies rows with part of the matrix of queries, keys and values.
func (w *Worker) project(l *linear, in []float32, rows, from, to int) {
	width := w.net.rowWidth()
	l.matrix.Mul(w.qkv[from:], width, in, w.net.Pad, rows, from, to)
	if l.bias == nil {
		return
	}
	for r := range rows {
		kernel.Add(w.qkv[r*width+from:r*width+to], l.bias[from:to])
	}
}

// say adds what a part of a block says to the residual stream, normed where the network norms it.
func (w *Worker) say(l *linear, by norms, in []float32, width, rows int) {
	n, d := w.net, w.net.Shape.Hidden
	l.matrix.Mul(w.y, n.Pad, in, width, rows, 0, d)
	for r := range rows {
		x, y := w.row(w.x, r), w.row(w.y, r)
		if l.bias != nil {
			kernel.Add(y, l.bias)
		}
		if by.said != nil {
			kernel.AddNorm(x, y, by.said.weight, d, n.epsilon)
		} else {
			kernel.Add(x, y)
		}
		if by.after != nil {
			n.normed(x, x, by.after, d)
		}
	}
}

func (w *Worker) feed(f *feed, rows int) {
	n, width := w.net, w.net.innerWidth()
	in := w.read(rows, f.before)
	f.up.matrix.Mul(w.inner, width, in, n.Pad, rows, 0, width)
	for r := range rows {
		g := w.inner[r*width : (r+1)*width]
		if n.Shape.Gated {
			n.plan.Gate(g[:width/2], g[:width/2], g[width/2:])
		} else {
			n.plan.Activation(g, g, f.up.bias)
		}
	}
	w.say(&f.down, f.norms, w.inner, width, rows)
}

func (w *Worker) row(x []float32, r int) []float32 { return x[r*w.net.Pad : (r+1)*w.net.Pad] }

// embed fills the residual stream and the list of runs; it returns the rows.
func (w *Worker) embed(segments []Segment) int {
	n, rows := w.net, 0
	for _, s := range segments {
		rows += max(len(s.Tokens), len(s.source)/n.Pad)
	}
	w.reserve(rows)
	w.runs, rows = w.runs[:0], 0
	for _, s := range segments {
		w.runs = append(w.runs, s.run(rows, len(s.Tokens)))
		for i, t := range s.Tokens {
			x := w.row(w.x, rows)
			n.embed.Row(x, int(t))
			clear(x[n.Shape.Hidden:])
			if n.plan.EmbedScale != 1 {
				kernel.Scale(x[:n.Shape.Hidden], float32(n.plan.EmbedScale))
			}
			if n.positions != nil {
				kernel.Add(x, n.positions[(s.Pos+i)*n.Pad:][:n.Pad])
			}
			if n.norm != nil {
				n.normed(x, x, n.norm, n.Shape.Hidden)
			}
			rows++
		}
	}
	return rows
}

// run is the last rows of a segment, the first of them in some row.
func (s *Segment) run(row, count int) run {
	end := s.Pos + len(s.Tokens)
	r := run{cache: s.Cache, crossed: s.crossed, row: row, n: count, pos: end - count, keys: end}
	if s.crossed != nil {
		r.source = len(s.source) / s.crossed.net.Pad
	}
	return r
}

// keepWanted drops the rows that are not wanted and returns how many are left.
func (w *Worker) keepWanted(segments []Segment) int {
	kept, row := 0, 0
	w.runs = w.runs[:0]
	for _, s := range segments {
		row += len(s.Tokens)
		count := []int{Nothing: 0, Last: 1, All: len(s.Tokens)}[s.Wanted]
		if count == 0 {
			continue
		}
		w.runs = append(w.runs, s.run(kept, count))
		if kept < row-count {
			copy(w.x[kept*w.net.Pad:], w.x[(row-count)*w.net.Pad:row*w.net.Pad])
			copy(w.y[kept*w.net.Pad:], w.y[(row-count)*w.net.Pad:row*w.net.Pad])
		}
		kept += count
	}
	return kept
}
