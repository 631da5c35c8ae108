package bart

import (
	"context"
	"math"

	"infnet/backends/runtime/kernel"
	"infnet/harness/calc"
)

// rows is a table of vectors, one per token, each pad wide.
type rows struct {
	data []float32
	n    int
	wide int
}

func (n *network) table(count, wide int) rows {
	w := kernel.Round(wide)
	return rows{make([]float32, count*w), count, w}
}

func (r rows) row(i int) []float32 { return r.data[i*r.wide : (i+1)*r.wide] }

// apply multiplies rows with a matrix and adds its bias.
func (l linear) apply(n *network, x rows) rows {
	out := n.table(x.n, l.matrix.N)
	l.matrix.Mul(out.data, out.wide, x.data, x.wide, x.n, 0, l.matrix.N)
	for i := range out.n {
		kernel.Add(out.row(i), l.bias)
	}
	return out
}

// embed returns the normed sums of the vectors of tokens and positions.
func (n *network) embed(s *stack, ids []int32) rows {
	x := n.table(len(ids), n.hidden)
	for i, id := range ids {
		r := x.row(i)
		n.head.Row(r, int(id))
		position := s.positions[(i+offset)*n.hidden : (i+offset+1)*n.hidden]
		for k, v := range r[:n.hidden] {
			r[k] = float32(v*n.scale) + position[k]
		}
		kernel.LayerNorm(r, r, s.norm.weight, s.norm.bias, n.hidden, n.epsilon)
	}
	return x
}

// attend adds one attention of x to y, and norms:
//
//	x = norm(x + W_o·concat_h softmax(q_h·k_h / √dim)·v_h)
//
// causal lets a row see those up to itself. Vaswani et al., Attention Is All
// You Need, 2017, eq. 1.
func (n *network) attend(a *attention, heads int, x, y rows, causal bool) {
	q, k, v := a.query.apply(n, x), a.key.apply(n, y), a.value.apply(n, y)
	dim := n.hidden / heads
	scale := float32(1 / math.Sqrt(float64(dim)))
	mixed := n.table(x.n, n.hidden)
	scores := make([]float32, kernel.Round(y.n))
	for h := range heads {
		from, to := h*dim, (h+1)*dim
		for i := range x.n {
			seen := y.n
			if causal {
				seen = i + 1
			}
			query := q.row(i)[from:to]
			for j := range seen {
				scores[j] = dot(query, k.row(j)[from:to]) * scale
			}
			_, sum := kernel.Softmax(scores, seen)
			out := mixed.row(i)[from:to]
			for j := range seen {
				weight := scores[j] / sum
				for d, value := range v.row(j)[from:to] {
					out[d] = float32(weight*value) + out[d]
				}
			}
		}
	}
	n.residual(x, a.out.apply(n, mixed), a.norm)
}

// dot is Σ a·b, in order.
func dot(a, b []float32) (sum float32) {
	for i, v := range a {
		sum = float32(v*b[i]) + sum
	}
	return sum
}

// residual ends half a block: x = norm(x + y).
func (n *network) residual(x, y rows, after norm) {
	for i := range x.n {
		kernel.Add(x.row(i), y.row(i))
		kernel.LayerNorm(x.row(i), x.row(i), after.weight, after.bias, n.hidden, n.epsilon)
	}
}

// feed is a block's second half.
func (n *network) feed(l *layer, x rows) {
	inner := n.table(x.n, l.up.matrix.N)
	l.up.matrix.Mul(inner.data, inner.wide, x.data, x.wide, x.n, 0, l.up.matrix.N)
	for i := range inner.n {
		kernel.GeluBias(inner.row(i), inner.row(i), l.up.bias)
	}
	n.residual(x, l.down.apply(n, inner), l.norm)
}

// encode reads a source.
func (n *network) encode(ctx context.Context, ids []int32) (rows, error) {
	x := n.embed(&n.encoder, ids)
	for i := range n.encoder.layers {
		if err := ctx.Err(); err != nil {
			return x, err
		}
		l := &n.encoder.layers[i]
		n.attend(&l.self, n.encoder.heads, x, x, false)
		n.feed(l, x)
	}
	return x, nil
}

// decode returns the last vectors of a target read after a source.
func (n *network) decode(ctx context.Context, ids []int32, source rows) (rows, error) {
	x := n.embed(&n.decoder, ids)
	for i := range n.decoder.layers {
		if err := ctx.Err(); err != nil {
			return x, err
		}
		l := &n.decoder.layers[i]
		n.attend(&l.self, n.decoder.heads, x, x, true)
		n.attend(l.cross, n.decoder.heads, x, source, false)
		n.feed(l, x)
	}
	return x, nil
}

// logprob is the log-probability of one token by the vector before it:
// log softmax over the whole vocabulary, summed in float64.
func (n *network) logprob(vector []float32, logits []float32, id int32) float64 {
	n.head.Mul(logits, len(logits), vector, n.pad, 1, 0, n.head.N)
	kernel.Add(logits, n.bias)
	logits = logits[:n.head.N]
	most := logits[0]
	for _, v := range logits[1:] {
		most = max(most, v)
	}
	sum := 0.0
	for _, v := range logits {
		sum += calc.Exp(float64(v) - float64(most))
	}
	return float64(logits[id]) - float64(most) - calc.Log(sum)
}
