package finetune

import (
	"slices"

	"github.com/gomlx/gomlx/pkg/core/graph"
)

// factor is one of the two tensors of a product with its axes by role: those
// that both have (batch), those that are summed over, in the same order in
// both, and the rest.
type factor struct {
	x             *graph.Node
	batch, summed []int
	rest          []int
}

// multiply is graph.DotGeneral with a gradient made of two more products.
// GoMLX's own rule multiplies element by element and then sums: a tensor of
// every single multiplication, 3 GB for one feed-forward product of a small
// encoder where no compiler fuses the two. What it makes is never computed:
// each factor passes through an identity that puts ours in its place.
func multiply(x *graph.Node, xSummed, xBatch []int, w *graph.Node, wSummed, wBatch []int) *graph.Node {
	l := factor{x: x, batch: xBatch, summed: xSummed, rest: rest(x, xBatch, xSummed)}
	r := factor{x: w, batch: wBatch, summed: wSummed, rest: rest(w, wBatch, wSummed)}
	var v *graph.Node // the gradient of the product: known before those of the factors are asked for
	through := func(f, other factor, axes []int) *graph.Node {
		return graph.IdentityWithCustomGradient(f.x, func(_, _ *graph.Node) *graph.Node { return against(f, other, v, axes) })
	}
	nb, nl, nr := len(l.batch), len(l.rest), len(r.rest)
	y := graph.DotGeneral(through(l, r, span(nb+nl, nr)), xSummed, xBatch, through(r, l, span(nb, nl)), wSummed, wBatch)
	return graph.IdentityWithCustomGradient(y, func(_, g *graph.Node) *graph.Node {
		v = g
		return g
	})
}

// against multiplies v, the gradient of a product, with the other factor over
// v's axes that remain of it, and puts the axes of the result where f has them.
func against(f, other factor, v *graph.Node, axes []int) *graph.Node {
	nb := len(f.batch)
	// Its axes: batch, f's rest, then the other's summed ones in their own order.
	g := graph.DotGeneral(v, axes, span(0, nb), other.x, other.rest, other.batch)
	order := make([]int, f.x.Rank())
	for i, axis := range f.batch {
		order[axis] = i
	}
	for i, axis := range f.rest {
		order[axis] = nb + i
	}
	sorted := slices.Sorted(slices.Values(other.summed))
	for i, axis := range f.summed {
		order[axis] = nb + len(f.rest) + slices.Index(sorted, other.summed[i])
	}
	if slices.IsSorted(order) {
		return g
	}
	return graph.TransposeAllAxes(g, order...)
}

// rest lists the axes of x that are in neither list.
func rest(x *graph.Node, batch, summed []int) []int {
	var out []int
	for axis := range x.Rank() {
		if !slices.Contains(batch, axis) && !slices.Contains(summed, axis) {
			out = append(out, axis)
		}
	}
	return out
}

func span(from, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = from + i
	}
	return out
}
