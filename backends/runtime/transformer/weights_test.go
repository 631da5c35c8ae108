package transformer

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/backends/runtime/kernel"
	"infnet/backends/runtime/number"
	"infnet/backends/runtime/safetensors"
)

// folder writes tensors of whole numbers, which every format holds exactly, and
// returns them with the numbers.
func folder(t interface{ Fatal(...any) }, types map[string]safetensors.DType, n, k int) (*Weights,
	map[string][]float32) {
	var tensors []safetensors.Tensor
	numbers := map[string][]float32{}
	for _, name := range []string{"a", "b", "c"} {
		data := make([]float32, n*k)
		for i := range data {
			data[i] = float32((i*7+int(name[0])*31)%255 - 127)
		}
		numbers[name] = data
		tensors = append(tensors, safetensors.Tensor{Name: name + ".weight", DType: types[name], Shape: []int{n, k},
			Data: data})
	}
	var b bytes.Buffer
	if err := safetensors.Write(&b, tensors); err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Open(fstest.MapFS{"model.safetensors": {Data: b.Bytes()}})
	if err != nil {
		t.Fatal(err)
	}
	return NewWeights(f, nil), numbers
}

// Outputs and inputs of heads lie where a plain loop puts them, the padding is
// zero, and equal formats stay as they are stored.
func TestStackAndSpreadPlaceEveryNumber(t *testing.T) {
	types := []safetensors.DType{safetensors.F32, safetensors.F16, safetensors.BF16}
	formats := map[safetensors.DType]number.Format{safetensors.F32: number.Float32, safetensors.F16: number.Float16,
		safetensors.BF16: number.BFloat16}
	rapid.Check(t, func(t *rapid.T) {
		heads, size := rapid.IntRange(1, 4).Draw(t, "heads"), rapid.IntRange(1, 40).Draw(t, "size")
		k, pad := rapid.IntRange(1, 50).Draw(t, "k"), kernel.Round(size)
		a, b := rapid.SampledFrom(types).Draw(t, "a"), rapid.SampledFrom(types).Draw(t, "b")
		f, numbers := folder(t, map[string]safetensors.DType{"a": a, "b": b, "c": b}, heads*size, k)
		m := f.stack(k, pad, size, part{"a", heads}, part{"b", heads}, part{"c", heads})
		if f.Err != nil {
			t.Fatal(f.Err)
		}
		want := formats[a]
		if a != b {
			want = number.Float32
		}
		if m.Format() != want {
			t.Fatalf("tensors of %s and %s are kept in format %d", a, b, m.Format())
		}
		row := make([]float32, k)
		for i := range m.N {
			m.Row(row, i)
			part, in := i/(heads*pad), i%(heads*pad)
			for j, got := range row {
				var want float32
				if in%pad < size {
					want = numbers[string(rune('a'+part))][(in/pad*size+in%pad)*k+j]
				}
				if got != want {
					t.Fatalf("output %d, input %d is %v, want %v", i, j, got, want)
				}
			}
		}
		spread(t, a, heads, size, k)
	})
}

func spread(t *rapid.T, dtype safetensors.DType, heads, size, n int) {
	f, numbers := folder(t, map[string]safetensors.DType{"a": dtype, "b": dtype, "c": dtype}, n, heads*size)
	pad := kernel.Round(size)
	m := f.spread("b", n, heads, size, pad)
	if f.Err != nil {
		t.Fatal(f.Err)
	}
	row := make([]float32, heads*pad)
	for i := range n {
		m.Row(row, i)
		for j, got := range row {
			var want float32
			if j%pad < size {
				want = numbers["b"][(i*heads+j/pad)*size+j%pad]
			}
			if got != want {
				t.Fatalf("spread: output %d, input %d is %v, want %v", i, j, got, want)
			}
		}
	}
}

// A config that asks for more than the file has is refused before memory is.
func TestImpossibleSizesAreRefused(t *testing.T) {
	types := map[string]safetensors.DType{"a": safetensors.BF16, "b": safetensors.BF16, "c": safetensors.BF16}
	const huge = math.MaxInt / 8
	for what, ask := range map[string]func(w *Weights){
		"stack":  func(w *Weights) { w.stack(3, huge, 1, part{"a", 2}, part{"b", huge}) },
		"spread": func(w *Weights) { w.spread("a", 2, 1, huge, huge) },
		"matrix": func(w *Weights) { w.matrix("nothing", huge, 1) },
	} {
		w, _ := folder(t, types, 2, 3)
		ask(w)
		if w.Err == nil || !strings.Contains(w.Err.Error(), "shape") && !strings.Contains(w.Err.Error(), "missing") {
			t.Errorf("%s: error %v", what, w.Err)
		}
	}
}
