package tensor

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/shapeinference"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/shapes"

	"infnet/backends/runtime/kernel"
)

// grain is the least a thread is given, in numbers.
const grain = 1 << 14

// unary adds an operation on each number, f on a part of the numbers. It may
// write over what it reads.
func (b *builder) unary(op backends.OpType, x backends.Op, f func(out, x []float32)) (backends.Op, error) {
	n := x.(*node)
	if n.shape.DType != dtypes.Float32 {
		return nil, fmt.Errorf("%s of %s: want float32", op, n.shape.DType)
	}
	return b.add(&node{shape: n.shape, in: []*node{n}, over: []int{0}, run: func(out *buffer, in []*buffer) {
		b.backend.parallel(len(out.f), grain, func(from, to int) { f(out.f[from:to], in[0].f[from:to]) })
	}}), nil
}

// each makes a function of slices of a function of numbers.
func each(f func(float32) float32) func(out, x []float32) {
	return func(out, x []float32) {
		for i, v := range x {
			out[i] = f(v)
		}
	}
}

// double makes one of a function of the standard library.
func double(f func(float64) float64) func(out, x []float32) {
	return func(out, x []float32) {
		for i, v := range x {
			out[i] = float32(f(float64(v)))
		}
	}
}

func (b *builder) Neg(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeNeg, x, kernel.Negative.Apply)
}

func (b *builder) Sign(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeSign, x, each(func(v float32) float32 {
		switch {
		case v > 0:
			return 1
		case v < 0:
			return -1
		}
		return v
	}))
}

func (b *builder) Sqrt(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeSqrt, x, kernel.Root.Apply)
}

func (b *builder) Exp(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeExp, x, kernel.Exponential.Apply)
}

func (b *builder) Log(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeLog, x, double(math.Log))
}

func (b *builder) Tanh(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeTanh, x, double(math.Tanh))
}

func (b *builder) Erf(x backends.Op) (backends.Op, error) {
	return b.unary(backends.OpTypeErf, x, kernel.ErrorFunction.Apply)
}

func (b *builder) Add(x, y backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeAdd, x, y, kernel.Plus.Apply)
}

func (b *builder) Sub(x, y backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeSub, x, y, kernel.Minus.Apply)
}

func (b *builder) Mul(x, y backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeMul, x, y, kernel.Times.Apply)
}

func (b *builder) Div(x, y backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeDiv, x, y, kernel.Over.Apply)
}

func (b *builder) Max(x, y backends.Op) (backends.Op, error) {
	return b.binary(backends.OpTypeMax, x, y, func(out, a, b []float32) {
		for i, v := range a {
			out[i] = max(v, b[i])
		}
	})
}

// binary adds an operation on pairs of numbers, f on parts of both. Axes of
// length 1, and scalars, are repeated. It may write over a side that is not.
func (b *builder) binary(op backends.OpType, x, y backends.Op, f func(out, a, b []float32)) (backends.Op, error) {
	l, r := x.(*node), y.(*node)
	shape, err := shapeinference.BinaryOp(op, l.shape, r.shape)
	if err != nil {
		return nil, err
	}
	if shape.DType != dtypes.Float32 {
		return nil, fmt.Errorf("%s of %s: want float32", op, shape.DType)
	}
	dims, steps := merge(shape.Dimensions, repeated(l.shape, shape), repeated(r.shape, shape))
	last := len(dims) - 1
	p := pairs{f: f, left: steps[0][last], right: steps[1][last]}
	inner := dims[last]
	n := &node{shape: shape, in: []*node{l, r}}
	for k, side := range n.in {
		if side.shape.Size() == shape.Size() {
			n.over = append(n.over, k)
		}
	}
	n.run = func(out *buffer, in []*buffer) {
		if last == 0 {
			b.backend.parallel(inner, grain, func(from, to int) {
				p.line(out.f[from:to], in[0].f[from*p.left:], in[1].f[from*p.right:])
			})
			return
		}
		b.backend.parallel(len(out.f)/max(1, inner), grain/max(1, inner)+1, func(from, to int) {
			at := newWalk(dims[:last], from, steps[0][:last], steps[1][:last])
			for k := from; k < to; k++ {
				p.line(out.f[k*inner:(k+1)*inner], in[0].f[at.offset[0]:], in[1].f[at.offset[1]:])
				at.next()
			}
		})
	}
	return b.add(n), nil
}

// pairs joins lines of numbers. The steps of a side are 1, or 0 where it is one
// number repeated.
type pairs struct {
	f           func(out, a, b []float32)
	left, right int
}

func (p pairs) line(out, a, b []float32) {
	if p.left == 1 && p.right == 1 {
		p.f(out, a[:len(out)], b[:len(out)])
		return
	}
	var again [64]float32 // of the number that is repeated
	part := again[:min(len(out), len(again))]
	for i := range part {
		if p.left == 0 {
			part[i] = a[0]
		} else {
			part[i] = b[0]
		}
	}
	for from := 0; from < len(out); from += len(part) {
		to := min(len(out), from+len(part))
		some := part[:to-from]
		switch {
		case p.left == 1:
			p.f(out[from:to], a[from:to], some)
		case p.right == 1:
			p.f(out[from:to], some, b[from:to])
		default:
			if from == 0 {
				p.f(out[:1], a[:1], b[:1])
			}
			for i := range out[from:to] {
				out[from+i] = out[0]
			}
		}
	}
}

