package transformer

import (
	"infnet/backends/runtime/kernel"
	"infnet/backends/runtime/number"
	"infnet/backends/runtime/safetensors"
)

// Weights are the tensors of a folder, and matrices of them in the layout in which products want them. A matrix keeps
// the format that its tensors are stored in, so weights of 16 bits take half the memory and give the same bits.
// Tensors are read in blocks: besides the matrix there are never more than a few megabytes of one in memory.
//
// Weights keep the first error, after which every reading gives nil, and what was asked for.
type Weights struct {
	folder   *safetensors.Folder
	find     func(name string) string
	used     map[string]bool
	matrices map[string]*kernel.Matrix // those that several networks share
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

func (w *Weights) read(name string, shape ...int) (x []float32) {
	if name = w.use(name); w.Err == nil {
		x, w.Err = w.folder.Read(name, shape...)
	}
	return x
}

// Padded reads a vector and pads it with zeros.
func (w *Weights) Padded(name string, shape ...int) []float32 {
	x := w.read(name, shape...)
	out := make([]float32, kernel.Round(len(x)))
	copy(out, x)
	return out
}

// part is a tensor of several blocks of outputs, such as heads; its name lacks ".weight".
type part struct {
	name   string
	blocks int
}

// matrix reads a tensor of n outputs by k inputs, once.
func (w *Weights) matrix(name string, n, k int) *kernel.Matrix {
	if w.matrices[name] == nil {
		w.matrices[name] = w.stack(k, n, n, part{name, 1})
	}
	return w.matrices[name]
}

// stack reads tensors of k inputs below one another, each block of rows outputs padded to pad. Tensors of different
// formats become float32.
func (w *Weights) stack(k, pad, rows int, parts ...part) *kernel.Matrix {
	names, total, format := make([]string, len(parts)), 0, number.Float32
	for i, p := range parts {
		names[i] = w.use(p.name + ".weight")
		if total += p.blocks; w.Err == nil {
			w.Err = w.folder.Check(names[i], p.blocks*rows, k) // before memory is asked for
		}
		if f := w.folder.Format(names[i]); i == 0 {
			format = f
		} else if f != format {
			format = number.Float32
		}
	}
	if w.Err != nil {
		return nil
	}
	m, at := kernel.NewMatrix(total*pad, k, format), 0
	for i, p := range parts {
		w.rows(names[i], func(row int, x number.Slice) { m.SetRow(at+row/rows*pad+row%rows, x) }, p.blocks*rows, k)
		at += p.blocks * pad
	}
	return m
}

// spread reads a tensor of n outputs whose inputs are heads of some size, and pads them to pad: what stack does to
// outputs.
func (w *Weights) spread(name string, n, heads, size, pad int) *kernel.Matrix {
	name = w.use(name + ".weight")
	if w.Err == nil {
		w.Err = w.folder.Check(name, n, heads*size)
	}
	if w.Err != nil {
		return nil
	}
	format := w.folder.Format(name)
	m, wide := kernel.NewMatrix(n, heads*pad, format), number.Make(format, heads*pad)
	w.rows(name, func(row int, x number.Slice) {
		for h := range heads {
			to, from := wide.Sub(h*pad, h*pad+size), x.Sub(h*size, (h+1)*size)
			copy(to.Wide, from.Wide)
			copy(to.Halves, from.Halves)
		}
		m.SetRow(row, wide)
	}, n, heads*size)
	return m
}

// rows calls do with each row of a tensor of two axes.
func (w *Weights) rows(name string, do func(row int, x number.Slice), n, k int) {
	if w.Err == nil {
		w.Err = w.folder.Rows(name, func(first int, x number.Slice) {
			for i := range x.Len() / k {
				do(first+i, x.Sub(i*k, (i+1)*k))
			}
		}, n, k)
	}
}
