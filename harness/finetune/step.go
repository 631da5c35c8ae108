package finetune

import (
	"fmt"

	gomlx "github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/tensors"
)

// batch is what one step sees: texts of one length, in tokens.
type batch struct {
	rows, length int
	tokens       []int32     // rows·length
	kinds        []int32     // rows·length
	used         []int       // per row, the tokens that are no padding
	label        []int       // per row; nil when nothing is learned
	drop         [][]float32 // masks, in the order of arch.masks; nil = no dropout
}

// executor computes losses, gradients and probabilities. It compiles a graph for
// every new shape of a batch and keeps it.
type executor struct {
	arch
	backend        gomlx.Backend
	train, predict *graph.Exec
	last           []*tensors.Tensor // what the last step returned
}

// newExecutor compiles nothing yet.
func newExecutor(a arch, backend gomlx.Backend) (*executor, error) {
	e := &executor{arch: a, backend: backend}
	var err error
	if e.train, err = graph.NewExec(backend, e.lossAndGradients); err != nil {
		return nil, err
	}
	if e.predict, err = graph.NewExec(backend, e.logits); err != nil {
		return nil, err
	}
	e.train.SetMaxCache(-1)
	e.predict.SetMaxCache(-1)
	return e, nil
}

// openExecutor makes an executor on this machine.
func openExecutor(a arch, threads int) (*executor, error) {
	b, err := newBackend(threads)
	if err != nil {
		return nil, err
	}
	return newExecutor(a, b)
}

// lossAndGradients takes the weights, then the batch, then rows of 0 and 1 for
// the labels, then the masks.
func (e *executor) lossAndGradients(in []*graph.Node) []*graph.Node {
	n, given := e.net(in)
	oneHot := given[0]
	n.in.drop = given[1:]
	loss := crossEntropy(n.logits(), oneHot)
	return append([]*graph.Node{loss}, graph.Gradient(loss, in[:len(e.slots())]...)...)
}

// logits takes the weights, then the batch.
func (e *executor) logits(in []*graph.Node) *graph.Node {
	n, _ := e.net(in)
	return n.logits()
}

// net reads the inputs that both graphs have and returns the others.
func (e *executor) net(in []*graph.Node) (*net, []*graph.Node) {
	n := &net{arch: e.arch, at: map[string]*graph.Node{}}
	for i, s := range e.slots() {
		n.at[s.name] = in[i]
	}
	in = in[len(e.slots()):]
	n.in = input{tokens: in[0], places: in[1], first: in[2], hidden: in[3]}
	in = in[4:]
	if e.Types > 0 {
		n.in.kinds, in = in[0], in[1:]
	}
	n.in.batch = n.in.first.Shape().Size()
	n.in.length = n.in.tokens.Shape().Size() / n.in.batch
	return n, in
}

// feed lists the inputs of a batch after the weights, in the order of net.
func (e *executor) feed(b *batch) []any {
	places := make([]int32, len(b.tokens))
	first := make([]int32, b.rows)
	hidden := make([]float32, len(b.tokens))
	for i := range b.rows {
		first[i] = int32(i * b.length)
		for t := range b.length {
			places[i*b.length+t] = int32(t)
			if t >= b.used[i] {
				hidden[i*b.length+t] = -1e30
			}
		}
	}
	out := []any{
		tensors.FromFlatDataAndDimensions(b.tokens, len(b.tokens)), tensors.FromFlatDataAndDimensions(places, len(places)),
		tensors.FromFlatDataAndDimensions(first, b.rows), tensors.FromFlatDataAndDimensions(hidden, b.rows, 1, 1, b.length),
	}
	if e.Types > 0 {
		out = append(out, tensors.FromFlatDataAndDimensions(b.kinds, len(b.kinds)))
	}
	return out
}

// lender is a backend that computes with the caller's numbers where they are.
type lender interface {
	Borrow(x []float32, dims ...int) gomlx.Buffer
}

// lend makes a tensor of numbers that stay as they are until it is used,
// without a copy where the backend can.
func (e *executor) lend(x []float32, dims ...int) (any, error) {
	if b, ok := e.backend.(lender); ok {
		return tensors.FromBuffer(e.backend, b.Borrow(x, dims...))
	}
	return tensors.FromFlatDataAndDimensions(x, dims...), nil
}

// weigh makes tensors of weights.
func (e *executor) weigh(w weights) ([]any, error) {
	var out []any
	for i, s := range e.slots() {
		t, err := e.lend(w[i], s.shape...)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// forget gives the memory of the last gradients back.
func (e *executor) forget() {
	for _, t := range e.last {
		t.MustFinalizeAll()
	}
	e.last = nil
}

// step returns the mean loss of a batch and its gradients, which are void after
// the next step.
func (e *executor) step(w weights, b *batch) (loss float64, gradients weights, err error) {
	e.forget()
	oneHot := make([]float32, b.rows*labels)
	for i, l := range b.label {
		oneHot[i*labels+l] = 1
	}
	in, err := e.weigh(w)
	if err != nil {
		return 0, nil, err
	}
	in = append(append(in, e.feed(b)...), tensors.FromFlatDataAndDimensions(oneHot, b.rows, labels))
	for _, m := range b.drop {
		t, err := e.lend(m, len(m))
		if err != nil {
			return 0, nil, err
		}
		in = append(in, t)
	}
	if e.last, err = e.train.Exec(in...); err != nil {
		return 0, nil, fmt.Errorf("a training step of %d texts of %d tokens: %w", b.rows, b.length, err)
	}
	var all weights
	for _, t := range e.last {
		if err := tensors.ConstFlatData(t, func(x []float32) { all = append(all, x) }); err != nil {
			return 0, nil, err
		}
	}
	return float64(all[0][0]), all[1:], nil
}

// apply returns the classifier's logits, batch.rows·labels, weights as weigh
// makes them.
func (e *executor) apply(weights []any, b *batch) ([]float32, error) {
	out, err := e.predict.Exec(append(append([]any(nil), weights...), e.feed(b)...)...)
	if err != nil {
		return nil, fmt.Errorf("scoring %d texts of %d tokens: %w", b.rows, b.length, err)
	}
	defer out[0].MustFinalizeAll()
	return tensors.CopyFlatData[float32](out[0])
}
