package finetune

import (
	"math"

	"github.com/gomlx/gomlx/pkg/core/graph"

	"infnet/backends/encoder"
)

// The graph of an encoder with a classifier on its first token:
//
//	J. Devlin, M.-W. Chang, K. Lee, K. Toutanova, BERT, 2019;
//	V. Sanh, L. Debut, J. Chaumond, T. Wolf, DistilBERT, 2019.
//
// Layer norms come after the sums (A. Vaswani et al., Attention is all you
// need, 2017), the activation is x/2·(1 + erf(x/√2)). Only operations that the
// pure-Go backend has, and whose gradients use no others, occur: no slices, no
// padding, no reciprocal roots.

// input is what a batch of B texts of T tokens feeds.
type input struct {
	tokens *graph.Node // [B·T] int32
	kinds  *graph.Node // [B·T] int32; nil for DistilBERT
	places *graph.Node // [B·T] int32: 0 … T−1 over and over
	first  *graph.Node // [B] int32: where in the B·T tokens each text begins
	hidden *graph.Node // [B,1,1,T] float32: 0 for tokens, −1e30 for padding
	drop   []*graph.Node
	batch  int
	length int
}

// net builds the graph.
type net struct {
	arch
	at map[string]*graph.Node // the weights by name
	in input
}

// logits are the classifier's, [B, labels].
func (n *net) logits() *graph.Node {
	x := n.embed()
	for i := range n.Layers {
		x = n.transform(x, n.Names(i), i == n.Layers-1)
	}
	pooled := n.linear(x, n.pooler())
	if n.Architecture == encoder.DistilBERT {
		pooled = graph.Max(pooled, graph.ZerosLike(pooled))
	} else {
		pooled = graph.Tanh(pooled)
	}
	return n.linear(n.dropout(pooled, n.dropHead), "classifier")
}

// embed sums the tables and normalises, [B·T, width].
func (n *net) embed() *graph.Node {
	x := take(n.at["embeddings.word_embeddings.weight"], n.in.tokens)
	x = graph.Add(x, take(n.at["embeddings.position_embeddings.weight"], n.in.places))
	if n.Types > 0 {
		x = graph.Add(x, take(n.at["embeddings.token_type_embeddings.weight"], n.in.kinds))
	}
	return n.dropout(n.norm(x, "embeddings.LayerNorm"), n.dropHidden)
}

// transform is one layer. The last one is computed for the first token of each
// text alone: nothing looks at the others, and rows depend on each other only in
// attention, as keys and values.
func (n *net) transform(x *graph.Node, l encoder.LayerNames, last bool) *graph.Node {
	y, length := x, n.in.length
	if last {
		y, length = take(x, n.in.first), 1
	}
	y = n.norm(graph.Add(y, n.dropout(n.attend(y, length, x, l), n.dropHidden)), l.AttentionNorm)
	up := gelu(n.linear(y, l.Up))
	return n.norm(graph.Add(y, n.dropout(n.linear(up, l.Down), n.dropHidden)), l.OutNorm)
}

// attend is attention of so many rows of each text to all of x, every head of
// width/heads numbers:
//
//	softmax(q·kᵀ/√(width/heads) + hidden)·v
func (n *net) attend(y *graph.Node, length int, x *graph.Node, l encoder.LayerNames) *graph.Node {
	b, h, s := n.in.batch, n.Heads, n.Hidden/n.Heads
	split := func(x *graph.Node, length int, name string) *graph.Node {
		return graph.Reshape(n.linear(x, name), b, length, h, s)
	}
	q, k, v := split(y, length, l.Query), split(x, n.in.length, l.Key), split(x, n.in.length, l.Value)
	scores := multiply(q, []int{3}, []int{0, 2}, k, []int{3}, []int{0, 2}) // [B,H,length,T]
	scores = graph.MulScalar(scores, 1/math.Sqrt(float64(s)))
	p := softmax(graph.Add(scores, n.in.hidden))
	p = n.dropout(p, n.dropAttention)
	mixed := multiply(p, []int{3}, []int{0, 1}, v, []int{1}, []int{0, 2}) // [B,H,length,s]
	mixed = graph.Reshape(graph.TransposeAllAxes(mixed, 0, 2, 1, 3), b*length, n.Hidden)
	return n.linear(mixed, l.Out)
}