// BroadcastInDim implements backends.Builder.
func (b *builder) BroadcastInDim(x backends.Op, shape shapes.Shape, axes []int) (backends.Op, error) {
	n := x.(*node)
	if err := shapeinference.BroadcastInDimOp(n.shape, shape, axes); err != nil {
		return nil, err
	}
	if shape.DType != dtypes.Float32 {
		return nil, fmt.Errorf("a repetition of %s: want float32", shape.DType)
	}
	own, step := strides(n.shape.Dimensions), make([]int, shape.Rank())
	for i, axis := range axes {
		if n.shape.Dimensions[i] > 1 {
			step[axis] = own[i]
		}
	}
	return b.add(&node{shape: shape, in: []*node{n}, run: b.copyStrided(shape.Dimensions, step)}), nil
}

// Transpose implements backends.Builder.
func (b *builder) Transpose(x backends.Op, order ...int) (backends.Op, error) {
	n := x.(*node)
	shape, err := shapeinference.TransposeOp(n.shape, order)
	if err != nil {
		return nil, err
	}
	if shape.DType != dtypes.Float32 {
		return nil, fmt.Errorf("a transposition of %s: want float32", shape.DType)
	}
	own, step := strides(n.shape.Dimensions), make([]int, len(order))
	for i, axis := range order {
		step[i] = own[axis]
	}
	return b.add(&node{shape: shape, in: []*node{n}, run: b.copyStrided(shape.Dimensions, step)}), nil
}

// copyStrided fills a tensor of these dimensions with numbers that lie these
// steps apart.
func (b *builder) copyStrided(dims, step []int) func(out *buffer, in []*buffer) {
	dims, steps := merge(dims, step)
	last := len(dims) - 1
	inner, s := dims[last], steps[0][last]
	return func(out *buffer, in []*buffer) {
		x := in[0].f
		b.backend.parallel(len(out.f)/max(1, inner), grain/max(1, inner)+1, func(from, to int) {
			at := newWalk(dims[:last], from, steps[0][:last])
			for k := from; k < to; k++ {
				line, o := out.f[k*inner:(k+1)*inner], at.offset[0]
				switch s {
				case 1:
					copy(line, x[o:])
				case 0:
					for i := range line {
						line[i] = x[o]
					}
				default:
					for i := range line {
						line[i] = x[o+i*s]
					}
				}
				at.next()
			}
		})
	}
}

// strides are how far apart neighbours along each axis lie.
func strides(dims []int) []int {
	out := make([]int, len(dims))
	step := 1
	for i := len(dims) - 1; i >= 0; i-- {
		out[i] = step
		step *= dims[i]
	}
	return out
}

// repeated are the strides of x where it is repeated to a larger shape.
func repeated(x, shape shapes.Shape) []int {
	out := make([]int, shape.Rank())
	if x.IsScalar() {
		return out
	}
	for i, s := range strides(x.Dimensions) {
		if x.Dimensions[i] > 1 {
			out[i] = s
		}
	}
	return out
}

// merge joins neighbouring axes through which every tensor goes in even steps,
// and drops those of length 1. There is at least one axis left.
func merge(dims []int, steps ...[]int) ([]int, [][]int) {
	var d []int
	s := make([][]int, len(steps))
	for i, n := range dims {
		if n == 1 {
			continue
		}
		last := len(d) - 1
		even := last >= 0
		for k := range steps {
			even = even && s[k][last] == steps[k][i]*n
		}
		if even {
			d[last] *= n
			for k := range steps {
				s[k][last] = steps[k][i]
			}
			continue
		}
		d = append(d, n)
		for k := range steps {
			s[k] = append(s[k], steps[k][i])
		}
	}
	if len(d) == 0 {
		d = []int{1}
		for k := range steps {
			s[k] = []int{0}
		}
	}
	return d, s
}

// walk goes through all positions of some axes, the last one fastest, and
// knows where each of several tensors is.
type walk struct {
	dims, at []int
	steps    [][]int
	offset   []int
}

func newWalk(dims []int, from int, steps ...[]int) *walk {
	w := &walk{dims: dims, at: make([]int, len(dims)), steps: steps, offset: make([]int, len(steps))}
	for i := len(dims) - 1; i >= 0; i-- {
		w.at[i] = from % dims[i]
		from /= dims[i]
		for k := range steps {
			w.offset[k] += w.at[i] * steps[k][i]
		}
	}
	return w
}

func (w *walk) next() {
	for i := len(w.dims) - 1; i >= 0; i-- {
		w.at[i]++
		for k := range w.steps {
			w.offset[k] += w.steps[k][i]
		}
		if w.at[i] < w.dims[i] {
			return
		}
		for k := range w.steps {
			w.offset[k] -= w.dims[i] * w.steps[k][i]
		}
		w.at[i] = 0
	}
}
