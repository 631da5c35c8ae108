// Package tensor executes GoMLX graphs with the arithmetic of in-process models: it is a GoMLX
// backend on the vector kernels of backends/runtime/kernel. It owns the operations of a transformer
// encoder and its gradients, in float32, and their memory.
//
// It refuses, by name and when the graph is built, operations that such a graph does not need. It
// has one device and no state.
//
// Its opinion: a result does not depend on how it was computed. Each output is one sum in a fixed
// order, so threads, other rows and the vector width change no bit. GoMLX's own pure-Go backend
// computes the same graphs (the tests compare the two); for the products of an encoder this one is
// an order of magnitude faster where there is a vector unit.
package tensor

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/notimplemented"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

const name = "infnet"

// Backend executes graphs. It is safe for concurrent use.
type Backend struct {
	threads int
	mu      sync.Mutex
	free    map[int][][]float32 // by length
	idle    int                 // numbers in free
}

var _ backends.Backend = (*Backend)(nil)

// New returns a backend that uses so many threads, at least 1.
func New(threads int) *Backend {
	return &Backend{threads: max(1, threads), free: map[int][][]float32{}}
}

// Name implements backends.Backend.
func (b *Backend) Name() string { return name }

// String implements backends.Backend.
func (b *Backend) String() string { return name }

// Description implements backends.Backend.
func (b *Backend) Description() string { return "vector kernels in Go and assembly" }

// NumDevices is 1.
func (b *Backend) NumDevices() int { return 1 }

// DeviceDescription implements backends.Backend.
func (b *Backend) DeviceDescription(backends.DeviceNum) string { return "processor" }

// Capabilities lists the operations and types there are.
func (b *Backend) Capabilities() backends.Capabilities {
	c := backends.Capabilities{Operations: map[backends.OpType]bool{},
		DTypes: map[dtypes.DType]bool{dtypes.Float32: true, dtypes.Int32: true}}
	for _, op := range []backends.OpType{
		backends.OpTypeParameter, backends.OpTypeConstant, backends.OpTypeIdentity, backends.OpTypeReshape,
		backends.OpTypeTranspose,
		backends.OpTypeBroadcastInDim, backends.OpTypeAdd, backends.OpTypeSub, backends.OpTypeMul, backends.OpTypeDiv,
		backends.OpTypeMax,
		backends.OpTypeNeg, backends.OpTypeSign, backends.OpTypeSqrt, backends.OpTypeExp, backends.OpTypeLog,
		backends.OpTypeTanh, backends.OpTypeErf,
		backends.OpTypeReduceSum, backends.OpTypeReduceMax, backends.OpTypeDotGeneral, backends.OpTypeGather,
		backends.OpTypeScatterSum,
	} {
		c.Operations[op] = true
	}
	return c
}

// Builder begins a graph.
func (b *Backend) Builder(name string) backends.Builder {
	return &builder{backend: b, name: name, Builder: notimplemented.Builder{ErrFn: func(op backends.OpType) error {
		return fmt.Errorf("the operation %s is not one of those that encoders consist of", op)
	}}}
}

// Finalize does nothing: there is nothing but memory.
func (b *Backend) Finalize() {}

// IsFinalized is false.
func (b *Backend) IsFinalized() bool { return false }

// buffer is a tensor: its numbers in row-major order, of one of the types.
type buffer struct {
	shape shapes.Shape
	f     []float32
	i     []int32
	owned bool // f is the backend's and nobody else has it
}

// Borrow makes a tensor of the caller's numbers, which are not copied.
func (b *Backend) Borrow(x []float32, dims ...int) backends.Buffer {
	return &buffer{shape: shapes.Make(dtypes.Float32, dims...), f: x}
}

// BufferFinalize implements backends.DataInterface.
func (b *Backend) BufferFinalize(x backends.Buffer) error {
	if t := x.(*buffer); t.owned {
		b.put(t.f)
		t.f, t.owned = nil, false
	}
	return nil
}

// BufferShape implements backends.DataInterface.
func (b *Backend) BufferShape(x backends.Buffer) (shapes.Shape, error) { return x.(*buffer).shape, nil }

// BufferDeviceNum implements backends.DataInterface.
func (b *Backend) BufferDeviceNum(backends.Buffer) (backends.DeviceNum, error) { return 0, nil }

// BufferToFlatData copies a tensor out.
func (b *Backend) BufferToFlatData(x backends.Buffer, flat any) error {
	switch out := flat.(type) {
	case []float32:
		copy(out, x.(*buffer).f)
	case []int32:
		copy(out, x.(*buffer).i)
	default:
		return fmt.Errorf("numbers of type %T are not supported", flat)
	}
	return nil
}

// BufferFromFlatData copies a tensor in.
func (b *Backend) BufferFromFlatData(_ backends.DeviceNum, flat any, shape shapes.Shape) (backends.Buffer, error) {
	switch in := flat.(type) {
	case []float32:
		return &buffer{shape: shape, f: append([]float32(nil), in...)}, nil
	case []int32:
		return &buffer{shape: shape, i: append([]int32(nil), in...)}, nil
	}
	return nil, fmt.Errorf("numbers of type %T are not supported", flat)
}

// HasSharedBuffers is true: tensors are Go slices.
func (b *Backend) HasSharedBuffers() bool { return true }

// NewSharedBuffer makes a tensor whose numbers the caller may write.
func (b *Backend) NewSharedBuffer(_ backends.DeviceNum, shape shapes.Shape) (backends.Buffer, any, error) {
	switch shape.DType {
	case dtypes.Float32:
		x := &buffer{shape: shape, f: make([]float32, shape.Size())}
		return x, x.f, nil
	case dtypes.Int32:
		x := &buffer{shape: shape, i: make([]int32, shape.Size())}
		return x, x.i, nil
	}
	return nil, nil, fmt.Errorf("numbers of type %s are not supported", shape.DType)
}

// BufferData returns a tensor's numbers.
func (b *Backend) BufferData(x backends.Buffer) (any, error) {
	if t := x.(*buffer); t.shape.DType == dtypes.Int32 {
		return t.i, nil
	}
	return x.(*buffer).f, nil
}

// BufferCopyToDevice fails.
func (b *Backend) BufferCopyToDevice(backends.Buffer, backends.DeviceNum) (backends.Buffer, error) {
	return nil, errors.New("there is one device")
}

// most is how many idle numbers are kept for reuse: 4 GB.
const most = 1 << 30

// get returns memory for n numbers, not zeroed.
func (b *Backend) get(n int) []float32 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if list := b.free[n]; len(list) > 0 {
		x := list[len(list)-1]
		b.free[n] = list[:len(list)-1]
		b.idle -= n
		return x
	}
	return make([]float32, n)
}

// put gives memory back.
func (b *Backend) put(x []float32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.idle+len(x) > most {
		return
	}
	b.free[len(x)] = append(b.free[len(x)], x)
	b.idle += len(x)
}

// parallel calls f on parts of 0…n−1 of at least grain each, side by side.
func (b *Backend) parallel(n, grain int, f func(from, to int)) {
	parts := min(b.threads, n/max(1, grain))
	if parts <= 1 {
		f(0, n)
		return
	}
	var wg sync.WaitGroup
	for p := 1; p < parts; p++ {
		wg.Go(func() { f(n*p/parts, n*(p+1)/parts) })
	}
	f(0, n/parts)
	wg.Wait()
}
