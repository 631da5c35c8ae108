package tensor

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/shapeinference"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
)

// ReduceSum implements backends.Builder. Sums are in float64, in the order of
// the numbers.
func (b *builder) ReduceSum(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(backends.OpTypeReduceSum, x, axes, 0)
}

// ReduceMax implements backends.Builder.
func (b *builder) ReduceMax(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(backends.OpTypeReduceMax, x, axes, math.Inf(-1))
}

func (b *builder) reduce(op backends.OpType, x backends.Op, axes []int, start float64) (backends.Op, error) {
	n := x.(*node)
	if n.shape.DType != dtypes.Float32 {
		return nil, fmt.Errorf("%s of %s: want float32", op, n.shape.DType)
	}
	if len(axes) == 0 {
		for i := range n.shape.Rank() {
			axes = append(axes, i)
		}
	}
	shape, err := shapeinference.ReduceOp(n.shape, axes)
	if err != nil {
		return nil, err
	}
	var keep, keepStep, gone, goneStep []int
	for i, s := range strides(n.shape.Dimensions) {
		if slices.Contains(axes, i) {
			gone, goneStep = append(gone, n.shape.Dimensions[i]), append(goneStep, s)
		} else {
			keep, keepStep = append(keep, n.shape.Dimensions[i]), append(keepStep, s)
		}
	}
	keep, kept := merge(keep, keepStep)
	gone, went := merge(gone, goneStep)
	r := reduction{start: start, sum: op == backends.OpTypeReduceSum, keep: keep, keepStep: kept[0], gone: gone,
		goneStep: went[0]}
	return b.add(&node{shape: shape, in: []*node{n}, run: func(out *buffer, in []*buffer) {
		size := 1
		for _, d := range gone {
			size *= d
		}
		b.backend.parallel(len(out.f), grain/max(1, size)+1, func(from, to int) { r.part(out.f, in[0].f, from, to) })
	}}), nil
}

// reduction joins, for each position of the axes it keeps, the numbers along
// those that go.
type reduction struct {
	start                          float64
	sum                            bool
	keep, keepStep, gone, goneStep []int
}

// part computes some of the results.
func (r reduction) part(out, x []float32, from, to int) {
	if last := len(r.keep) - 1; r.keepStep[last] == 1 && last == 0 {
		r.columns(out, x, from, to)
		return
	}
	last := len(r.gone) - 1
	outer := 1
	for _, d := range r.gone[:last] {
		outer *= d
	}
	at := newWalk(r.keep, from, r.keepStep)
	for k := from; k < to; k++ {
		a := r.start
		along := newWalk(r.gone[:last], 0, r.goneStep[:last])
		for range outer {
			o, s := at.offset[0]+along.offset[0], r.goneStep[last]
			if r.sum {
				for i := range r.gone[last] {
					a += float64(x[o+i*s])
				}
			} else {
				for i := range r.gone[last] {
					a = max(a, float64(x[o+i*s]))
				}
			}
			along.next()
		}
		out[k] = float32(a)
		at.next()
	}
}

// columns is for results that lie side by side in x: whole rows are joined.
func (r reduction) columns(out, x []float32, from, to int) {
	line := make([]float64, to-from)
	for i := range line {
		line[i] = r.start
	}
	outer := 1
	for _, d := range r.gone {
		outer *= d
	}
	at := newWalk(r.gone, 0, r.goneStep)
	for range outer {
		row := x[at.offset[0]+from : at.offset[0]+to]
		if r.sum {
			for i, v := range row {
				line[i] += float64(v)
			}
		} else {
			for i, v := range row {
				line[i] = max(line[i], float64(v))
			}
		}
		at.next()
	}
	for i, v := range line {
		out[from+i] = float32(v)
	}
}