// linear is x·Wᵀ + b.
func (n *net) linear(x *graph.Node, name string) *graph.Node {
	y := multiply(x, []int{1}, nil, n.at[name+".weight"], []int{1}, nil)
	return graph.Add(y, wide(n.at[name+".bias"]))
}

// norm is the layer norm over the last axis.
func (n *net) norm(x *graph.Node, name string) *graph.Node {
	centred := graph.Sub(x, mean(x))
	sd := graph.Sqrt(graph.AddScalar(mean(graph.Mul(centred, centred)), n.Epsilon))
	return graph.Add(graph.Mul(graph.Div(centred, sd), wide(n.at[name+".weight"])), wide(n.at[name+".bias"]))
}

// dropout multiplies by the next mask, which holds 0 and 1/(1−share). Without
// masks it does nothing.
func (n *net) dropout(x *graph.Node, share float64) *graph.Node {
	if len(n.in.drop) == 0 || share == 0 {
		return x
	}
	mask := n.in.drop[0]
	n.in.drop = n.in.drop[1:]
	return graph.Mul(x, graph.Reshape(mask, x.Shape().Dimensions...))
}

// masks lists how many numbers each dropout of a batch needs and its share, in
// the order in which the graph uses them.
func (a arch) masks(batch, length int) (sizes []int, shares []float64) {
	add := func(n int, share float64) {
		if share > 0 {
			sizes, shares = append(sizes, n), append(shares, share)
		}
	}
	wide := batch * length * a.Hidden
	add(wide, a.dropHidden)
	for i := range a.Layers {
		rows := length
		if i == a.Layers-1 { // see transform
			rows = 1
		}
		add(batch*a.Heads*rows*length, a.dropAttention)
		add(batch*rows*a.Hidden, a.dropHidden)
		add(batch*rows*a.Hidden, a.dropHidden)
	}
	add(batch*a.Hidden, a.dropHead)
	return sizes, shares
}

// crossEntropy is the mean over the batch of −log softmax(logits)[label], the
// labels as rows of 0 and 1.
func crossEntropy(logits, oneHot *graph.Node) *graph.Node {
	shifted := graph.Sub(logits, graph.StopGradient(graph.ReduceAndKeep(logits, graph.ReduceMax, -1)))
	total := graph.Log(graph.ReduceAndKeep(graph.Exp(shifted), graph.ReduceSum, -1))
	each := graph.ReduceSum(graph.Mul(graph.Sub(shifted, total), oneHot), -1)
	return graph.Neg(graph.MulScalar(graph.ReduceAllSum(each), 1/float64(each.Shape().Dim(0))))
}

// softmax is over the last axis.
func softmax(x *graph.Node) *graph.Node {
	e := graph.Exp(graph.Sub(x, graph.StopGradient(graph.ReduceAndKeep(x, graph.ReduceMax, -1))))
	return graph.Div(e, graph.ReduceAndKeep(e, graph.ReduceSum, -1))
}

func gelu(x *graph.Node) *graph.Node {
	return graph.Mul(graph.MulScalar(x, 0.5), graph.AddScalar(graph.Erf(graph.MulScalar(x, math.Sqrt2/2)), 1))
}

// mean is over the last axis, which is kept.
func mean(x *graph.Node) *graph.Node {
	return graph.MulScalar(graph.ReduceAndKeep(x, graph.ReduceSum, -1), 1/float64(x.Shape().Dim(-1)))
}

// take gathers rows of a table.
func take(table, rows *graph.Node) *graph.Node {
	return graph.Gather(table, graph.Reshape(rows, rows.Shape().Size(), 1))
}

// wide makes a vector a row, to be added to every row.
func wide(x *graph.Node) *graph.Node { return graph.Reshape(x, 1, x.Shape().Size()) }
