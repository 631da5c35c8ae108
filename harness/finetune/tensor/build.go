package tensor

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/notimplemented"
	"github.com/gomlx/gomlx/backends/shapeinference"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

// node is an operation of a graph. Its run writes out, whose memory it is given
// unless alias is set: then the result has the memory of the first input.
type node struct {
	index int
	shape shapes.Shape
	in    []*node
	alias bool
	over  []int   // inputs whose memory it may write to, if nobody needs them after it
	fixed *buffer // a constant
	run   func(out *buffer, in []*buffer)
}

// builder collects operations in the order they are made, inputs first.
type builder struct {
	notimplemented.Builder
	backend *Backend
	name    string
	nodes   []*node
	inputs  []*node
	names   []string
}

var _ backends.Builder = (*builder)(nil)

func (b *builder) Name() string { return b.name }

func (b *builder) OpShape(op backends.Op) (shapes.Shape, error) { return op.(*node).shape, nil }

func (b *builder) add(n *node) *node {
	n.index = len(b.nodes)
	b.nodes = append(b.nodes, n)
	return n
}

func (b *builder) Parameter(name string, shape shapes.Shape, _ *backends.ShardingSpec) (backends.Op, error) {
	if shape.DType != dtypes.Float32 && shape.DType != dtypes.Int32 {
		return nil, fmt.Errorf("input %s of type %s: want float32 or int32", name, shape.DType)
	}
	n := b.add(&node{shape: shape})
	b.inputs, b.names = append(b.inputs, n), append(b.names, name)
	return n, nil
}

func (b *builder) Constant(flat any, dims ...int) (backends.Op, error) {
	switch x := flat.(type) {
	case []float32:
		s := shapes.Make(dtypes.Float32, dims...)
		return b.add(&node{shape: s, fixed: &buffer{shape: s, f: slices.Clone(x)}}), nil
	case []int32:
		s := shapes.Make(dtypes.Int32, dims...)
		return b.add(&node{shape: s, fixed: &buffer{shape: s, i: slices.Clone(x)}}), nil
	}
	return nil, fmt.Errorf("a constant of type %T: want float32 or int32", flat)
}

func (b *builder) Identity(x backends.Op) (backends.Op, error) {
	n := x.(*node)
	return b.add(&node{shape: n.shape, in: []*node{n}, alias: true}), nil
}

func (b *builder) Reshape(x backends.Op, dims ...int) (backends.Op, error) {
	n := x.(*node)
	s, err := shapeinference.ReshapeOp(n.shape, dims)
	if err != nil {
		return nil, err
	}
	return b.add(&node{shape: s, in: []*node{n}, alias: true}), nil
}

// Compile keeps what the outputs need.
func (b *builder) Compile(outputs []backends.Op, shardings []*backends.ShardingSpec) (backends.Executable, error) {
	if len(shardings) > 0 {
		return nil, errors.New("there is one device")
	}
	e := &executable{backend: b.backend, inputs: b.inputs, names: b.names, uses: make([]int, len(b.nodes))}
	for _, o := range outputs {
		n := o.(*node)
		e.outputs = append(e.outputs, n)
		e.uses[n.index]++
	}
	for i := len(b.nodes) - 1; i >= 0; i-- {
		if e.uses[i] == 0 {
			continue
		}
		for _, in := range b.nodes[i].in {
			e.uses[in.index]++
		}
	}
	for _, n := range b.nodes {
		if e.uses[n.index] > 0 {
			e.nodes = append(e.nodes, n)
		}
	}
	e.total = len(b.nodes)
	return e, nil
}

// executable is a graph ready to run.
type executable struct {
	backend *Backend
	nodes   []*node // those that matter, inputs first
	inputs  []*node
	names   []string
	outputs []*node
	uses    []int // by index, outputs included
	total   int
}

func (e *executable) Finalize() {}

func (e *executable) Inputs() ([]string, []shapes.Shape) { return e.names, shapesOf(e.inputs) }

func (e *executable) Outputs() []shapes.Shape { return shapesOf(e.outputs) }

func shapesOf(nodes []*node) []shapes.Shape {
	var out []shapes.Shape
	for _, n := range nodes {
		out = append(out, n.shape)
	}
	return out
}

// storage is memory that several tensors may have in common.
type storage struct {
	owned bool // may be given back
	users int  // uses to come of all tensors in it
	f     []float32
}

// Execute computes one operation after another and gives memory back after its
// last use.
func (e *executable) Execute(inputs []backends.Buffer, _ []bool, _ backends.DeviceNum) ([]backends.Buffer, error) {
	if len(inputs) != len(e.inputs) {
		return nil, fmt.Errorf("%d inputs for a graph of %d", len(inputs), len(e.inputs))
	}
	value, memory := make([]*buffer, e.total), make([]*storage, e.total)
	for k, n := range e.inputs {
		value[n.index], memory[n.index] = inputs[k].(*buffer), &storage{}
	}
	for _, n := range e.nodes {
		if n.fixed != nil {
			value[n.index], memory[n.index] = n.fixed, &storage{}
		}
		if n.fixed != nil || value[n.index] != nil {
			continue
		}
		in := make([]*buffer, len(n.in))
		for k, x := range n.in {
			in[k] = value[x.index]
		}
		out := &buffer{shape: n.shape}
		if n.alias {
			s := memory[n.in[0].index]
			s.users += e.uses[n.index]
			out.f, out.i = in[0].f, in[0].i
			memory[n.index] = s
		} else {
			out.f = e.room(n, memory)
			memory[n.index] = &storage{owned: true, users: e.uses[n.index], f: out.f}
			n.run(out, in)
		}
		value[n.index] = out
		for _, x := range n.in {
			s := memory[x.index]
			if s.users--; s.users == 0 && s.owned {
				e.backend.put(s.f)
			}
		}
	}
	out := make([]backends.Buffer, len(e.outputs))
	for k, n := range e.outputs {
		v, m := value[n.index], memory[n.index]
		if m.users--; m.users == 0 && m.owned { // nobody else has it
			v.owned = true
			out[k] = v
			continue
		}
		out[k] = &buffer{shape: v.shape, f: slices.Clone(v.f), i: slices.Clone(v.i)}
	}
	return out, nil
}

// room returns memory for a result: that of an input whose last use this is, or
// other memory.
func (e *executable) room(n *node, memory []*storage) []float32 {
	for _, k := range n.over {
		if s := memory[n.in[k].index]; s.owned && s.users == 1 {
			s.owned = false
			return s.f
		}
	}
	return e.backend.get(n.shape.Size())
}
