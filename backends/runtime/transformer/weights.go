package transformer

import (
	"slices"

	"infnet/backends/runtime/kernel"
	"infnet/backends/runtime/packing"
	"infnet/backends/runtime/safetensors"
)

// Weights are the tensors of a folder. They keep the first error, after which every reading gives nil, and
// what was asked for.
type Weights struct {
	folder   *safetensors.Folder
	find     func(name string) string
	used     map[string]bool
	matrices map[string]*kernel.Matrix
	Err      error
}

// NewWeights reads from a folder. find says what the folder calls a tensor; nil = as the plan does.
func NewWeights(folder *safetensors.Folder, find func(name string) string) *Weights {
	if find == nil {
		find = func(name string) string { return name }
	}
	return &Weights{folder: folder, find: find, used: map[string]bool{}, matrices: map[string]*kernel.Matrix{}}
}

// Unused returns the first tensor that nothing asked for and that belongs to the network; "" = none.
func (w *Weights) Unused(belongs func(name string) bool) string {
	for _, name := range w.folder.Names() {
		if !w.used[name] && belongs(name) {
			return name
		}
	}
	return ""
}

// use returns the name that the folder has for a tensor, and notes its use.
func (w *Weights) use(name string) string {
	name = w.find(name)
	w.used[name] = true
	return name
}

func (w *Weights) read(name string, shape ...int) []float32 {
	if w.Err != nil {
		return nil
	}
	x, err := w.folder.Read(w.use(name), shape...)
	w.Err = err
	return x
}

// Padded reads a vector and pads it with zeros.
func (w *Weights) Padded(name string, shape ...int) []float32 {
	x := w.read(name, shape...)
	out := make([]float32, kernel.Round(len(x)))
	copy(out, x)
	return out
}

// packed packs tensors, once.
func (w *Weights) packed(name string, pack func() (*kernel.Matrix, error)) *kernel.Matrix {
	if w.Err != nil || w.matrices[name] != nil {
		return w.matrices[name]
	}
	w.matrices[name], w.Err = pack()
	return w.matrices[name]
}

func (w *Weights) matrix(name string, n, k int) *kernel.Matrix {
	name = w.use(name)
	return w.packed(name, func() (*kernel.Matrix, error) { return packing.Matrix(w.folder, name, n, k) })
}

// stack puts matrices of k inputs below one another, each of some blocks of rows outputs, which are padded.
func (w *Weights) stack(k, rows int, parts ...packing.Part) *kernel.Matrix {
	named := slices.Clone(parts)
	for i := range named {
		named[i].Name = w.use(parts[i].Name + ".weight")
	}
	return w.packed(named[0].Name, func() (*kernel.Matrix, error) {
		return packing.Stack(w.folder, k, kernel.Round(rows), rows, named...)
	})
}

// spread pads the inputs of an output projection to where padded heads put them.
func (w *Weights) spread(name string, n, heads, size int) *kernel.Matrix {
	name = w.use(name)
	return w.packed(name, func() (*kernel.Matrix, error) {
		return packing.Spread(w.folder, name, n, packing.Heads{Count: heads, Size: size, Pad: kernel.Round(size)})
	})
}
