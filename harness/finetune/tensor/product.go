package tensor

import (
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/shapes"

	"infnet/backends/runtime/kernel"
)

// DotGeneral implements backends.Builder: matrix products, one for each
// position of the batch axes. The axes that are summed over must lie in even
// steps, and so must those that remain on either side.
func (b *builder) DotGeneral(x backends.Op, xSummed, xBatch []int, y backends.Op, ySummed,
	yBatch []int) (backends.Op, error) {
	l, r := x.(*node), y.(*node)
	left, err := newSide(l.shape, xSummed, xBatch)
	if err != nil {
		return nil, err
	}
	right, err := newSide(r.shape, ySummed, yBatch)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(left.batch, right.batch) || left.k != right.k {
		return nil, fmt.Errorf("a product of %s over %v with %s over %v: lengths differ", l.shape, xSummed, r.shape, ySummed)
	}
	dims := slices.Concat(left.batch, left.rest, right.rest)
	p := product{backend: b.backend, left: left, right: right, batches: 1}
	for _, n := range left.batch {
		p.batches *= n
	}
	return b.add(&node{shape: shapes.Make(dtypes.Float32, dims...), in: []*node{l, r},
		run: func(out *buffer, in []*buffer) {
			p.run(out.f, in[0].f, in[1].f)
		}}), nil
}

// side is one of the two tensors of a product: for each batch a matrix of n
// rows and k columns, which are summed over.
type side struct {
	n, k        int
	row, column int // steps
	batch, rest []int
	batchStep   []int
}

func newSide(shape shapes.Shape, summed, batch []int) (side, error) {
	s := side{n: 1, k: 1}
	if shape.DType != dtypes.Float32 {
		return s, fmt.Errorf("a product of %s: want float32", shape.DType)
	}
	step := strides(shape.Dimensions)
	for _, axis := range batch {
		s.batch, s.batchStep = append(s.batch, shape.Dimensions[axis]), append(s.batchStep, step[axis])
	}
	var sum, sumStep, restStep []int
	for _, axis := range summed {
		sum, sumStep = append(sum, shape.Dimensions[axis]), append(sumStep, step[axis])
		s.k *= shape.Dimensions[axis]
	}
	for axis, n := range shape.Dimensions {
		if !slices.Contains(batch, axis) && !slices.Contains(summed, axis) {
			s.rest, restStep = append(s.rest, n), append(restStep, step[axis])
			s.n *= n
		}
	}
	_, one := merge(s.rest, restStep)
	_, two := merge(sum, sumStep)
	if len(one[0]) > 1 || len(two[0]) > 1 {
		return s, fmt.Errorf("a product of %s over the axes %v: its numbers do not lie in even steps", shape, summed)
	}
	s.row, s.column = one[0][0], two[0][0]
	return s, nil
}

// product multiplies, for each batch, the left matrix with the transposed right
// one. Each number is one sum over k, from the first column to the last.
type product struct {
	backend     *Backend
	left, right side
	batches     int
}

// block is how many rows are multiplied with all columns before the next: small
// enough for them to stay near the processor.
const block = 96

func (p product) run(out, x, y []float32) {
	m, n, k := p.left.n, p.right.n, p.left.k
	if len(out) == 0 || k == 0 {
		clear(out)
		return
	}
	if p.batches == 1 {
		packed := p.backend.get(kernel.Round(n) * k)
		p.backend.parallel(kernel.Round(n)/kernel.Width, grain/(k*kernel.Width)+1,
			func(from, to int) { p.right.pack(packed, y, from, to) })
		p.backend.parallel((m+block-1)/block, 1, func(from, to int) {
			p.rows(out, x, packed, from*block, min(m, to*block))
		})
		p.backend.put(packed)
		return
	}
	p.backend.parallel(p.batches, grain*16/(m*n*k)+1, func(from, to int) {
		packed := p.backend.get(kernel.Round(n) * k)
		at := newWalk(p.left.batch, from, p.left.batchStep, p.right.batchStep)
		for i := from; i < to; i++ {
			p.right.pack(packed, y[at.offset[1]:], 0, kernel.Round(n)/kernel.Width)
			p.rows(out[i*m*n:(i+1)*m*n], x[at.offset[0]:], packed, 0, m)
			at.next()
		}
		p.backend.put(packed)
	})
}

// rows computes rows from … to−1 of one product.
func (p product) rows(out, x, packed []float32, from, to int) {
	n, k, s := p.right.n, p.left.k, p.left
	var turned []float32
	if s.column != 1 && k > 1 {
		turned = p.backend.get(block * k)
		defer p.backend.put(turned)
	}
	edge := p.backend.get(block * kernel.Width)
	defer p.backend.put(edge)
	for i := from; i < to; i += block {
		rows := min(block, to-i)
		a, lda := x[i*s.row:], s.row
		if turned != nil {
			s.turn(turned, a, rows)
			a, lda = turned, k
		}
		if rows == 1 {
			lda = k
		}
		for j := 0; j < n; j += kernel.Width {
			panel := packed[j*k : (j+kernel.Width)*k]
			if j+kernel.Width <= n {
				kernel.Panel(out[i*n+j:], n, a, lda, panel, k, rows)
				continue
			}
			kernel.Panel(edge, kernel.Width, a, lda, panel, k, rows)
			for r := range rows {
				copy(out[(i+r)*n+j:(i+r+1)*n], edge[r*kernel.Width:])
			}
		}
	}
}

// pack writes panels from … to−1 of a matrix: Width of its rows each, turned.
func (s side) pack(dst, x []float32, from, to int) {
	for p := from; p < to; p++ {
		panel := dst[p*kernel.Width*s.k : (p+1)*kernel.Width*s.k]
		rows := min(kernel.Width, s.n-p*kernel.Width)
		if rows < kernel.Width {
			clear(panel)
		}
		at := x[p*kernel.Width*s.row:]
		if s.row == 1 {
			for c := range s.k {
				copy(panel[c*kernel.Width:c*kernel.Width+rows], at[c*s.column:])
			}
			continue
		}
		for r := range rows {
			row := at[r*s.row:]
			for c := range s.k {
				panel[c*kernel.Width+r] = row[c*s.column]
			}
		}
	}
}

// turn copies some rows so that the columns of each lie side by side.
func (s side) turn(dst, x []float32, rows int) {
	const tile = 16
	for c := 0; c < s.k; c += tile {
		some := min(tile, s.k-c)
		for r := range rows {
			to := dst[r*s.k+c : r*s.k+c+some]
			for i := range to {
				to[i] = x[r*s.row+(c+i)*s.column]
			}
		}
	}
}
