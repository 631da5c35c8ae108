// Package packing reads the matrices of a checkpoint into the layout in which products want them:
// several tensors below one another, the heads of attention padded. A matrix keeps the format that
// its tensors are stored in, so weights of 16 bits take half the memory and give the same bits.
//
// It refuses to know architectures. It reads a tensor in blocks: besides the matrix there are never
// more than a few megabytes of it in memory.
package packing

import (
	"infnet/backends/runtime/kernel"
	"infnet/backends/runtime/number"
)

// Weights are tensors by name.
type Weights interface {
	// Format is how a tensor is stored.
	Format(name string) number.Format
	// Check returns an error unless a tensor is there and has this shape.
	Check(name string, shape ...int) error
	// Rows calls do with rows of a tensor, the first one's number and some whole
	// rows of the last axis, in order, in memory that is used again.
	Rows(name string, do func(first int, rows number.Slice), shape ...int) error
}

// Matrix reads a tensor of n outputs by k inputs.
func Matrix(w Weights, name string, n, k int) (*kernel.Matrix, error) {
	return Stack(w, k, n, n, Part{name, 1})
}

// Part is a tensor of several blocks of outputs, such as heads.
type Part struct {
	Name   string
	Blocks int
}

// Stack reads tensors of k inputs below one another, each block of rows outputs
// padded to pad. Tensors of different formats become float32.
func Stack(w Weights, k, pad, rows int, parts ...Part) (*kernel.Matrix, error) {
	total, format := 0, w.Format(parts[0].Name)
	for _, p := range parts {
		total += p.Blocks
		if err := w.Check(p.Name, p.Blocks*rows, k); err != nil { // before memory is asked for
			return nil, err
		}
		if w.Format(p.Name) != format {
			format = number.Float32
		}
	}
	m := kernel.NewMatrix(total*pad, k, format)
	at := 0
	for _, p := range parts {
		err := w.Rows(p.Name, func(first int, x number.Slice) {
			for i := range x.Len() / k {
				m.SetRow(at+(first+i)/rows*pad+(first+i)%rows, x.Sub(i*k, (i+1)*k))
			}
		}, p.Blocks*rows, k)
		if err != nil {
			return nil, err
		}
		at += p.Blocks * pad
	}
	return m, nil
}

// Heads are blocks of Size numbers, each at a multiple of Pad.
type Heads struct{ Count, Size, Pad int }

// Spread reads a tensor of n outputs whose inputs are heads, and pads them: what
// Stack does to outputs.
func Spread(w Weights, name string, n int, h Heads) (*kernel.Matrix, error) {
	if err := w.Check(name, n, h.Count*h.Size); err != nil {
		return nil, err
	}
	format := w.Format(name)
	m, wide := kernel.NewMatrix(n, h.Count*h.Pad, format), number.Make(format, h.Count*h.Pad)
	err := w.Rows(name, func(first int, x number.Slice) {
		for i := range x.Len() / (h.Count * h.Size) {
			for b := range h.Count {
				from := (i*h.Count + b) * h.Size
				to, part := wide.Sub(b*h.Pad, b*h.Pad+h.Size), x.Sub(from, from+h.Size)
				copy(to.Wide, part.Wide)
				copy(to.Halves, part.Halves)
			}
			m.SetRow(first+i, wide)
		}
	}, n, h.Count*h.Size)
	return m, err
}
