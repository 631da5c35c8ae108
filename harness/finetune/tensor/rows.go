package tensor

import (
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/shapeinference"
	"github.com/gomlx/gomlx/pkg/core/dtypes"

	"infnet/backends/runtime/kernel"
)

// Gather implements backends.Builder for whole rows of a table of two axes.
func (b *builder) Gather(table, at backends.Op, vector int, offsets, collapsed, from, sizes []int,
	sorted bool) (backends.Op, error) {
	t, i := table.(*node), at.(*node)
	shape, err := shapeinference.Gather(t.shape, i.shape, vector, offsets, collapsed, from, sizes, sorted)
	if err != nil {
		return nil, err
	}
	rows := t.shape.DType == dtypes.Float32 && i.shape.DType == dtypes.Int32 && t.shape.Rank() == 2 &&
		slices.Equal(collapsed, []int{0}) &&
		slices.Equal(from, []int{0}) && sizes[1] == t.shape.Dimensions[1] && slices.Equal(offsets, []int{shape.Rank() - 1})
	if !rows {
		return nil, fmt.Errorf("gathering %v of %s: want whole rows of a float32 table by int32", sizes, t.shape)
	}
	n, d := t.shape.Dimensions[0], t.shape.Dimensions[1]
	return b.add(&node{shape: shape, in: []*node{t, i}, run: func(out *buffer, in []*buffer) {
		for k, r := range in[1].i {
			r := min(max(int(r), 0), n-1)
			copy(out.f[k*d:(k+1)*d], in[0].f[r*d:])
		}
	}}), nil
}

// ScatterSum implements backends.Builder for whole rows of a table of two axes,
// which are added in their order.
func (b *builder) ScatterSum(table, at, updates backends.Op, vector int, window, inserted, to []int, _,
	_ bool) (backends.Op, error) {
	t, i, u := table.(*node), at.(*node), updates.(*node)
	shape, err := shapeinference.ScatterOp(t.shape, i.shape, u.shape, vector, window, inserted, to)
	if err != nil {
		return nil, err
	}
	rows := t.shape.DType == dtypes.Float32 && i.shape.DType == dtypes.Int32 && t.shape.Rank() == 2 &&
		slices.Equal(inserted, []int{0}) &&
		slices.Equal(to, []int{0}) && slices.Equal(window, []int{u.shape.Rank() - 1})
	if !rows {
		return nil, fmt.Errorf("scattering %s over %s: want whole rows of a float32 table by int32", u.shape, t.shape)
	}
	n, d := t.shape.Dimensions[0], t.shape.Dimensions[1]
	return b.add(&node{shape: shape, in: []*node{t, i, u}, over: []int{0}, run: func(out *buffer, in []*buffer) {
		copy(out.f, in[0].f)
		for k, r := range in[1].i {
			if r < 0 || int(r) >= n {
				continue
			}
			row := out.f[int(r)*d : (int(r)+1)*d]
			kernel.Plus.Apply(row, row, in[2].f[k*d:(k+1)*d])
		}
	}}), nil
}
